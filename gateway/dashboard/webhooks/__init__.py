"""Webhook endpoints and what was sent to them."""
