"""A merchant with a past moves: closed days, digests of what was proved and seals are right here and there."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.base import cells
from accounts.base.clock import utcnow
from accounts.base.rows import every, execute
from accounts.models import AuditEntry, Cell
from ledger.closings import replaced
from ledger.closings.models import ClosedDay, Seal
from ledger.closings.seals import seal_days
from ledger.closings.services import SLACK, close_days
from ledger.proofs.blocks import CONTENT
from ledger.proofs.models import ProvedBlock
from ledger.proofs.recent import verify_recent
from ledger.proofs.services import prove
from ledger.verify import verify
from tests.support.companies import Shop, a_shop
from tests.support.lives import ACMES, FIRST, GLOBEXES, Lives, moved

pytestmark = pytest.mark.a_third_a_day

DAY = timedelta(days=1)
ACCOUNTS = {"AVAILABLE": "PIX", "FEE_INCOME": "", "CLEARING": "PIX"}
_ACCOUNT = """
    INSERT INTO ledger_account (merchant_id, kind, method, currency) VALUES (%s, %s, %s, 'BRL') ON CONFLICT DO NOTHING
"""
_POST = """
    WITH posted AS (
        INSERT INTO ledger_transfer (merchant_id, kind, reference, entry_count, posted_at, created_at)
        VALUES (%(merchant)s, 'put.right', %(at)s::text, 3, %(at)s, %(at)s) RETURNING id
    )
    INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
    SELECT posted.id, row_number() OVER (), %(merchant)s, a.id, 'BRL', l.amount, 0, 0
      FROM posted, (VALUES ('CLEARING', -1000), ('AVAILABLE', 993), ('FEE_INCOME', 7)) l(kind, amount)
      JOIN ledger_account a ON a.merchant_id = %(merchant)s AND a.currency = 'BRL' AND a.kind = l.kind
"""
_ENDS = """
    SELECT day, environment, bucket, sum(amount) FROM ({}) every_cell
     GROUP BY 1, 2, 3 HAVING sum(amount) <> 0 ORDER BY 1, 2, 3
"""


def posted(shop: Shop, *days_ago: int) -> None:
    """Ten reais, of which seven cents are our fee, on each of these days."""
    merchant = shop.sandbox
    merchant.refresh_from_db()
    with cells.opened(merchant.cell_id or FIRST):
        for kind, method in ACCOUNTS.items():
            execute(_ACCOUNT, [merchant.pk, kind, method])
        for ago in days_ago:
            execute(_POST, {"merchant": merchant.pk, "at": midday() - ago * DAY})


def midday() -> datetime:
    """Of the first day that is not to be closed yet: of yesterday within an hour after midnight."""
    return (utcnow() - SLACK).replace(hour=12, minute=0, second=0, microsecond=0)


def proved(cell: str) -> None:
    with cells.opened(cell):
        assert verify_recent() == []


def closed(cell: str) -> None:
    with cells.opened(cell):
        close_days()


def ends() -> Any:
    """What all companies together had at the end of each day, over all cells."""
    names = ("public", ACMES, GLOBEXES)
    return every(_ENDS.format(" UNION ALL ".join(f"SELECT * FROM {name}.ledger_closedbalance" for name in names)))


def all_is_right() -> None:
    for name in (FIRST, ACMES, GLOBEXES):
        with cells.opened(name):
            assert verify() == [], name


def sealed(cell: str) -> list[date]:
    with cells.opened(cell):
        return list(Seal.objects.order_by("day").values_list("day", flat=True))


@pytest.fixture
def initech(lives: Lives) -> Shop:
    """Lives with acme."""
    Cell.objects.update(is_open=False)
    Cell.objects.filter(name=ACMES).update(is_open=True)
    return a_shop("Initech")


@pytest.fixture
def past(lives: Lives, initech: Shop) -> Lives:
    """Twelve days in acme's cell, five in globex's, proved, closed and sealed until yesterday."""
    posted(initech, *range(12, 0, -1))
    posted(lives.acme, 9, 8, 6, 3, 1)
    posted(lives.globex, 5, 4, 1)
    for cell in (ACMES, GLOBEXES):
        closed(cell)
        proved(cell)
        closed(cell)
    return lives


def test_both_cells_are_right_after_a_move_and_after_the_way_back(past: Lives) -> None:
    before = ends()
    assert [len(sealed(cell)) for cell in (ACMES, GLOBEXES)] == [12, 5]

    moved(past.acme, GLOBEXES)
    all_is_right()
    assert ends() == before
    assert [len(sealed(cell)) for cell in (ACMES, GLOBEXES)] == [12, 9]

    moved(past.acme, ACMES)
    all_is_right()
    assert ends() == before


def test_the_chain_is_another_one_from_the_first_day_on_and_the_audit_names_its_end(past: Lives) -> None:
    def chain(cell: str) -> dict[date, str]:
        with cells.opened(cell):
            return dict(Seal.objects.values_list("day", "digest"))

    was = {cell: chain(cell) for cell in (ACMES, GLOBEXES)}
    moved(past.acme, GLOBEXES)
    now = {cell: chain(cell) for cell in (ACMES, GLOBEXES)}

    first, last = (midday() - 9 * DAY).date(), (midday() - DAY).date()
    assert {day for day in was[ACMES] if was[ACMES][day] == now[ACMES][day]} == {first - n * DAY for n in (1, 2, 3)}
    entry = AuditEntry.objects.get(action="company.moved")
    assert entry.before == {"cell": ACMES, "seals": {cell: was[cell][last] for cell in was}}
    assert entry.after == {"cell": GLOBEXES, "seals": {cell: now[cell][last] for cell in now}}


def seals() -> list[str]:
    """Of all days of the three cells."""
    found: list[str] = []
    for cell in (FIRST, ACMES, GLOBEXES):
        with cells.opened(cell):
            found += Seal.objects.values_list("digest", flat=True)
    return found


def test_seals_that_somebody_kept_are_proved_after_each_move(past: Lives, initech: Shop, capsys: Any) -> None:
    kept = seals()
    assert len(kept) == 17
    for shop, cell in ((past.acme, GLOBEXES), (initech, GLOBEXES), (past.globex, ACMES), (past.acme, FIRST)):
        moved(shop, cell)
        all_is_right()
        assert set(kept) - set(seals()), "some are no longer in any chain"
        call_command("verify_ledger", *(f"--seal={one}" for one in kept))
        kept += seals()
    assert f"until {past.acme.company.pk} moved" in capsys.readouterr().out


CHANGED = """
    UPDATE {cell}.ledger_entry SET line = line + 10
     WHERE transfer_id = (SELECT min(id) FROM {cell}.ledger_transfer WHERE merchant_id = %s)
"""
TOLD_AGAIN = f"""
    UPDATE ledger_provedblock b SET digest = read.digest FROM ({CONTENT.format(blocks="ledger_provedblock")}) read
     WHERE (read.day, read.number) = (b.day, b.number)
"""


def test_a_kept_seal_fails_once_what_it_sealed_was_changed(past: Lives) -> None:
    with cells.opened(ACMES):
        days = list(Seal.objects.order_by("day").values_list("digest", flat=True))
    moved(past.acme, GLOBEXES)
    execute("SET LOCAL session_replication_role = replica")
    execute(CHANGED.format(cell=GLOBEXES), [past.acme.sandbox.pk])
    with cells.opened(GLOBEXES):  # as a superuser might
        execute(TOLD_AGAIN)
    execute("SET LOCAL session_replication_role = origin")
    assert replaced.find(days[2]) is None, "the days before the first transfer were not sealed again"
    for digest in (days[3], days[-1]):
        seal = replaced.find(digest)
        assert seal is not None and not replaced.is_right(seal)


def test_a_cell_without_a_past_gets_the_days_of_who_comes(past: Lives) -> None:
    before = ends()
    moved(past.acme, FIRST)
    all_is_right()
    assert ends() == before and len(sealed(FIRST)) == 9
    posted(past.acme, 0)
    proved(FIRST)
    all_is_right()


def test_what_is_posted_later_is_proved_closed_and_sealed_in_the_new_cell(past: Lives) -> None:
    posted(past.acme, 0)
    moved(past.acme, GLOBEXES)
    posted(past.globex, 0)
    for cell in (ACMES, GLOBEXES):
        proved(cell)
        with cells.opened(cell):
            assert (proof := prove()) is not None and proof.holds
    all_is_right()


def test_a_cell_that_is_not_sealed_as_far_leaves_the_rest_to_the_next_proof(lives: Lives, initech: Shop) -> None:
    posted(initech, *range(12, 0, -1))
    posted(lives.acme, 9, 3, 1)
    posted(lives.globex, 5, 1)
    closed(ACMES)
    proved(ACMES)
    closed(ACMES)
    closed(GLOBEXES)

    moved(lives.acme, GLOBEXES)

    all_is_right()
    assert sealed(GLOBEXES) == [(midday() - ago * DAY).date() for ago in range(9, 5, -1)]
    for cell in (ACMES, GLOBEXES):
        proved(cell)
        with cells.opened(cell):
            seal_days()
        assert sealed(cell)[-1] == (midday() - DAY).date()
    all_is_right()


def test_cells_that_are_not_closed_alike_are_left_alone(past: Lives) -> None:
    with cells.opened(GLOBEXES):
        posted(past.globex, 0)
    for model in (Seal, ClosedDay):
        with cells.opened(GLOBEXES):
            execute("SET LOCAL session_replication_role = replica")
            model.objects.filter(day=(midday() - DAY).date()).delete()
            execute("SET LOCAL session_replication_role = origin")
    before = [sealed(cell) for cell in (ACMES, GLOBEXES)]

    with pytest.raises(CommandError, match="not closed until the same day"):
        moved(past.acme, GLOBEXES)

    past.acme.sandbox.refresh_from_db()
    assert past.acme.sandbox.cell_id == ACMES
    assert [sealed(cell) for cell in (ACMES, GLOBEXES)] == before
    with cells.opened(ACMES):
        assert ProvedBlock.objects.count() > 0
