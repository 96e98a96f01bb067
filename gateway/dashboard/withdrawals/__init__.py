"""Pages of money that leaves: the list, one withdrawal, and a new one over each rail."""
