"""The roles of PostgreSQL: a service role without ownership, the owner of the tables, and the administrator of both."""
