"""Waiting periods of production withdrawals after staff changed who can withdraw, or from where."""
