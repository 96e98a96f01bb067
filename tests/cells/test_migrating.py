"""An installation on two nodes is migrated while its merchants sell."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.cells.nodes import ACMES, GLOBEXES, Nodes
from tests.support.backends import Backends
from tests.support.service import Service, are_charged_once

_COLUMNS = """
    SELECT count(*) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE attname = 'colour' AND relnamespace = %s::regnamespace AND starts_with(relname, 'gateway_payment')
"""
_FUNCTIONS = """
    SELECT proname, proconfig FROM pg_proc
     WHERE pronamespace = %s::regnamespace AND prorettype = 'trigger'::regtype
"""
_EACH_KIND = """
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from accounts.base import cells
from accounts.base.database_code import LoadSql, digest_of
from accounts.base.rows import execute, every
from gateway.cells.building import keep_alike, look_away
from gateway.database.migrating import BriefExecutor
from gateway.database.owner import as_owner

def note(apps, editor):
    execute("UPDATE gateway_payment SET colour = 7 WHERE colour IS NULL")

def loaded(path):
    return LoadSql(path, digest_of(path))

foreign = models.ForeignKey("accounts.merchant", models.PROTECT, related_name="+")
own = models.ForeignKey("gateway.payment", models.PROTECT, null=True, related_name="+")
fields = [("id", models.BigAutoField(primary_key=True)), ("merchant", foreign), ("payment", own)]
steps = [
    (True, [migrations.AddField("payment", "colour", models.PositiveIntegerField(null=True))]),
    (True, [migrations.CreateModel("Thing", fields)]),
    (False, [AddIndexConcurrently("payment", models.Index(fields=["colour"], name="payment_colour"))]),
    (True, [loaded(f"ledger/sql/{name}.sql") for name in ("zero_sum", "balances", "append_only", "post")]),
    (True, [loaded("webhooks/sql/order.sql"), loaded("gateway/sql/sales_days.sql")]),
    (True, [migrations.RunPython(note, hints={"in_cells": True})]),
]
with as_owner("default"):
    state = MigrationLoader(connection).project_state()
    for number, (atomic, operations) in enumerate(steps):
        made = type("Migration", (migrations.Migration,), {"operations": operations, "atomic": atomic})
        state = BriefExecutor(connection).apply_migration(state, made(f"9{number:03}_of_a_test", "gateway"))
    keep_alike()
numbers = []
for cell in ("", "cell_01", "cell_02"):
    with cells.opened(cell):
        (merchant,) = every("SELECT min(id) FROM accounts_merchant")[0]
        numbers += every("INSERT INTO gateway_thing (merchant_id) VALUES (%s) RETURNING id", [merchant])
        assert every("SELECT count(*) FROM gateway_payment WHERE colour = 7")[0][0] > 0, cell
print(*(number for number, in numbers))
"""


@contextmanager
def selling(service: Service, acmes: Service, globexes: Service, why: str) -> Iterator[list[Backends]]:
    """Merchants of the first cell and of two others, until the end. Nothing is lost or doubled."""
    each = [Backends(one, f"{why}{number}") for number, one in enumerate((service, acmes, globexes))]
    with ExitStack() as until:
        for one in each:
            until.enter_context(one.at_work(1))
        yield each
    for one, shop in zip(each, (service, acmes, globexes), strict=True):
        assert one.answers.keys() <= {200, 201, 503}, one.answers
        note = f"at most {one.longest_gap:.1f} s without an answer; {one.answers[503]} answered 503"
        are_charged_once(shop, f"migrated, {why}", one.prefix, one.made, faults=1, note=note)


def test_a_migration_is_loaded_while_merchants_sell(
    service: Service, acmes: Service, globexes: Service, nodes: Nodes
) -> None:
    """The last one that loads code, as if this were the version before it."""
    known = nodes.coordinator.run("SELECT name FROM django_migrations WHERE app = 'gateway' ORDER BY name DESC LIMIT 1")
    with selling(service, acmes, globexes, "loads") as all_of_them:
        nodes.coordinator.run("DELETE FROM django_migrations WHERE app = 'gateway' AND name = %s", known[0][0])
        done = service.manage("migrate")
        for one in all_of_them:
            one.back_after(time.monotonic())
    assert f"Applying gateway.{known[0][0]}... OK" in done
    service.manage("verify_ledger")


def test_each_kind_of_migration_reaches_the_nodes(
    service: Service, acmes: Service, globexes: Service, nodes: Nodes
) -> None:
    with selling(service, acmes, globexes, "changes") as all_of_them:
        for one in all_of_them:
            one.back_after(time.monotonic())
        numbers = service.manage("shell", "-v", "0", "-c", _EACH_KIND).split()
        for one in all_of_them:
            one.back_after(time.monotonic())
    assert numbers == ["1", "2", "3"]
    for cell in (ACMES, GLOBEXES):
        home = next(server for server in nodes.servers if server.port == nodes.home_of(cell))
        assert home.run(_COLUMNS, cell)[0][0] >= 2, "on the node there are the table and what stands for it"
        for name, settings in home.run(_FUNCTIONS, cell):
            assert f"search_path={cell}, public" in (settings or []), name
        assert home.run(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = %s::regclass", f"{cell}.payment_colour"
        ) == [(True,)]
    service.manage("verify_ledger")
