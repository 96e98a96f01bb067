"""The statement of a bucket."""
