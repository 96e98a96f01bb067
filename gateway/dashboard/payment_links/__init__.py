"""Payment links: made, shared and ended by people of the company."""
