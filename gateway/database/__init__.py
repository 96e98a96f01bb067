"""The roles of PostgreSQL: one serves and owns nothing, one owns the tables and changes them, one makes both."""
