"""The web server: Granian reads requests, and a thread is taken only for those whose body is complete."""
