"""What the payer's browser talks to when a card is typed."""
