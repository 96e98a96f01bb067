"""A streaming replica of the server of the tests."""

import shutil
from pathlib import Path

from django.db import connection

from gateway.local.errors import LocalError
from gateway.local.postgres import SETTINGS, USER, Postgres


class Standby(Postgres):
    """Copied from the server of the tests, and kept up to date by it."""

    @property
    def socket_folder(self) -> str:
        return str(self.sockets)

    def complete(self) -> None:
        """It has what its primary has."""

    def command(self) -> list[str | Path]:
        return [*super().command(), "-c", "wal_receiver_status_interval=100ms"]

    def _make_cluster(self) -> None:
        primary = connection.get_connection_params()
        fresh = self.data.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        place = ["-h", str(primary["host"]), "-p", str(primary.get("port") or SETTINGS["port"]), "-U", USER]
        made = self._run("pg_basebackup", "-D", fresh, *place, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        if made.returncode:
            raise LocalError(f"pg_basebackup: {made.stderr.strip()}")
        fresh.rename(self.data)
