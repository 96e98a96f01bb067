"""Money that arrived and belongs to nobody yet: held, then given back, or assigned to its payment."""
