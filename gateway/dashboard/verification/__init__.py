"""The way to production."""
