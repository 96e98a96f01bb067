"""Carrying a confirmed form out: once, also where the rail must be asked first and is away.

The form's own id is its idempotency key, and what a key promises to a backend (contract §2.7) it promises here: a
double click is one withdrawal, and a form that was stopped half-way goes on where it was, under the same id.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from accounts.errors import Refusal
from accounts.origin import client_address
from gateway.api.idempotency import Attempt, Unfinished, Work, fingerprint, perform
from gateway.dashboard.access import Here
from gateway.dashboard.withdrawals.forms import WithdrawalForm
from gateway.payouts.rail import Order
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.gates import Wish
from gateway.withdrawals.models import Withdrawal

R = TypeVar("R")


class NotSent(Exception):
    """A service refused. Nothing is kept of it, so that the same form can be sent again."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.public_code)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Sent:
    """The withdrawal of a form; `is_repeated`: it had been made before."""

    withdrawal_id: str
    is_repeated: bool


def send(here: Here, form: WithdrawalForm) -> Sent:
    """Makes the withdrawal of a valid form, or tells which one it made before. Raises NotSent."""
    sending = _Sending(here, form.wish(client_address(here.request)))
    try:
        stored = perform(_attempt(here, form), sending.work())
    except Refusal as refusal:
        raise NotSent(refusal) from None
    return Sent(stored.body.decode(), stored.replayed)


def _attempt(here: Here, form: WithdrawalForm) -> Attempt:
    content = {name: str(value) for name, value in form.given.items()}
    path, request_id = here.request.path, getattr(here.request, "request_id", "")
    once = str(form.given["once"])
    return Attempt(here.merchant, once, fingerprint("FORM", path, content), "FORM", path, request_id)


@dataclass(frozen=True, slots=True)
class _Sending:
    """What is done for a form, in the steps that `perform` knows."""

    here: Here
    wish: Wish

    def work(self) -> Work:
        return Work(
            begin=partial(self._begin, None, tries=1),
            resume=partial(self._begin, tries=2),
            render=lambda withdrawal: (201, withdrawal.id.encode()),
        )

    def _begin(self, withdrawal_id: str | None, *, tries: int) -> Withdrawal | Unfinished:
        merchant = self.here.merchant
        found = _unless_refused(partial(withdrawals.begin, merchant, self.wish, withdrawal_id))
        if not isinstance(found, Order):
            return self._recorded(found)
        return Unfinished(
            found.withdrawal_id,
            ask=partial(withdrawals.admit, merchant, found, tries=tries),
            take=lambda _: self._create(found.withdrawal_id),
        )

    def _create(self, withdrawal_id: str) -> Withdrawal:
        merchant = self.here.merchant
        return self._recorded(_unless_refused(partial(withdrawals.create, merchant, self.wish, withdrawal_id)))

    def _recorded(self, withdrawal: Withdrawal) -> Withdrawal:
        facts = {
            "rail": withdrawal.rail,
            "amount": str(withdrawal.amount_exact),
            "currency": withdrawal.currency,
            "destination": withdrawal.destination,
            "reference": withdrawal.reference,
        }
        self.here.record("withdrawal.asked", withdrawal.id, after=facts)
        return withdrawal


def _unless_refused(act: Callable[[], R]) -> R:
    """A backend's key keeps a refusal as its answer; a person corrects what was wrong and tries again."""
    try:
        return act()
    except Refusal as refusal:
        raise NotSent(refusal) from None
