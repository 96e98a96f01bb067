"""What a company looks at first: its figures, and what waits for it. Reads alone, over all the rooms."""
