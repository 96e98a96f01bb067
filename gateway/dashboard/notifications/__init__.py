"""The notification centre of a person."""
