"""Pages about payments."""
