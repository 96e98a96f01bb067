"""The machine-readable contract, made from the declarations that run (OpenAPI 3.1)."""
