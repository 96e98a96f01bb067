"""Chaos mode: for up to an hour a sandbox company's deliveries and API responses are disturbed on purpose."""
