"""The people of a company."""
