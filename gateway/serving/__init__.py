"""The web server: Granian reads requests; a thread is used only for complete ones."""
