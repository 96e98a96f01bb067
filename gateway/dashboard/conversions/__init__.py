"""Pages of conversions: the quote, its confirmation, and completed conversions."""
