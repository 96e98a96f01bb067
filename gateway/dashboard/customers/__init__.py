"""The payers of a company."""
