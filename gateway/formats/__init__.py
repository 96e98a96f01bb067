"""How dates are written, where that is not as Django does."""
