"""Boletos with real money by files of the bank: registered, withdrawn, and paid."""
