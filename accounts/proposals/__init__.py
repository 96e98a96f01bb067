"""Proposals of staff that a second person confirms."""
