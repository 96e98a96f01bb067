"""Disputes at acquirers: each is recorded once, held as a refund that the payer asks for, and answered there."""
