"""What a company says of itself, and what holds for it."""
