"""Seals with the first encryption key what is still sealed with an older one, so that the older one can be dropped."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.base.sealing import fingerprints
from gateway import resealing


class Command(BaseCommand):
    help = (
        "Seals everything again that an older key of ONPAY_ENCRYPTION_KEYS opens, and tells how much is under each "
        "key. Run it while the service runs with all keys; run it again whenever it was stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--count", action="store_true", help="only count: change nothing")

    def handle(self, *args: Any, count: bool, **options: Any) -> None:
        keys = fingerprints()
        self.stdout.write(f"Keys, the first seals: {', '.join(keys)}")
        found = []
        for place in resealing.places():
            done = 0 if count else resealing.reseal(place)
            now = resealing.count(place)
            found.append(now)
            under = ", ".join(f"{now.under[n]} under {key}" for n, key in enumerate(keys) if now.under[n])
            rest = f"; {now.undecided} wait for a decision or a payout" if now.undecided else ""
            self.stdout.write(f"{place}: {under or 'nothing'}{f'; {done} sealed again' if done else ''}{rest}")
        lost = [f"{one.place} {', '.join(one.lost[:10])} ({len(one.lost)} rows)" for one in found if one.lost]
        if lost:
            raise CommandError("\n".join(["No key opens these. Add the key that is missing:", *lost]))
        older = sum(one.older for one in found)
        if older:
            raise CommandError(f"{older} rows are still under an older key: keep all keys, and run it again later.")
        self.stdout.write(self.style.SUCCESS(f"All is under {keys[0]}: older keys can be dropped."))
