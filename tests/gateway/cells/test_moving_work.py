"""What is under way while its company is moved is done once, where the company lives then or where it lives by then."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.http import HttpResponse

from accounts.base import cells, clock
from accounts.base.rows import every
from accounts.cells import cell_of, each_cell
from accounts.models import Merchant, StuckWork, User
from gateway.bulk.tasks import sweep_bulk_lines
from gateway.local.processes import wait_until
from gateway.months import calendar
from gateway.months import services as closing
from gateway.months.models import Month
from gateway.months.tasks import close_months
from gateway.payout_schedules.services import Plan, register
from gateway.payout_schedules.tasks import sweep_payout_schedules
from gateway.requests.log import RequestLog
from gateway.staff.kit.columns import address as page_of
from ledger.proofs.services import prove
from ledger.receivables import advances
from ledger.receivables.models import Advance
from ledger.receivables.tasks import sweep_receivables
from ledger.verify import verify
from tests.support.api import Api, another_address
from tests.support.bulk import TO, a_file
from tests.support.companies import Shop
from tests.support.lives import ACMES, FIRST, resting
from tests.support.moves import COPIES, ENDS, an_empty_cell, closing_connections, meanwhile, move, moving
from tests.support.payment_links import LinkPage, a_link
from tests.support.payments import a_payment
from tests.support.people import PASSWORD, a_member, browser_of, signed_in_twice
from tests.support.receivables import a_receivable, stand_at
from tests.support.requests import logged, unmade_request
from tests.support.threads import wait_for_waiters, waiters

pytestmark = pytest.mark.a_third_a_day

WITHDRAWN = "gateway_withdrawal"


@pytest.fixture(autouse=True)
def another_cell(transactional_db: None) -> Iterator[None]:
    with an_empty_cell():
        yield


@dataclass(frozen=True)
class Case:
    """Something that was begun. `goes_on` does what is due of it; `once` are rows that there are once it is done."""

    goes_on: Callable[[], object]
    once: dict[str, int]
    writes: str
    """A statement in the middle of it."""
    later: Callable[[], object] = lambda: None
    """What happens by itself before it goes on in another cell."""


def a_bulk_file(shop: Shop) -> Case:
    a_payment(shop.sandbox, "PAID", "1000.00")
    a_file(shop, 10, 20, 30, by=a_member(shop.company))
    done = {
        WITHDRAWN: 3,
        "gateway_bulkline WHERE state = 'DONE'": 3,
        "ledger_transfer WHERE kind LIKE 'withdrawal%'": 3,
    }
    return Case(sweep_bulk_lines, done, 'UPDATE "gateway_bulkline"')


def a_payout_schedule(shop: Shop) -> Case:
    a_payment(shop.sandbox, "PAID", "1000.00")
    register(shop.sandbox, Plan("BRL", "PIX", "DAILY", 6, destination=TO, keep=100_00), by=a_member(shop.company))
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=timedelta(days=2))
    return Case(sweep_payout_schedules, {WITHDRAWN: 1, "gateway_payoutrun": 1}, 'INSERT INTO "gateway_payoutrun"')


def receivables_to_release(shop: Shop) -> Case:
    last = [a_receivable(shop.sandbox) for _ in range(3)][-1]
    stand_at(shop.sandbox, last.release_at + timedelta(hours=1))
    return Case(
        sweep_receivables,
        {"ledger_receivable WHERE state = 'RELEASED'": 3, "ledger_receivable WHERE state = 'SCHEDULED'": 0},
        "UPDATE ledger_receivable",
    )


def a_month(shop: Shop) -> Case:
    a_payment(shop.sandbox, "PAID", "100.00")
    first = calendar.first_day(shop.sandbox, clock.now(shop.sandbox))
    ends = calendar.begin(shop.sandbox, calendar.following(first))
    stand_at(shop.sandbox, ends + timedelta(hours=12))
    closing.close(shop.sandbox, first, by=None)
    prove()
    sealed = {"gateway_month WHERE state = 'SEALED'": 1, "gateway_monthfile": 3, "gateway_monthpiece": 0}
    return Case(close_months, sealed, 'INSERT INTO "gateway_monthfile"', _later)


def _later() -> None:
    """The books of each cell are proved, and what a process had in hand that did not end it is due again."""
    for _ in each_cell():
        assert (proof := prove()) is not None and proof.holds
        Month.objects.filter(state="CLOSING").update(due_at=clock.utcnow())


CASES = (a_bulk_file, a_payout_schedule, receivables_to_release, a_month)


def counted(shop: Shop, rows: dict[str, int]) -> dict[str, int]:
    """In both cells together: what is left where the company was counts as well."""
    both = {home_of(shop), ACMES}
    return {name: sum(every(f"SELECT count(*) FROM {schema}.{name}")[0][0] for schema in both) for name in rows}


def home_of(shop: Shop) -> str:
    """Where the company was made."""
    return cells.current() or "public"


def is_done_once(shop: Shop, case: Case) -> None:
    """However often it is swept from now on, and nobody has to look after it."""
    shop.sandbox.refresh_from_db()
    assert shop.sandbox.cell_id == ACMES
    for _ in range(2):
        case.later()
        case.goes_on()
        assert counted(shop, case.once) == case.once
    assert every(f"SELECT count(*) FROM {home_of(shop)}.{WITHDRAWN}") == [(0,)]
    assert not StuckWork.objects.exists()
    for cell in (FIRST, ACMES):
        with cells.opened(cell):
            assert verify() == []


@pytest.mark.parametrize("begun", CASES)
def test_what_is_done_while_rows_are_copied_is_moved(acme: Shop, begun: Callable[[Shop], Case]) -> None:
    case = begun(acme)
    with moving(acme, COPIES):
        case.goes_on()
        assert counted(acme, case.once) == case.once
    is_done_once(acme, case)


@pytest.mark.parametrize("begun", CASES)
def test_what_comes_when_nobody_may_write_is_done_afterwards(acme: Shop, begun: Callable[[Shop], Case]) -> None:
    case = begun(acme)
    with moving(acme, ENDS):
        with meanwhile(case.goes_on) as work:
            work.result(60)
        assert not StuckWork.objects.exists()
    is_done_once(acme, case)


@pytest.mark.parametrize("begun", CASES)
def test_what_is_in_the_middle_when_the_move_comes_to_its_end_is_done_once(
    acme: Shop, begun: Callable[[Shop], Case]
) -> None:
    """The move waits for it, or it is refused and done afterwards."""
    case = begun(acme)
    with moving_at(case.writes, acme, wait_for_waiters):
        case.goes_on()
    is_done_once(acme, case)


@pytest.mark.parametrize("reads", ["SELECT created_at, id", "FROM ledger_entry", "sum(amount - fee - advance_fee)"])
def test_a_month_that_is_read_when_its_company_moves_is_sealed_once_and_alarms_nobody(
    acme: Shop, reads: str, capfd: pytest.CaptureFixture[str]
) -> None:
    case = a_month(acme)
    with moving_at(reads, acme, Future.result):
        case.goes_on()
    is_done_once(acme, case)
    assert '"critical"' not in capfd.readouterr().err


@contextmanager
def moving_at(statement: str, shop: Shop, then: Callable[..., object]) -> Iterator[None]:
    """The company is moved, beside, when the first statement with these words has been carried out here. `then` is
    waited for before the next one.
    """
    begun, moved = threading.Event(), Future[None]()

    def in_the_middle(execute: Any, sql: str, *given: Any) -> Any:
        answer = execute(sql, *given)
        if statement in sql and not begun.is_set():
            begun.set()
            then(*([moved] if then is Future.result else []))
        return answer

    def moves() -> None:
        assert begun.wait(20), "nobody came there"
        move(shop)
        moved.set_result(None)

    with meanwhile(moves) as done:
        with connection.execute_wrapper(in_the_middle):
            yield
        done.result(60)


@dataclass(frozen=True)
class Form:
    """Something that a person has before them. `sends` sends it; `once` are rows that there are once it is done."""

    sends: Callable[[], HttpResponse]
    once: dict[str, int]


def an_advance_to_approve(shop: Shop) -> Form:
    """By our staff."""
    asked = advances.request(shop.sandbox, [a_receivable(shop.sandbox).id], a_member(shop.company))
    browser = browser_of(User.objects.create_superuser("finance@onpay.example", PASSWORD))
    browser.raise_request_exception = False
    where = page_of(Advance, "change", asked.pk).replace("/change/", "/approve/")
    return Form(
        lambda: browser.post(where, {"note": "Known for years"}),
        {"ledger_advance WHERE state = 'APPROVED'": 1, "webhooks_event WHERE type = 'advance.approved'": 1},
    )


def a_payers_link(shop: Shop) -> Form:
    a_payment(shop.sandbox, "PAID")
    link = LinkPage(a_link(Api(shop.sandbox_key, another_address())))
    mark = str(uuid4())
    return Form(lambda: link.pay(once=mark), {"gateway_payment": 2})


def a_file_to_confirm(shop: Shop) -> Form:
    """Of withdrawals, by the company."""
    a_payment(shop.sandbox, "PAID", "1000.00")
    member = a_member(shop.company)
    file = a_file(shop, 10, 20, by=member, is_confirmed=False)
    browser = signed_in_twice(member)
    browser.raise_request_exception = False
    where = f"/dashboard/{shop.company.id}/sandbox/bulk/{file.pk}/"
    mark = browser.get(where).context["form"]["once"].value()
    return Form(
        lambda: browser.post(f"{where}confirm", {"once": mark}),
        {"gateway_bulkfile WHERE confirmed_at IS NOT NULL": 1, "gateway_bulkline WHERE due_at IS NOT NULL": 2},
    )


@pytest.mark.parametrize("opened", [an_advance_to_approve, a_payers_link, a_file_to_confirm])
@pytest.mark.parametrize("held_by", [COPIES, ENDS])
def test_a_form_that_meets_the_move_is_done_once(acme: Shop, opened: Callable[[Shop], Form], held_by: str) -> None:
    """Done at once, or answered that it can be sent again."""
    form = opened(acme)
    with ThreadPoolExecutor(1) as person:
        with moving(acme, held_by):
            sent = person.submit(closing_connections, form.sends)
            wait_until(lambda: sent.done() or waiters() > 1, 10)
        answer = sent.result(60)
    assert answer.status_code in (302, 303) or (answer.status_code, "Retry-After" in answer) == (503, True)
    if held_by == ENDS:
        assert answer.status_code == 503
    form.sends()
    form.sends()
    assert counted(acme, form.once) == form.once
    acme.sandbox.refresh_from_db()
    assert acme.sandbox.cell_id == ACMES
    for cell in (FIRST, ACMES):
        with cells.opened(cell):
            assert verify() == []


def test_a_request_of_before_the_move_is_logged_where_its_company_lives_and_holds_up_no_other(
    acme: Shop, globex: Shop
) -> None:
    queue, here = RequestLog(), cell_of(acme.sandbox)
    theirs = unmade_request(merchant_id=acme.sandbox.pk, cell=here)
    others = unmade_request(merchant_id=globex.sandbox.pk, cell=here)
    move(acme)

    with resting(ACMES):
        queue.add(theirs)
        queue.add(others)
        assert wait_until(lambda: logged(here) == [others.id], 20)
    assert wait_until(lambda: logged(ACMES) == [theirs.id], 20)
    assert logged(here) == [others.id]
    queue.close()
