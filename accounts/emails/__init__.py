"""E-mails to people: written with the change that they tell of, and sent until the mail server takes them."""
