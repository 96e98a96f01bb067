"""A company's overview: figures and open items. Read-only, across all rooms."""
