"""Saved views: filters of a list that a person saved, for themselves or for the team."""
