"""After a backup was restored: what the outside did after that moment is listed, and asked for again."""
