"""A refund of a paid payment whose money is still a receivable, its provider, and processes, with the books."""

from copy import copy
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models.base import ModelState

from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from gateway.methods.rail import PaymentOutcome, PaymentResult, RefundOrder
from gateway.refunds.models import OPEN, Refund, Status
from ledger.receivables.models import OPEN as WAITING
from ledger.receivables.models import Receivable, State
from tests.model.checker.machine import Asking
from tests.model.checker.machine import State as Numbers
from tests.model.checker.ordered import DECLINED, DONE, MAY_BE_PAID, NONE, SWEEP, TWICE, Ordered, options
from tests.model.checker.outside import LOST, WHY, OutsideRail, Script, every_way, given
from tests.model.checker.search import PEOPLE
from tests.model.checker.stage import DUE, HOUR, LATER, OVER, RUNNING, Row, Stage, balances, moment, told

R = PaymentResult
OPENING, GROSS, FEE = 5_000, 10_000, 100
"""What the wallet holds without this payment, its amount, and its fee."""
_TOLD = {NONE: R.NOT_RECEIVED, DONE: R.DONE, DECLINED: R.DECLINED}


class RefundRow(NamedTuple):
    """`status` empty: there is no refund yet. Then the receivable, the payment's refunded amount, and the books."""

    status: str = ""
    is_sent: bool = False
    ask: str = ""
    lease: str = ""
    unclear: str = ""
    from_releasing: int = 0
    from_available: int = 0
    receivable: str = State.SCHEDULED
    left: int = GROSS - FEE
    is_due: bool = False
    refunded: int = 0
    available: int = OPENING
    releasing: int = GROSS - FEE
    blocked: int = 0


def _outcome(answered: PaymentResult) -> PaymentOutcome:
    return PaymentOutcome(answered, failure=WHY if answered == R.DECLINED else None)


def _said(order: str) -> PaymentOutcome:
    return _outcome(_TOLD.get(order, R.UNKNOWN))


class _Rail(OutsideRail):
    def __init__(self, script: Any) -> None:
        super().__init__("a", "PIX", "BRL")
        self.script = script

    def refund(self, order: RefundOrder, at: Any) -> PaymentOutcome:
        found: PaymentOutcome = self.script("bank", "send", order.refund_id)
        return found

    def ask_refund(self, order: RefundOrder, at: Any) -> PaymentOutcome:
        found: PaymentOutcome = self.script("bank", "ask", order.refund_id)
        return found


class Refunds(Ordered):
    """The steps of a refund of `amount` and of the payment's receivable, with at most `processes` at once."""

    returns = False

    def __init__(self, stage: Stage, amount: int = 4_000, processes: int = 3) -> None:
        super().__init__(stage, processes)
        self.amount = amount
        self.heard: dict[tuple[str, str], tuple[Any, ...]] = {}
        self.payment = stage.payment(Row("PAID", instructed=True))
        self.payment.settlement_days, self.payment.fee = 30, FEE
        self.payment.release_at = utcnow() + timedelta(days=30)
        with stage.laid(self.payment, books=(OPENING, GROSS - FEE, 0)):
            stage.code("gateway.payments.pricing").schedule(self.payment)
            self.waiting = Receivable.objects.get(payment_id=self.payment.pk)
            self.waiting.save()
            self.made: Refund = stage.code("gateway.refunds.services").create(
                self.merchant, self.payment.pk, amount=amount
            )

    @property
    def first(self) -> Numbers:
        return (self.rows(RefundRow()), self.outs(NONE), 0)

    def _times(self, number: int) -> list[tuple[str, int, bool]]:
        row = self.rows.values[number]
        found = super()._times(number)
        if not row.is_due and row.receivable in (*WAITING, State.CANCELED):
            found.append(("the receivable is due", self.rows(row._replace(is_due=True)), False))
        return found

    def _breaks(self, number: int, out: int) -> str | None:
        row, order = self.rows.values[number], self.outs.values[out]
        taken = self.amount if row.status in (*OPEN, Status.COMPLETED) else 0
        held = self.amount if row.status in OPEN else 0
        claims = (
            ("sent twice", order == TWICE),
            ("FAILED while it was paid out or may be yet", row.status == "FAILED" and order in MAY_BE_PAID),
            ("COMPLETED that was not paid out", row.status == "COMPLETED" and order != DONE),
            ("the books are wrong", row.available + row.releasing != OPENING + GROSS - FEE - taken),
            ("the books are wrong: what is blocked", row.blocked != held),
            ("the books are wrong: what waits", row.releasing != (row.left if row.receivable in WAITING else 0)),
            ("refunded more or less than completed", row.refunded != (taken if row.status == "COMPLETED" else 0)),
        )
        return next((claim for claim, holds in claims if holds), None)

    def _is_final(self, number: int) -> bool:
        row = self.rows.values[number]
        return row.status not in ("", *OPEN) and row.receivable not in WAITING

    # ── what the production code does ─────────────────────────────────────────────────────────────────────────────
    def _laid(self, row: RefundRow) -> Any:
        now = utcnow()
        payment, waiting = copy(self.payment), copy(self.waiting)
        payment._state, waiting._state = ModelState(), ModelState()
        payment.merchant = waiting.merchant = self.merchant
        payment.account = self.stage.accounts[0]
        payment.refunded_amount = row.refunded
        waiting.state, waiting.amount = row.receivable, row.left
        waiting.refunded_amount = GROSS - FEE - row.left
        waiting.release_at = now - HOUR if row.is_due else now + 30 * 24 * HOUR
        rows = [payment, waiting, *([self._refund(row)] if row.status else [])]
        return self.stage.laid(*rows, books=(row.available, row.releasing, row.blocked))

    def _refund(self, row: RefundRow) -> Refund:
        now, made = utcnow(), copy(self.made)
        made._state = ModelState()
        made.merchant, made.payment, made.account = self.merchant, self.payment, self.stage.accounts[0]
        made.status, made.sent_at = row.status, now - HOUR if row.is_sent else None
        made.ask_at, made.leased_until = moment(row.ask, now), moment(row.lease, now)
        made.from_releasing, made.from_available = row.from_releasing, row.from_available
        made.completed_at = now if row.status == Status.COMPLETED else None
        made.failure_code = WHY[0] if row.status == Status.FAILED else None
        self.stage.lay_unclear(made, row.unclear, now)
        return made

    def _row(self) -> RefundRow:
        now, held = utcnow(), balances(self.merchant)
        waiting = Receivable.objects.get(payment_id=self.payment.pk)
        payment = self.stage.code("gateway.payments.selectors").get(self.merchant, self.payment.pk)
        books = {
            "receivable": waiting.state, "left": waiting.amount, "is_due": waiting.release_at <= now,
            "refunded": payment.refunded_amount,
            "available": held["AVAILABLE"], "releasing": held["RELEASING"], "blocked": held["BLOCKED"],
        }  # fmt: skip
        made = Refund.objects.filter(payment_id=self.payment.pk).first()
        if made is None:
            return RefundRow(**books)
        return RefundRow(
            status=made.status,
            is_sent=made.sent_at is not None,
            ask=told(made.ask_at, now, DUE, LATER),
            lease=told(made.leased_until, now, OVER, RUNNING),
            unclear=self.stage.unclear(made, now),
            from_releasing=made.from_releasing,
            from_available=made.from_available,
            **books,
        )

    def _begins(self, number: int) -> list[tuple[str, int, tuple[int, ...]]]:
        row, found = self.rows.values[number], []
        begins = ((self._created, not row.status), (self._swept, row.ask == DUE), (self._released, row.is_due))
        for begin in (begin for begin, may_be in begins if may_be):
            with self._laid(row) as now:
                begun = begin(now)
                if begun is not None:
                    what, asking = begun
                    found.append((what, self.rows(self._row()), tuple(self.processes.numbers(one) for one in asking)))
        return found

    def _created(self, now: Any) -> tuple[str, list[Asking]] | None:
        try:
            self.stage.code("gateway.refunds.services").create(self.merchant, self.payment.pk, amount=self.amount)
        except Refusal:
            return None
        return "the company refunds it", []

    def _swept(self, now: Any) -> tuple[str, list[Asking]] | None:
        due, services = self.stage.code("gateway.refunds.due"), self.stage.code("gateway.refunds.services")
        if not due.ASK.first(self.merchant, now):
            return None
        later = due.ASK.run(services.lock(self.merchant, self.made.pk), now)
        if later is None:
            return f"{SWEEP}: does it at once", []
        about = "send" if later.args[-1].is_new else "ask"
        return f"{SWEEP}: is about to {about}", [Asking(SWEEP, about)]

    def _released(self, now: Any) -> tuple[str, list[Asking]] | None:
        due = self.stage.code("ledger.receivables.due")
        if not due.RELEASE.first(self.merchant, now):
            return None
        waiting = Receivable.objects.select_related("merchant__company").get(payment_id=self.payment.pk)
        due.RELEASE.run(waiting, now)
        return f"{SWEEP}: releases the receivable", []

    def _decides(self, row: int, truth: int) -> list[tuple[str, int]]:
        asked = self.stage.code("gateway.refunds.lifecycle").RefundAction
        services = self.stage.code("gateway.refunds.services")
        if not self.rows.values[row].status:
            return []
        with self._laid(self.rows.values[row]):
            try:
                services.decide(self.merchant, self.made.pk, asked.DONE if truth else asked.DECLINED)
            except Refusal:
                return []
            return [(f"{PEOPLE} it was {'done' if truth else 'declined'}", self.rows(self._row()))]

    def _question(self, one: Asking, leased_until: Any, script: Any) -> Any:
        questions, provider = self.stage.code("gateway.refunds.questions"), self.stage.code("gateway.refunds.provider")
        made = self._refund(RefundRow(Status.PROCESSING))
        is_new = one.about == "send"
        order = provider.order_of(made)
        return questions.Question(made.pk, self.merchant.pk, None, order, _Rail(script), is_new, leased_until, utcnow())

    def _calls(self, number: int, out: int) -> list[tuple[str, int, int, int]]:
        one, before, now = self.processes[number], self.outs.values[out], [""]

        def answer(user: str, what: str) -> list[Any]:
            found = options(one.about == "send", now[0], _said, LOST)
            return [(label, said, lambda then=then: now.__setitem__(0, then)) for label, then, said in found]

        def act(script: Script) -> Any:
            now[0] = before
            return self._question(one, utcnow(), script).put()

        found: dict[tuple[int, int, int], str] = {}
        for script, said in every_way(act, answer):
            self.heard.setdefault((one.about, str(said.answered)), tuple(told for _, told in script.told))
            after = self.processes.numbers(one._replace(heard=str(said.answered))), self.outs(now[0]), 0
            found.setdefault(after, f"{SWEEP}: {'; '.join(label for label, _ in script.told)}")
        return [(what, *after) for after, what in found.items()]

    def _takes(self, number: int, process: int) -> tuple[str, int, tuple[int, ...], int, bool, bool]:
        row, one = self.rows.values[number], self.processes[process]
        what, answers = f"{SWEEP}: takes {one.heard}", iter(self.heard[one.about, one.heard])
        with self._laid(row):
            laid = Refund.objects.get(pk=self.made.pk)
            leased_until = laid.leased_until if one.is_own else utcnow() + 3 * HOUR
            question = self._question(one, leased_until, lambda *_: given(next(answers)))
            try:
                with transaction.atomic():
                    self.stage.code("gateway.refunds.questions").ask_and_take(self.merchant, question)
            except (AssertionError, Refusal) as failed:
                return what, number, (), self.wrongs(f"production raises {failed!r}"), False, False
            after = self._row()
        return what, self.rows(after), (), 0, one.is_own or after.lease != row.lease, after.ask != row.ask
