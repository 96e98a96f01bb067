"""A withdrawal, the provider that pays it out, and processes that submit and query it, with the company's books."""

from copy import copy
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models.base import ModelState

from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.models import Merchant
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from gateway.withdrawals.models import Status, Withdrawal
from ledger.books.services import Move, Side, post_for_block, wallet
from ledger.chart import AccountKind
from tests.model.checker.machine import Asking, State
from tests.model.checker.ordered import (
    DECLINED,
    DONE,
    MAY_BE_PAID,
    NONE,
    RETURNED,
    SWEEP,
    TAKEN,
    TWICE,
    Ordered,
    options,
)
from tests.model.checker.outside import LOST, Script, every_way
from tests.model.checker.search import PEOPLE
from tests.model.checker.stage import DUE, HOUR, LATER, OVER, RUNNING, Stage, balances, moment, told
from tests.support.companies import Shop

R = PayoutResult
OPENING = 200_000
"""What the wallet holds at first."""
WHY = FailureCode.BANK_REJECTED.failure
BACK = FailureCode.RETURNED_BY_BANK.failure
_TOLD = {NONE: R.NOT_RECEIVED, TAKEN: R.SENT, DONE: R.DONE, DECLINED: R.DECLINED, RETURNED: R.RETURNED}


class Row(NamedTuple):
    status: str
    is_sent: bool = False
    ask: str = DUE
    lease: str = ""
    unclear: str = ""
    available: int = 0
    blocked: int = 0
    paid_out: int = 0


def _outcome(answered: PayoutResult) -> PayoutOutcome:
    return PayoutOutcome(answered, failure={R.DECLINED: WHY, R.RETURNED: BACK}.get(answered))


def _said(order: str) -> PayoutOutcome:
    return _outcome(_TOLD.get(order, R.UNKNOWN))


class _Rail:
    """A payout rail that asks the script; the rest of a rail is not needed once the destination is known."""

    is_by_batch = False

    def __init__(self, script: Any) -> None:
        self.script = script

    def send(self, order: Any, at: datetime) -> PayoutOutcome:
        found: PayoutOutcome = self.script("bank", "send", order.withdrawal_id)
        return found

    def ask(self, order: Any, at: datetime) -> PayoutOutcome:
        found: PayoutOutcome = self.script("bank", "ask", order.withdrawal_id)
        return found


class Withdrawals(Ordered):
    """The steps of a withdrawal with at most `processes` at once."""

    def __init__(self, stage: Stage, shop: Shop, processes: int = 3) -> None:
        super().__init__(stage, processes)
        Merchant.objects.filter(pk=self.merchant.pk).update(withdrawal_enabled=True)
        self.merchant.refresh_from_db()
        self.stored = self._accepted(shop)
        self.heard: dict[tuple[bool, str], tuple[Any, ...]] = {}

    def _accepted(self, shop: Shop) -> Withdrawal:
        """Of the sandbox, where a rail knows destinations; moved to real money before it is stored anywhere."""
        draft = WithdrawalDraft(
            shop.company.pk, "PIX", Decimal(904), "BRL", "BRL", "searched",
            {"pixKey": "maria@example.com", "pixKeyType": "EMAIL"}, Requester(), is_from_backend=False,
        )  # fmt: skip
        services = self.stage.code("gateway.withdrawals.services")
        with transaction.atomic():
            _fund(shop.sandbox, OPENING)
            made: Withdrawal = services.create(shop.sandbox, draft)
            transaction.set_rollback(True)
        made.merchant = self.merchant
        return made

    @property
    def first(self) -> State:
        total = self.stored.total
        row = Row(Status.PROCESSING, available=OPENING - total, blocked=total)
        return (self.rows(row), self.outs(NONE), 0)

    def _breaks(self, number: int, out: int) -> str | None:
        row, order = self.rows.values[number], self.outs.values[out]
        amount, total = self.stored.amount, self.stored.total
        books = {
            Status.PROCESSING: (OPENING - total, total, 0),
            Status.COMPLETED: (OPENING - total, 0, amount),
            Status.FAILED: (OPENING, 0, 0),
            Status.RETURNED: (OPENING - total + amount, 0, 0),
        }[Status(row.status)]
        claims = (
            ("sent twice", order == TWICE),
            ("FAILED while it was paid out or may be yet", row.status == "FAILED" and order in MAY_BE_PAID),
            ("COMPLETED that was not paid out", row.status == "COMPLETED" and order not in (DONE, RETURNED)),
            ("RETURNED that did not come back", row.status == "RETURNED" and order != RETURNED),
            ("the books are wrong", (row.available, row.blocked, row.paid_out) != books),
        )
        return next((claim for claim, holds in claims if holds), None)

    def _is_final(self, row: int) -> bool:
        return bool(self.rows.values[row].status != Status.PROCESSING)

    # ── what the production code does ─────────────────────────────────────────────────────────────────────────────
    def _laid(self, row: Row) -> Any:
        return self.stage.laid(self._withdrawal(row), books=(row.available, 0, row.blocked), paid_out=row.paid_out)

    def _withdrawal(self, row: Row) -> Withdrawal:
        now, made = utcnow(), copy(self.stored)
        made._state = ModelState()
        made.merchant, made.status = self.merchant, row.status
        made.account = self.stage.accounts[0]
        made.sent_at, made.sent_times = (now - HOUR, 1) if row.is_sent else (None, 0)
        made.ask_at, made.leased_until = moment(row.ask, now), moment(row.lease, now)
        self.stage.lay_unclear(made, row.unclear, now)
        made.completed_at = now if row.status in ("COMPLETED", "RETURNED") else None
        made.returned_at = now if row.status == "RETURNED" else None
        made.failure_code = WHY[0] if row.status == "FAILED" else None
        return made

    def _row(self) -> Row:
        now, made = utcnow(), self.stage.code("gateway.withdrawals.services").lock(self.merchant, self.stored.pk)
        held = balances(self.merchant)
        return Row(
            status=made.status,
            is_sent=made.sent_at is not None,
            ask=told(made.ask_at, now, DUE, LATER),
            lease=told(made.leased_until, now, OVER, RUNNING),
            unclear=self.stage.unclear(made, now),
            available=held["AVAILABLE"],
            blocked=held["BLOCKED"],
            paid_out=held["PAYOUT"],
        )

    def _begins(self, number: int) -> list[tuple[str, int, tuple[int, ...]]]:
        due, services = self.stage.code("gateway.withdrawals.due"), self.stage.code("gateway.withdrawals.services")
        with self._laid(self.rows.values[number]) as now:
            if not due.CALL_PROVIDER.first(self.merchant, now):
                return []
            later = due.CALL_PROVIDER.run(services.lock(self.merchant, self.stored.pk), now)
            assert later, "real money is paid out after the transaction"
            about = "send" if later.question.is_new else "ask"
            asking = self.processes.numbers(Asking(SWEEP, about))
            return [(f"{SWEEP}: is about to {about}", self.rows(self._row()), (asking,))]

    def _decides(self, row: int, truth: int) -> list[tuple[str, int]]:
        outcome = _outcome((R.DECLINED, R.DONE, R.RETURNED)[truth])
        services = self.stage.code("gateway.withdrawals.services")
        with self._laid(self.rows.values[row]):
            try:
                services.decide(self.merchant, self.stored.pk, outcome)
            except Refusal:
                return []
            return [(f"{PEOPLE} it was {outcome.answered}", self.rows(self._row()))]

    def _question(self, one: Asking, leased_until: datetime) -> Any:
        provider = self.stage.code("gateway.withdrawals.provider")
        return provider.Question(provider.order_of(self.stored), one.about == "send", leased_until)

    def _calls(self, number: int, out: int) -> list[tuple[str, int, int, int]]:
        one, before, now = self.processes[number], self.outs.values[out], [""]
        question = self._question(one, utcnow())

        def answer(user: str, what: str) -> list[Any]:
            found = options(one.about == "send", now[0], _said, LOST)
            return [(label, said, lambda then=then: now.__setitem__(0, then)) for label, then, said in found]

        def act(script: Script) -> PayoutOutcome:
            now[0] = before
            try:
                outcome: PayoutOutcome = question.call(_Rail(script), utcnow())
            except Exception:  # as `due` does
                return PayoutOutcome(R.UNKNOWN)
            return outcome

        found: dict[tuple[int, int, int], str] = {}
        for script, said in every_way(act, answer):
            after = self.processes.numbers(one._replace(heard=str(said.answered))), self.outs(now[0]), 0
            found.setdefault(after, f"{SWEEP}: {'; '.join(label for label, _ in script.told)}")
        return [(what, *after) for after, what in found.items()]

    def _takes(self, number: int, process: int) -> tuple[str, int, tuple[int, ...], int, bool, bool]:
        row, one = self.rows.values[number], self.processes[process]
        laid, what = self._withdrawal(row), f"{SWEEP}: takes {one.heard}"
        leased_until = laid.leased_until if one.is_own else utcnow() + 3 * HOUR
        provider, services = (
            self.stage.code("gateway.withdrawals.provider"),
            self.stage.code("gateway.withdrawals.services"),
        )
        with self._laid(row):
            locked = services.lock(self.merchant, self.stored.pk)
            outcome = _outcome(PayoutResult(one.heard))
            try:
                with transaction.atomic():
                    provider.take(locked, self._question(one, leased_until), outcome, clock.now(self.merchant))
            except (AssertionError, Refusal) as failed:
                return what, number, (), self.wrongs(f"production raises {failed!r}"), False, False
            after = self._row()
        return what, self.rows(after), (), 0, one.is_own or after.lease != row.lease, after.ask != row.ask


def _fund(merchant: Merchant, minor: int) -> None:
    source = Side(AccountKind.CLEARING, "PIX", "BRL")
    moves = [Move(minor, source, wallet(AccountKind.AVAILABLE, "BRL"))]
    post_for_block(merchant, "searched", "opening", moves, utcnow())
