"""What became of a real withdrawal that no outside party answers for: one of our staff says it, another confirms it."""

from django.db import transaction
from django.db.models import QuerySet

from accounts.clock import wall
from accounts.errors import OwnRequest
from accounts.models import Merchant, User
from gateway.payouts.rail import Outcome
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.errors import AlreadyProposed, NothingProposed, WithdrawalState
from gateway.withdrawals.lifecycle import may_be
from gateway.withdrawals.models import Proposal, Withdrawal
from gateway.withdrawals.services import MEANS


@transaction.atomic
def propose(merchant: Merchant, withdrawal_id: str, outcome: Outcome, *, by: User, note: str) -> Proposal:
    """Writes down what somebody knows. Nothing moves.

    Refuses with ONP404_WITHDRAWAL, ONP409_WITHDRAWAL_STATE and ONP409_WITHDRAWAL_PROPOSED.
    """
    withdrawal = withdrawals.lock(merchant, withdrawal_id)
    if not _fits(withdrawal, outcome):
        raise WithdrawalState
    if opened(withdrawal):
        raise AlreadyProposed
    for overtaken in _open(withdrawal):
        _close(overtaken, Proposal.State.OVERTAKEN, None)
    return Proposal.objects.create(
        withdrawal=withdrawal,
        answered=outcome.answered,
        reference=outcome.reference or "",
        failure_code=outcome.failure[0] if outcome.failure else "",
        note=note,
        proposed_by=by,
    )


@transaction.atomic
def confirm(merchant: Merchant, withdrawal_id: str, *, by: User, note: str) -> Withdrawal:
    """Lets it become what somebody else has said.

    Refuses with ONP404_WITHDRAWAL, ONP409_WITHDRAWAL_PROPOSAL, ONP403_OWN_REQUEST and ONP409_WITHDRAWAL_STATE.
    """
    proposal = _held(merchant, withdrawal_id)
    if proposal.proposed_by_id == by.pk:
        raise OwnRequest
    _close(proposal, Proposal.State.CONFIRMED, by)
    return withdrawals.decide(merchant, withdrawal_id, proposal.outcome, note=f"{proposal.note} / {note}"[:255])


@transaction.atomic
def turn_down(merchant: Merchant, withdrawal_id: str, *, by: User) -> Proposal:
    """Forgets what was said: also by whoever said it. Refuses with ONP404_WITHDRAWAL and ONP409_WITHDRAWAL_PROPOSAL."""
    return _close(_held(merchant, withdrawal_id), Proposal.State.TURNED_DOWN, by)


def opened(withdrawal: Withdrawal) -> Proposal | None:
    """What was said about it, can still become true, and waits for somebody else."""
    waiting = _open(withdrawal).select_related("proposed_by").first()
    return waiting if waiting and _fits(withdrawal, waiting.outcome) else None


def _fits(withdrawal: Withdrawal, outcome: Outcome) -> bool:
    return may_be(MEANS[outcome.answered], withdrawal)


def _open(withdrawal: Withdrawal) -> QuerySet[Proposal]:
    return Proposal.objects.filter(withdrawal=withdrawal, state=Proposal.State.OPEN)


def _held(merchant: Merchant, withdrawal_id: str) -> Proposal:
    """The one that waits, with its withdrawal held."""
    proposal = opened(withdrawals.lock(merchant, withdrawal_id))
    if proposal is None:
        raise NothingProposed
    return proposal


def _close(proposal: Proposal, state: Proposal.State, by: User | None) -> Proposal:
    proposal.state, proposal.decided_by, proposal.decided_at = state, by, wall()
    proposal.save(update_fields=["state", "decided_by", "decided_at"])
    return proposal
