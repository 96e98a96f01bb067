"""Django's backend for PostgreSQL, with a pool that asks the server nothing before each request."""
