"""Input models of requests. The dashboard validates its forms with them, too."""
