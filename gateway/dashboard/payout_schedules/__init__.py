"""Pages about scheduled payouts."""
