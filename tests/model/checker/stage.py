"""The database on which the production code takes one step at a time: rows are laid, the step runs, nothing stays."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import models, transaction
from django.db.models.base import ModelState

from accounts.base.clock import utcnow
from accounts.base.rows import execute, insert_into, values
from accounts.models import Merchant
from gateway.customers.payer import Payer
from gateway.payments import selectors
from gateway.payments import services as payments
from gateway.payments.failover import MAY_MOVE
from gateway.payments.models import FORMER, UNDECIDED, Payment
from gateway.providers.asking import Asked
from ledger.books.models import Balance
from ledger.books.services import Move, Side, post_for_block, wallet
from ledger.chart import BUCKETS, AccountKind
from tests.model.checker.code import Code
from tests.model.checker.outside import CODE, SESSION, OutsideRail
from tests.support.companies import Shop
from tests.support.production import live
from tests.support.scripted_provider import SCRIPT

PAYER = Payer(name="Maria Silva", tax_id="52998224725", tax_id_type="CPF")
USERS = ("a", "b")
HOUR = timedelta(hours=1)
DUE, LATER, RUNNING, HALF, OVER = "due", "later", "running", "half over", "over"

CERTAIN = {RUNNING: 24, HALF: 4, OVER: -1}
"""Hours until an outcome must be certain that has been unclear for ten."""
NEXT = {RUNNING: HALF, HALF: OVER}
CLEARING, PAYOUT = Side(AccountKind.CLEARING, "PIX", "BRL"), Side(AccountKind.PAYOUT, "PIX", "BRL")


class Row(NamedTuple):
    """What a payment's row says, times only as far as they matter."""

    status: str
    account: int = 0
    answered: bool = False
    instructed: bool = False
    asked: int = 1
    ask: str = ""
    lease: str = ""
    unclear: str = ""
    over: bool = False
    failing: bool = False
    captured: bool = False
    confirmed: bool = False
    may_move: bool = False
    moved: bool = False
    refunded: int = 0

    @property
    def is_final(self) -> bool:
        return self.status not in UNDECIDED


class Stage:
    """A company with real money, two institutions, and rows as a state of the search says."""

    def __init__(self, shop: Shop, code: Code | None = None, *, asked_most: int = 2, method: str = "PIX") -> None:
        self.code, self.merchant, self.asked_most = code or Code(), shop.production, asked_most
        self.accounts = live(shop, *USERS, method=method)
        self.details = SESSION if method == "CREDIT_CARD" else CODE
        self.merchant.refresh_from_db()
        self.rails = [OutsideRail(user, method, "BRL") for user in USERS]
        with transaction.atomic():
            back = "https://shop.example/" if method == "CREDIT_CARD" else None
            request = payments.Request(method, Decimal(100), "BRL", "searched", PAYER, return_url=back)
            self.stored = payments.create(self.merchant, request)
            Payment.objects.filter(pk=self.stored.pk).delete()

    @contextmanager
    def laid(
        self, *rows: models.Model, books: tuple[int, int, int] = (0, 0, 0), paid_out: int = 0
    ) -> Iterator[datetime]:
        """These rows and balances are in the database; what happens to them is undone at the end."""
        moves = [
            Move(minor, CLEARING, wallet(kind, "BRL")) for kind, minor in zip(BUCKETS, books, strict=True) if minor
        ]
        moves += [Move(paid_out, CLEARING, PAYOUT)] if paid_out else []
        with transaction.atomic():
            for row in rows:
                execute(insert_into(type(row)), values(row))
            if moves:
                post_for_block(self.merchant, "searched", "laid", moves, utcnow())
            yield utcnow()
            transaction.set_rollback(True)

    def payment(self, row: Row) -> Payment:
        now, payment = utcnow(), copy(self.stored)
        payment._state = ModelState()
        payment.merchant, payment.account = self.merchant, self.accounts[row.account]
        payment.status, payment.answered, payment.asked_times = row.status, row.answered, row.asked
        payment.details = self._details(row)
        payment.refunded_amount = row.refunded
        payment.created_at = now - HOUR
        payment.expires_at = now - HOUR / 2 if row.over else now + 24 * HOUR
        payment.ask_at, payment.leased_until = moment(row.ask, now), moment(row.lease, now)
        self.lay_unclear(payment, row.unclear, now)
        payment.paid_at = now if row.status in ("PAID", "REFUNDED") else None
        payment.failure_code = "X" if row.status == "FAILED" or row.failing else None
        return payment

    def row(self) -> Row:
        """What the payment's row says now."""
        now, payment = utcnow(), selectors.get(self.merchant, self.stored.pk)
        if payment.status not in UNDECIDED:
            return Row(payment.status, self._number(payment), refunded=payment.refunded_amount)
        assert payment.expires_at
        return Row(
            status=payment.status,
            account=self._number(payment),
            answered=payment.answered,
            instructed=payment.is_instructed,
            asked=min(payment.asked_times, self.asked_most),
            ask=told(payment.ask_at, now, DUE, LATER),
            lease=told(payment.leased_until, now, OVER, RUNNING),
            unclear=self.unclear(payment, now),
            over=payment.expires_at <= now,
            failing=payment.failure_code is not None,
            captured="captured" in payment.details,
            confirmed="confirmed" in payment.details,
            may_move=payment.failure_code is not None and MAY_MOVE in payment.details,
            moved=FORMER in payment.details,
        )

    def _details(self, row: Row) -> dict[str, Any]:
        details = dict(self.details) if row.instructed else {}
        if row.captured:
            details["captured"] = ""
        if row.confirmed:
            details["confirmed"] = 1
        if row.may_move:
            details[MAY_MOVE] = True
        if row.moved:
            details[FORMER] = {"account": self.accounts[1 - row.account].pk, "reference": None, "details": {}}
        return details

    def lay_unclear(self, row: Asked, unclear: str, now: datetime) -> None:
        row.unclear_since = now - 10 * HOUR if unclear else None
        row.unclear_asks = 1 if unclear else 0
        row.certain_by = now + CERTAIN[unclear] * HOUR if unclear else None

    def unclear(self, row: Asked, now: datetime) -> str:
        """How far the resolution of an unclear outcome is."""
        asking = self.code("gateway.providers.asking")
        if row.certain_by is None or asking.is_overdue(row, now):
            return OVER if row.certain_by else ""
        return HALF if asking.half_time_is_over(row, now) else RUNNING

    def _number(self, payment: Payment) -> int:
        return [account.pk for account in self.accounts].index(payment.account_id)


def balances(merchant: Merchant) -> dict[str, int]:
    """What the accounts of the company's book hold in reais."""
    found = Balance.objects.filter(account__merchant=merchant).values_list("account__kind", "amount")
    return dict.fromkeys(AccountKind.values, 0) | dict(found)


def moment(when: str, now: datetime) -> datetime | None:
    """A time that is past, or far from it."""
    if not when:
        return None
    return now - HOUR / 4 if when in (DUE, OVER) else now + 12 * HOUR


def told(at: datetime | None, now: datetime, past: str, future: str) -> str:
    if at is None:
        return ""
    return past if at <= now else future


@contextmanager
def answering(answer: Any) -> Iterator[None]:
    """The institutions answer by this function meanwhile."""
    vars(SCRIPT)["answer"] = answer
    try:
        yield
    finally:
        del vars(SCRIPT)["answer"]
