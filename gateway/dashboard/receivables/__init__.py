"""Receivables: when money becomes available, and having it sooner."""
