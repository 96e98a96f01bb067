"""The log of requests, which a thread writes beside the transactions of tests."""

from contextlib import closing

from gateway.database.connections import separate_connection
from gateway.requests import log


def forget_requests() -> None:
    """Empties the log: what its thread wrote does not go away with a test's transaction."""
    log.close()
    with closing(separate_connection()) as own, own.cursor() as cursor:
        cursor.execute("DELETE FROM gateway_apirequest")
