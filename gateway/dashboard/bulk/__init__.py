"""Pages about bulk files."""
