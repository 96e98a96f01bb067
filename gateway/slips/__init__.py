"""Boletos of our own agreements with banks: their numbers, and what a bank's files have said of each."""
