"""Scheduled reports: links to lists as CSV that people get by e-mail, each for themselves."""
