"""Errors of PostgreSQL after which the same request can succeed: nothing was done, and the cause passes."""

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError
from psycopg.errors import FeatureNotSupported

MOVING = "57M01"
"""Our own state: the merchant of the row moves to another cell, or has left this one (accounts/sql/moving.sql)."""
REASONS = {
    "08": "the connection broke, or a pooler ended it",
    "25006": "the server is a replica or was demoted: the new primary takes writes",
    "25P03": "the transaction was idle for too long",
    "25P04": "the transaction took too long",
    "26000": "a pooler gave a connection on which the statement is not prepared",
    "42P05": "a pooler gave a connection on which the statement is already prepared",
    "40": "transactions collided: a deadlock, or a serialization failure",
    "53": "the server lacks connections, memory or disk",
    "55P03": "a lock was not released in time",
    "57014": "the statement took too long",
    "57P01": "the server stops or restarts",
    "57P02": "the server restarts after a crash",
    "57P03": "the server starts",
    "57P05": "the session was idle for too long",
    MOVING: "the merchant moves to another cell",
    "58030": "the disk failed",
}
"""By SQLSTATE, or by its class: its first two characters."""
_NODE_LOST = (
    "failed to complete COPY",
    "failure on connection marked as essential",
    "server closed the connection unexpectedly",
    "SSL SYSCALL error",
    "postmaster was shut down",
)
"""What Citus says, without a state, of a node that is lost while rows are on their way to it, or in a transaction, and
of its own server that is lost meanwhile.
"""
_STALE = "RevalidateCachedQuery"
"""Where PostgreSQL refuses a prepared statement of which a migration has changed the types; its state is that of all
that is not supported.
"""


def is_retryable(error: BaseException) -> bool:
    """Also where no server named a state: none was reached, or the connection broke in the middle of an answer.

    Any other state means a bug, or wrong settings.
    """
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    cause = error.__cause__
    state: str | None = getattr(cause, "sqlstate", None)
    if state is None:
        return isinstance(error, OperationalError | InterfaceError | InternalError)
    if state in REASONS or state[:2] in REASONS or any(said in str(error) for said in _NODE_LOST):
        return True
    return isinstance(cause, FeatureNotSupported) and cause.diag.source_function == _STALE


def is_refused_by_move(error: BaseException | None) -> bool:
    """Whether a write was refused because its merchant moves, also where that error was answered with another one."""
    while error is not None:
        if getattr(error, "sqlstate", None) == MOVING:
            return True
        error = error.__cause__ or error.__context__
    return False
