"""Pages of the balance: what there is, and why."""
