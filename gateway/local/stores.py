"""The database and the broker: those that the environment names, embedded ones for the rest."""

import os
from pathlib import Path

from gateway.local import keys
from gateway.local.postgres import Postgres
from gateway.local.server import Server
from gateway.local.valkey import Valkey


def missing(place: Path, *, durable: bool) -> list[Server]:
    """The servers that have to be started here, because no address is set for them."""
    servers: list[Server] = []
    if not os.environ.get("DATABASE_URL"):
        servers.append(Postgres(place / "postgres", durable=durable))
    if not os.environ.get("CELERY_BROKER_URL"):
        servers.append(Valkey(place / "valkey", durable=durable))
    return servers


def environment(place: Path, servers: list[Server]) -> dict[str, str]:
    """Our environment with addresses and keys. What is set already stays as it is."""
    found = keys.of(place)
    for server in servers:
        found |= server.variables()
    return found | {name: value for name, value in os.environ.items() if value or name not in found}


def roles(servers: list[Server]) -> dict[str, str]:
    """The addresses of a service that owns no table, where the database is ours."""
    return {name: url for server in servers if isinstance(server, Postgres) for name, url in server.roles().items()}
