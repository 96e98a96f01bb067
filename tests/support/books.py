"""The proof of the books after each test: every invariant in one function, which each connection plans once."""

from django.db import connection

from ledger.verify import all_invariants, verify

PROOF = """
    CREATE SCHEMA IF NOT EXISTS proof;
    CREATE OR REPLACE FUNCTION proof.broken() RETURNS SETOF text LANGUAGE plpgsql AS $proof$
    BEGIN RETURN QUERY {invariants}; END $proof$
"""


def prepare_the_proof() -> None:
    """Makes the function, once in each database."""
    asked = (
        f"SELECT '{known.number}'::text WHERE EXISTS ({query.on(cell='current_schema()')})"
        for known in all_invariants()
        for query in known.queries
    )
    with connection.cursor() as cursor:
        cursor.execute(PROOF.format(invariants=" UNION ALL ".join(asked)))


def violations() -> list[str]:
    """What is wrong with the books at the end of a test; constraints that were deferred are checked, too."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SELECT proof.broken()")
        broken = [number for (number,) in cursor.fetchall()]
    if not broken:
        return []
    return [str(violation) for violation in verify()] or broken
