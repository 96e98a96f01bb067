"""Pages of the book of beneficiaries."""
