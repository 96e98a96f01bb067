"""Closed months: their sums, their files and their seal."""
