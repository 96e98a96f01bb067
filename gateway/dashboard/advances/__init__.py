"""Advances of receivables: what they would cost, asking for one, and those that were asked for."""
