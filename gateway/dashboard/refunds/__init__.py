"""Refunds and disputes: the list, each of them, and the company's answers."""
