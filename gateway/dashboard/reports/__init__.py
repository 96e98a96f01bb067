"""Scheduled reports of a person."""
