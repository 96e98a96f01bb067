"""The API reference: pages under /docs."""
