"""The browser's API for card payments."""
