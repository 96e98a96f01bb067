"""E-mails to people: written with the change they report, and retried until the mail server accepts them."""
