"""Pages of the balance and its explanation."""
