"""Refunds and disputes: the list, details, and the company's answers."""
