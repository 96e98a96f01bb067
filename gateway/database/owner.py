"""The owner of the tables, who runs migrations, and the administrator of the server."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from django.conf import settings
from django.db import connections

from gateway.database.roles import grant

WHO = ("USER", "PASSWORD", "HOST", "PORT", "OPTIONS", "DISABLE_SERVER_SIDE_CURSORS")


@contextmanager
def as_owner(alias: str) -> Iterator[Callable[[], None]]:
    """Connects as the owner temporarily, and grants the service role access to new tables. Yields what grants it
    earlier, within the transaction that makes them.

    Does nothing if no owner is set: one role has everything.
    """
    owner = settings.DATABASE_OWNER
    with _as(alias, owner) as serving:

        def let_in() -> None:
            if owner:
                with connections[alias].cursor() as cursor:
                    grant(cursor, owner["USER"], str(serving["USER"]))

        yield let_in
        let_in()


@contextmanager
def as_admin(alias: str) -> Iterator[None]:
    """Connects as the role that made the roles temporarily. Does nothing if none is set."""
    with _as(alias, settings.DATABASE_ADMIN):
        yield


@contextmanager
def _as(alias: str, who: Mapping[str, object]) -> Iterator[dict[str, object]]:
    serving = {name: connections[alias].settings_dict[name] for name in WHO}
    if not who:
        yield serving
        return
    _connect_as(alias, {name: who[name] for name in WHO})
    try:
        yield serving
    finally:
        _connect_as(alias, serving)


def _connect_as(alias: str, who: dict[str, object]) -> None:
    connection = connections[alias]
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    connection.settings_dict.update(who)
