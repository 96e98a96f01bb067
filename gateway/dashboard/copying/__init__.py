"""What a company has in the sandbox, copied to production."""
