"""Withdrawals that are paid by file: gathered, released by two people, written once, handed over."""
