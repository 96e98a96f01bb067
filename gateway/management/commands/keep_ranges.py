"""Makes the ranges of the days to come, drops what is older than its retention, and opens the gates of old moves."""

import signal
from threading import Event
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from accounts.base.ranges.briefly import Busy
from accounts.base.ranges.keeping import NotTheOwner
from accounts.cells import each_cell
from gateway.cells import gates
from gateway.database.owner import as_owner
from gateway.requests import retention as of_requests
from webhooks import retention as of_events

log = structlog.get_logger()
HOUR_S = 3600.0


class Command(BaseCommand):
    help = (
        "Drops events, deliveries and requests that are older than their retention, range by range, and makes the "
        "ranges of the days to come, connected as ONPAY_MIGRATIONS_DATABASE_URL says. Doing it again is harmless."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--every", type=float, metavar="HOURS", help="again and again, until it is stopped")

    def handle(self, *args: Any, every: float | None = None, **options: Any) -> None:
        if settings.DATABASE_POOLER and not settings.DATABASE_OWNER:
            raise CommandError("A pooler does not carry this: set ONPAY_MIGRATIONS_DATABASE_URL past it.")
        if every:
            self._stay(every * HOUR_S)
            return
        try:
            dropped = self._keep()
        except NotTheOwner as error:
            raise CommandError(f"{error} Set ONPAY_MIGRATIONS_DATABASE_URL. Nothing was changed.") from error
        except Busy as error:
            raise CommandError(
                f"{error} was in use each time, by a dump or a long transaction. Run it again."
            ) from error
        self.stdout.write(f"Dropped: {', '.join(dropped) or 'nothing'}.")

    def _stay(self, every_s: float) -> None:
        """What fails is tried again after an hour, or sooner."""
        stop = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        while not stop.is_set():
            pause = every_s
            try:
                self._keep()
            except (NotTheOwner, Busy, DatabaseError) as error:
                log.error("ranges.not_kept", error=type(error).__name__, reason=str(error))
                pause = min(every_s, HOUR_S)
            stop.wait(pause)

    def _keep(self) -> list[str]:
        with as_owner("default"):
            gates.open_old()
            return [name for _ in each_cell() for name in (*of_events.forget_old(), *of_requests.forget_old())]
