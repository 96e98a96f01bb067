"""Pages of withdrawals: the list, details, and a new one over each rail."""
