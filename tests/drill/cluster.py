"""A PostgreSQL of its own that archives to a pgBackRest repository, as deploy/pgbackrest says. It can be lost."""

import os
import shutil
import signal
from collections.abc import Mapping
from configparser import ConfigParser
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from gateway.local import home, processes
from gateway.local.errors import LocalError
from gateway.local.postgres import PORT, USER, Postgres

DEPLOYED = home.CHECKOUT / "deploy" / "pgbackrest"
STANZA = "onpay"
ARCHIVED_AFTER_S = 1
"""In the drill, instead of the minute of archive.conf."""


class ArchivingPostgres(Postgres):
    """Everything that it needs to be restored from is in the repository."""

    @property
    def repository(self) -> Path:
        return self.place / "repository"

    @property
    def configuration(self) -> Path:
        return self.place / "pgbackrest.conf"

    def prepare(self) -> None:
        super().prepare()
        if not self.configuration.exists():
            self._configure()

    def command(self) -> list[str | Path]:
        options = _archiving() | {"archive_timeout": str(ARCHIVED_AFTER_S)}
        return [*super().command(), *(part for name, value in options.items() for part in ("-c", f"{name}={value}"))]

    def environment(self) -> Mapping[str, str]:
        return {**super().environment(), "PGBACKREST_CONFIG": str(self.configuration)}

    def pgbackrest(self, *words: str) -> None:
        """Raises LocalError with what it said."""
        done = processes.run(["pgbackrest", f"--stanza={STANZA}", *words], self.owner, self.environment())
        if done.returncode:
            raise LocalError(f"pgbackrest {' '.join(words)}: {done.stdout.strip()} {done.stderr.strip()}")

    def last_archived_at(self) -> datetime:
        """Before this moment everything is in the repository."""
        address = f"host={self.sockets} port={PORT} user={USER} dbname=postgres"
        with psycopg.connect(address, autocommit=True) as server:
            found = server.execute("SELECT coalesce(last_archived_time, 'epoch') FROM pg_stat_archiver").fetchone()
        assert found
        moment: datetime = found[0]
        return moment

    def lose(self) -> None:
        """The machine is gone, and its disk with it."""
        self.signal(signal.SIGQUIT)
        assert processes.wait_until(lambda: not self.alive(), 20), "PostgreSQL does not stop"
        shutil.rmtree(self.data)

    def restore(self, to: datetime) -> None:
        """Restores to this moment, as docs/operations.md says, and starts."""
        self.data.mkdir(mode=0o700)
        os.chown(self.data, *self.owner)
        moment = f"{to.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f+00}"
        self.pgbackrest("restore", "--type=time", f"--target={moment}", "--target-action=promote")
        self.start()
        assert processes.wait_until(self._is_primary, 60), f"PostgreSQL does not end its recovery: see {self.log}"

    def _is_primary(self) -> bool:
        asked = self._run(
            "psql", "-qAtX", "-h", self.sockets, "-p", PORT, "-U", USER, "-c", "SELECT pg_is_in_recovery()", "postgres"
        )
        return asked.stdout.strip() == "f"

    def _configure(self) -> None:
        made = ConfigParser()
        made.read(DEPLOYED / "pgbackrest.conf")
        own = {"repo1-path": self.repository, **{f"{one}-path": self.place / one for one in ("log", "lock", "spool")}}
        for name, folder in own.items():
            made["global"][name] = str(home.private(folder, self.owner))
        where = {"pg1-path": str(self.data), "pg1-socket-path": str(self.sockets)}
        made["onpay"].update(where | {"pg1-port": PORT, "pg1-user": USER})
        with self.configuration.open("w") as file:
            made.write(file, space_around_delimiters=False)
        os.chown(self.configuration, *self.owner)


def _archiving() -> dict[str, str]:
    lines = (DEPLOYED / "archive.conf").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name.strip(): value.strip().strip("'") for name, _, value in pairs}
