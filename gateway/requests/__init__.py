"""The log of API requests, and idempotency: one key, one effect, one answer."""
