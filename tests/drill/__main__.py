"""`make drill`: a backup, a lost primary, a restore to a random moment, and what the outside did after it.

SEED= repeats a run as far as chance is concerned, SHORT=1 takes a few seconds of load.
"""

import logging
import os
import random
import shutil
import sys
import time
from collections import Counter
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import django

from gateway.local import home, processes, stores
from gateway.local.errors import LocalError
from gateway.local.postgres import another
from tests.drill.cluster import ArchivingPostgres

if TYPE_CHECKING:
    from tests.drill.world import Wish, World

DATABASE = "onpay_drill"
SHORT = bool(os.environ.get("SHORT"))
BEFORE_S, LONGEST_S = (3, 8) if SHORT else (20, 60)
ARCHIVED_FOR = timedelta(seconds=2)
FIRST_AFTER = timedelta(seconds=1)
"""pgBackRest keeps the end of a backup in whole seconds, and restores to none in the same second."""


def main() -> None:
    missing = "pgbackrest" if shutil.which("pgbackrest") is None else "postgresql-15" if another() is None else ""
    if missing:
        print(f"No drill of a restore: apt-get install {missing}")
        return
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    place, held = home.claim("drill")
    shutil.rmtree(place / "postgres", ignore_errors=True)
    server = ArchivingPostgres(place / "postgres", durable=True)
    with held:
        try:
            server.start()
            _set_up(server)
            print(f"drill of a restore, seed {seed}, state in {place}")
            _drill(server, random.Random(seed), seed)
        finally:
            server.stop()


def _set_up(server: ArchivingPostgres) -> None:
    os.environ.update(stores.environment(server.folder.parent, [server]))
    os.environ.update(
        DATABASE_URL=server.url.replace("/onpay?", f"/{DATABASE}?"),
        DJANGO_SETTINGS_MODULE="gateway.settings",
        ONPAY_LOCAL="1",
        ONPAY_LOG_LEVEL="critical",
        ONPAY_RATE_LIMIT_ALL="100000000",
        ONPAY_RATE_LIMIT_PAYMENTS="100000000",
        ONPAY_RATE_LIMIT_REFUNDS="100000000",
    )
    django.setup()
    from django.conf import settings

    from gateway.celery import app
    from tests.support.database import copy_template

    settings.CACHES["default"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    settings.REQUEST_LOG_DAYS = 0
    settings.ALLOWED_HOSTS = ["*"]
    app.conf.task_always_eager = True
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    copy_template(DATABASE)


def _drill(server: ArchivingPostgres, chance: random.Random, seed: int) -> None:
    from django.core.management import call_command
    from django.db import connection

    from accounts.base.clock import utcnow
    from tests.drill.world import World
    from tests.support.receiver import listening
    from tests.support.stp.service import open_stp

    with open_stp() as stp, listening() as receiver:
        world = World(stp, receiver, seed)
        server.pgbackrest("stanza-create")
        with world.busy():
            time.sleep(BEFORE_S / 2)
            server.pgbackrest("backup", "--type=full")
            first = utcnow() + FIRST_AFTER
            time.sleep(BEFORE_S + chance.random() * (LONGEST_S - BEFORE_S))
            enough = first + ARCHIVED_FOR
            assert processes.wait_until(lambda: server.last_archived_at() > enough, 60), "PostgreSQL archives nothing"
            last = server.last_archived_at() - ARCHIVED_FOR
            server.lose()
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
        lost_at = utcnow()
        to = first + (last - first) * chance.random()
        sent, delivered = len(stp.books.sent), len(receiver.received)
        begun = time.monotonic()
        server.restore(to)
        took = time.monotonic() - begun
        print(f"lost at {lost_at:%H:%M:%S}, restored to {to:%H:%M:%S.%f} in {took:.0f} s\n")
        call_command("after_restore", f"--to={to.isoformat()}", "--note=the drill")
        _go_on(world, to, sent, delivered)


def _go_on(world: "World", to: datetime, sent: int, delivered: int) -> None:
    from django.core.management import call_command

    before = [wish for _, wish in world.wishes() if wish.acknowledged_at and wish.acknowledged_at <= to]
    after = [wish for _, wish in world.wishes() if wish.acknowledged_at and wish.acknowledged_at > to]
    known = {wish.key for company, wish in world.wishes() if company.knows(wish)}
    broken = [wish.id for wish in before if wish.key not in known]
    lost = [wish for wish in after if wish.key not in known]

    for company, wish in world.wishes():
        if wish.key not in known:
            wish.id = ""
            company.ask(wish)
    for _ in range(2):
        world.let_time_pass(1)
        world.hand_files_over()
    assert len(world.stp.books.sent) == sent, "something was sent before the orders were known"
    world.let_time_pass(11)
    call_command("know_orders", world.account.pk, "--note=the drill")
    world.compare_files()
    call_command("know_orders", world.by_file.pk, "--note=compared with the bank's files")
    for minutes in (2, 15, 60, 60, 240, 240):
        world.let_time_pass(minutes)
        world.hand_files_over()
    _report(world, before, lost, broken, delivered)
    call_command("verify_ledger")
    if broken:
        sys.exit(1)


def _report(world: "World", before: "list[Wish]", lost: "list[Wish]", broken: list[str], delivered: int) -> None:
    from gateway.suspense.models import SuspenseItem
    from gateway.withdrawals.models import Withdrawal
    from tests.support.tally import Count, keep

    payouts = [wish for _, wish in world.wishes() if wish.kind == "withdrawal"]
    sales = [wish for _, wish in world.wishes() if wish.kind == "payment" and wish.deposit]
    second = [wish.id for wish in payouts if world.orders(wish) > 1] + [
        one.id for one in sales if world.returns(one) > 1
    ]
    paid = Withdrawal.objects.filter(status="COMPLETED").values_list("pk", flat=True)
    unpaid = [wish.id for wish in payouts if wish.id in set(paid) and world.orders(wish) != 1]
    kinds = Counter(wish.kind for wish in lost)
    rows = [
        ("acknowledged before the moment", len(before), f"{len(broken)} missing"),
        ("acknowledged after it, and lost", len(lost), ", ".join(f"{n} {kind}s" for kind, n in sorted(kinds.items()))),
        ("of these withdrawals, made again", sum(wish.kind == "withdrawal" and bool(wish.id) for wish in lost), ""),
        ("money in suspense for people", SuspenseItem.objects.filter(state="HELD").count(), "of lost payments"),
        ("payouts and refunds ordered", len(world.stp.books.sent), f"and {len(world.files)} files"),
        ("paid a second time", len(second), "by the journals of STP and the bank"),
        ("said to be paid, and never ordered", len(unpaid), ""),
        ("webhooks before, and after", delivered, len(world.receiver.received) - delivered),
        ("broken", len(broken) + len(second) + len(unpaid), ""),
    ]
    keep(Count("acknowledged before the moment that was restored", len(before), 1, len(broken), len(second)))
    print("\n" + "\n".join(f"  {title:<36} {number:>6}  {more}" for title, number, more in rows))
    if second or unpaid:
        sys.exit(f"paid twice: {second}; never ordered: {unpaid}")


if __name__ == "__main__":
    try:
        main()
    except LocalError as problem:
        sys.exit(str(problem))
