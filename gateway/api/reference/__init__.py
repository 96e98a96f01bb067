"""The reference for people who write against the API: its pages under /docs."""
