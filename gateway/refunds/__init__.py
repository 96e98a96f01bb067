"""Refunds: by the company, or on the payer's request."""
