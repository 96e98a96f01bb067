"""Scheduled payouts: what is available goes to the company's own account at set times."""
