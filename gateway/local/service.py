"""Where the running local service can be found: `service.json` in the state folder."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from gateway.local import home, keys, processes


@dataclass(frozen=True)
class Service:
    """The addresses of a local service, and the process that keeps it up."""

    pid: int
    baseUrl: str  # noqa: N815  (the names of the file)
    databaseUrl: str  # noqa: N815
    brokerUrl: str  # noqa: N815
    cacheUrl: str  # noqa: N815
    migrationsUrl: str = ""  # noqa: N815
    adminUrl: str = ""  # noqa: N815

    def environment(self) -> dict[str, str]:
        """The environment variables with which a command uses this service."""
        found = {
            "ONPAY_LOCAL": "1",
            "ONPAY_BASE_URL": self.baseUrl,
            "DATABASE_URL": self.databaseUrl,
            "CELERY_BROKER_URL": self.brokerUrl,
            "ONPAY_CACHE_URL": self.cacheUrl,
            "ONPAY_MIGRATIONS_DATABASE_URL": self.migrationsUrl,
            "ONPAY_ADMIN_DATABASE_URL": self.adminUrl,
        }
        return {name: value for name, value in found.items() if value} | keys.of(home.folder())


def running() -> Service | None:
    """The local service of this state folder, if it is running; a stale file does not count."""
    with suppress(OSError, ValueError, TypeError):
        found = Service(**json.loads(_file().read_text()))
        if " gateway.local up " in processes.arguments(found.pid):
            return found
    return None


def announce(env: dict[str, str]) -> None:
    """Says that this process now serves."""
    found = Service(
        os.getpid(),
        env["ONPAY_BASE_URL"],
        env["DATABASE_URL"],
        env["CELERY_BROKER_URL"],
        env.get("ONPAY_CACHE_URL", ""),
        env.get("ONPAY_MIGRATIONS_DATABASE_URL", ""),
        env.get("ONPAY_ADMIN_DATABASE_URL", ""),
    )
    home.write(_file(), asdict(found))


def withdraw() -> None:
    """Takes the announcement back."""
    _file().unlink(missing_ok=True)


def _file() -> Path:
    return home.folder() / "service.json"
