"""Carries a confirmed form out: once, even if the rail must be asked first and is unavailable.

The form's id is its idempotency key with the guarantees of contract §2.7: a double click creates one withdrawal, and
an interrupted form is resumed under the same id.
"""

from dataclasses import dataclass
from functools import partial

from accounts.base.client_address import client_address
from accounts.base.errors import Refusal
from gateway.dashboard.confirmed import NotDone, attempt, rolled_back_if_refused
from gateway.dashboard.context import RequestContext
from gateway.dashboard.withdrawals.forms import WithdrawalForm
from gateway.payouts.rail import PayoutOrder
from gateway.requests.idempotency import KeyedWork, Unfinished, perform
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from gateway.withdrawals.models import Withdrawal


@dataclass(frozen=True, slots=True)
class SentWithdrawal:
    """The withdrawal of a form; `is_repeated`: it already existed."""

    withdrawal_id: str
    is_repeated: bool


def send(here: RequestContext, form: WithdrawalForm) -> SentWithdrawal:
    """Creates the withdrawal of a valid form, or returns the one it created before. Raises NotDone."""
    sending = _Sending(here, form.draft(client_address(here.request), Requester.of_person(here.user)))
    try:
        stored = perform(attempt(here, form.given), sending.work())
    except Refusal as refusal:
        raise NotDone(refusal) from None
    return SentWithdrawal(stored.body.decode(), stored.replayed)


@dataclass(frozen=True, slots=True)
class _Sending:
    """The work of a form, in the steps of `perform`."""

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
        found = rolled_back_if_refused(partial(withdrawals.begin, merchant, self.draft, withdrawal_id))
        if not isinstance(found, PayoutOrder):
            return self._recorded(found)
        return Unfinished(
            found.withdrawal_id,
            ask=partial(withdrawals.admit, merchant, found, tries=tries),
            take=lambda _: self._create(found.withdrawal_id),
        )

    def _create(self, withdrawal_id: str) -> Withdrawal:
        merchant = self.here.merchant
        return self._recorded(rolled_back_if_refused(partial(withdrawals.create, merchant, self.draft, withdrawal_id)))

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
