"""Pages of money that changes its currency: the quote, its confirmation, and what was converted."""
