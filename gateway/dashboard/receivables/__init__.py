"""Receivables: when money becomes available."""
