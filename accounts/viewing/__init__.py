"""Support looks at the pages of a company as they are: read-only, for a short time, and written down."""
