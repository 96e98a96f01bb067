"""Reads back whether the time-outs protect the connections of the service, which a pooler may lose without a word."""

from contextlib import closing

import structlog
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, InterfaceError, OperationalError

from gateway.database.connections import separate_connection

log = structlog.get_logger()
_LIMITS = "SELECT name, setting::bigint, pg_backend_pid() FROM pg_settings WHERE name = ANY(%s)"
_POOLER = Error(
    "DATABASE_URL leads through a pooler, and ONPAY_DB_POOLER is not set.",
    hint="Set ONPAY_DB_POOLER=transaction, which suits session mode as well.",
    id="onpay.E026",
)


def stop_if_unprotected() -> None:
    """Raises ImproperlyConfigured if a time-out is missing. A database that is down stops nobody."""
    try:
        missing = unprotected()
    except (DatabaseError, InterfaceError) as error:
        log.warning("start.not_read_back", error=type(error).__name__)
        return
    if missing:
        raise ImproperlyConfigured("\n".join(map(str, missing)))


def unprotected() -> list[CheckMessage]:
    """What is missing on a connection of the service. Raises OperationalError while the database is down."""
    with closing(separate_connection()) as own:
        try:
            own.ensure_connection()
        except OperationalError as error:
            if "unsupported startup parameter" in str(error):
                return [_POOLER]
            raise
        with own.cursor() as cursor:
            cursor.execute(_LIMITS, [list(vars(settings.DATABASE_LIMITS))])
            found = cursor.fetchall()
            greeted_by = cursor.connection.info.backend_pid
    if not settings.DATABASE_POOLER and {process for *_, process in found} != {greeted_by}:  # it has its own numbers
        return [_POOLER]
    limits = vars(settings.DATABASE_LIMITS)
    return [
        Error(
            f"{name} is {in_force} ms on connections of the service, not {limits[name]} ms: nothing ends what waits.",
            hint="Run `manage.py prepare_database`, which sets it for the role, and start the pooler again.",
            id="onpay.E027",
        )
        for name, in_force, _ in found
        if not 0 < in_force <= limits[name]
    ]
