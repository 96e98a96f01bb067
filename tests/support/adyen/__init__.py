"""An Adyen that only pretends: Checkout on loopback, books of its own, and webhooks signed by the official library."""
