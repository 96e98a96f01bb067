"""The owner of the tables, as whom migrations run."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connections

from gateway.database.roles import grant

WHO = ("USER", "PASSWORD", "HOST", "PORT", "OPTIONS")


@contextmanager
def as_owner(alias: str) -> Iterator[None]:
    """Connects as the owner for a while, and grants the role that serves its part of what was made meanwhile.

    Where no owner is set, nothing is done: one role has it all.
    """
    owner, connection = settings.DATABASE_OWNER, connections[alias]
    if not owner:
        yield
        return
    serving = {name: connection.settings_dict[name] for name in WHO}
    _become(alias, {name: owner[name] for name in WHO})
    try:
        yield
        with connection.cursor() as cursor:
            grant(cursor, owner["USER"], serving["USER"])
    finally:
        _become(alias, serving)


def _become(alias: str, who: dict[str, object]) -> None:
    connection = connections[alias]
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    connection.settings_dict.update(who)
