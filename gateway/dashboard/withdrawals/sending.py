"""Carrying a confirmed form out: once, also where the rail must be asked first and is away.

The form's own id is its idempotency key, and what a key promises to a backend (contract §2.7) it promises here: a
double click is one withdrawal, and a form that was stopped half-way goes on where it was, under the same id.
"""

from dataclasses import dataclass
from functools import partial

from accounts.base.client_address import client_address
from accounts.base.errors import Refusal
from gateway.dashboard.confirmed import NotDone, attempt, unless_refused
from gateway.dashboard.context import RequestContext
from gateway.dashboard.withdrawals.forms import WithdrawalForm
from gateway.payouts.rail import PayoutOrder
from gateway.requests.idempotency import KeyedWork, Unfinished, perform
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.gates import WithdrawalDraft
from gateway.withdrawals.models import Withdrawal


@dataclass(frozen=True, slots=True)
class SentWithdrawal:
    """The withdrawal of a form; `is_repeated`: it had been made before."""

    withdrawal_id: str
    is_repeated: bool


def send(here: RequestContext, form: WithdrawalForm) -> SentWithdrawal:
    """Makes the withdrawal of a valid form, or tells which one it made before. Raises NotDone."""
    sending = _Sending(here, form.draft(client_address(here.request)))
    try:
        stored = perform(attempt(here, form.given), sending.work())
    except Refusal as refusal:
        raise NotDone(refusal) from None
    return SentWithdrawal(stored.body.decode(), stored.replayed)


@dataclass(frozen=True, slots=True)
class _Sending:
    """What is done for a form, in the steps that `perform` knows."""

    here: RequestContext
    draft: WithdrawalDraft

    def work(self) -> KeyedWork:
        return KeyedWork(
            begin=partial(self._begin, None, tries=1),
            resume=partial(self._begin, tries=2),
            render=lambda withdrawal: (201, withdrawal.id.encode()),
        )

    def _begin(self, withdrawal_id: str | None, *, tries: int) -> Withdrawal | Unfinished:
        merchant = self.here.merchant
        found = unless_refused(partial(withdrawals.begin, merchant, self.draft, withdrawal_id))
        if not isinstance(found, PayoutOrder):
            return self._recorded(found)
        return Unfinished(
            found.withdrawal_id,
            ask=partial(withdrawals.admit, merchant, found, tries=tries),
            take=lambda _: self._create(found.withdrawal_id),
        )

    def _create(self, withdrawal_id: str) -> Withdrawal:
        merchant = self.here.merchant
        return self._recorded(unless_refused(partial(withdrawals.create, merchant, self.draft, withdrawal_id)))

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
