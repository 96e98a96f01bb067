"""The owner of the tables, who runs migrations."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connections

from gateway.database.roles import grant

WHO = ("USER", "PASSWORD", "HOST", "PORT", "OPTIONS")


@contextmanager
def as_owner(alias: str) -> Iterator[None]:
    """Connects as the owner temporarily, and grants the service role access to new tables.

    Does nothing if no owner is set: one role has everything.
    """
    owner, connection = settings.DATABASE_OWNER, connections[alias]
    if not owner:
        yield
        return
    serving = {name: connection.settings_dict[name] for name in WHO}
    _connect_as(alias, {name: owner[name] for name in WHO})
    try:
        yield
        with connection.cursor() as cursor:
            grant(cursor, owner["USER"], serving["USER"])
    finally:
        _connect_as(alias, serving)


def _connect_as(alias: str, who: dict[str, object]) -> None:
    connection = connections[alias]
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    connection.settings_dict.update(who)
