"""Closed months: what the books say of a month, as files whose seal anybody can verify."""
