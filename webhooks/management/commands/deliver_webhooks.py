"""Delivers webhooks until stopped. Run as many as you like."""

import asyncio
import signal
from typing import Any

from django.core.management.base import BaseCommand

from accounts.base.garbage import spare_what_is_loaded
from webhooks.dispatch import Dispatcher, deliver_due


class Command(BaseCommand):
    help = "Delivers webhooks until it is stopped; with --once only what is due now."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--once", action="store_true", help="make one attempt for each due delivery, then exit")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        if once:
            self.stdout.write(f"{deliver_due()} attempts")
        else:
            spare_what_is_loaded()
            asyncio.run(self._run())

    async def _run(self) -> None:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        await Dispatcher().run(stop)
