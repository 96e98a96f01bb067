"""Settlement reports of acquirers: read, matched with our payments, booked, and what differs."""
