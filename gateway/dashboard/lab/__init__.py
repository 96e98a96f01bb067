"""The sandbox lab."""
