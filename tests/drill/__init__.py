"""The drill of a restore: `make drill`."""
