"""What a payer sees of a payment link: its page, and the page of a payment made there."""
