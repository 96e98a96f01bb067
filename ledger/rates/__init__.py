"""Exchange rates: a published table in the sandbox, rows that are fetched or entered by staff in production."""
