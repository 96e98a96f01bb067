"""Messages of ISO 20022: payment orders out (pain.001); answers, statements and returns in."""
