"""A shop to try everything in; only on a developer's machine."""
