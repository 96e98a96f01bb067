"""Conversions between the wallets of a merchant: a signed quote, confirmed once."""
