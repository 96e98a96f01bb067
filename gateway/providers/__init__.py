"""Institutions that move real money: their accounts, which of them is asked, and what they tell us.

Each folder with a `provider.py` is one institution.
"""
