"""A night at a bank that reads our files with somebody else's reader, keeps balances of its own, and makes mistakes."""
