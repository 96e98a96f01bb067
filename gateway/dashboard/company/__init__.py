"""Pages about the company itself: its team, its settings, its verification, and what was done."""
