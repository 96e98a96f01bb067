"""What becomes available in the next days. Read-only, across all rooms."""
