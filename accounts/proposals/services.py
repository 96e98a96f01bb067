"""One person proposes, a second confirms; only then is the decision carried out."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.errors import OwnRequest
from accounts.models import Company, Membership, User
from accounts.proposals.errors import AlreadyProposed, OwnCompany, ProposalChanged, ProposalClosed
from accounts.proposals.kinds import KINDS, Carried, ProposalKind, Values
from accounts.proposals.models import Proposal

State = Proposal.State


@transaction.atomic
def put(request: HttpRequest, kind: ProposalKind, object_id: str, values: Values, note: str) -> Proposal | Carried:
    """Stores the decision for a second person, or carries it out if one person is enough.

    Raises ONP403_OWN_COMPANY, ONP409_PROPOSED, and what the kind raises.
    """
    assert isinstance(request.user, User)
    record = kind.hold(object_id)
    _require_uninvolved(request.user, kind, record)
    kind.require(record, values)
    if not kind.takes_two(record, values) and kind.allows_alone(record, values, request.user):
        kind.note_alone(record, values, request.user)
        return kind.carry_out(record, values, by=Actor.of(request), note=note)
    before = kind.before(record)
    for standing in _open(kind, object_id):
        if standing.is_open and standing.before == before:
            raise AlreadyProposed
        if standing.is_open:
            _close(standing, State.OVERTAKEN)
        else:
            _expire(standing)
    made = _written(request.user, kind, object_id, record, values, before, note)
    _write_down(request, "proposal.made", made, note)
    return made


@transaction.atomic
def in_words(kind: ProposalKind, object_id: str, values: Values) -> list[tuple[str, str]]:
    """What the decision is about and what it changes, each with its label."""
    record = kind.hold(object_id)
    return [("About", str(record)), *kind.lines(record, values)]


@transaction.atomic
def confirm(request: HttpRequest, proposal_id: str, digest: str, note: str) -> Carried:
    """Carries out somebody else's proposal, if it still has this digest.

    Raises ONP409_PROPOSAL, ONP409_PROPOSAL_CHANGED, ONP403_OWN_REQUEST, ONP403_OWN_COMPANY, and what the kind raises.
    """
    assert isinstance(request.user, User)
    proposal, kind, record = _held(proposal_id, digest)
    if proposal.proposed_by_id == request.user.pk:
        raise OwnRequest
    _require_uninvolved(request.user, kind, record)
    values = proposal.values
    _close(proposal, State.CONFIRMED, by=request.user, note=note)
    return _carry_out(Actor.of(request), proposal, kind, record, values, note)


@transaction.atomic
def confirm_on_host(proposal_id: str, digest: str, note: str, *, os_user: str) -> Carried:
    """Confirms with a host command instead of a second person; the audit names both.

    Raises ONP409_PROPOSAL and ONP409_PROPOSAL_CHANGED, and what the kind raises.
    """
    proposal, kind, record = _held(proposal_id, digest)
    values = proposal.values
    _close(proposal, State.CONFIRMED, on_host_by=os_user, note=note)
    return _carry_out(audit.ON_HOST, proposal, kind, record, values, audit.note_on_host(note, "confirm_proposal"))


@transaction.atomic
def turn_down(request: HttpRequest, proposal_id: str, digest: str, note: str) -> Proposal:
    """Rejects this proposal, also one's own or an outdated one. Nothing moves.

    Raises ONP409_PROPOSAL, ONP409_PROPOSAL_CHANGED and ONP403_OWN_COMPANY.
    """
    assert isinstance(request.user, User)
    proposal, kind, record = _held(proposal_id, digest, overtaken=True)
    _require_uninvolved(request.user, kind, record)
    _close(proposal, State.TURNED_DOWN, by=request.user, note=note)
    _write_down(request, "proposal.turned_down", proposal, note)
    return proposal


def is_still_valid(proposal: Proposal) -> bool:
    """Whether it is pending and its record is unchanged."""
    kind = KINDS[proposal.kind]
    if not proposal.is_open:
        return False
    with transaction.atomic():
        return bool(kind.before(kind.hold(proposal.object_id)) == proposal.before)


def require_uninvolved(person: User, company_ids: Any, people_ids: Any = ()) -> None:
    """Raises ONP403_OWN_COMPANY for members of the companies concerned, in any role, and for the people concerned."""
    if person.pk in set(people_ids) or Membership.objects.filter(user=person, company__in=list(company_ids)).exists():
        raise OwnCompany


def _require_uninvolved(person: User, kind: ProposalKind, record: Any) -> None:
    require_uninvolved(person, kind.company_ids(record), kind.people_ids(record))


def _written(
    by: User, kind: ProposalKind, object_id: str, record: Any, values: Values, before: dict[str, Any], note: str
) -> Proposal:
    companies = list(kind.company_ids(record))
    made = Proposal(
        kind=kind.name,
        object_id=object_id,
        company=Company.objects.get(pk=companies[0]) if len(companies) == 1 else None,
        values=dict(values),
        before=before,
        note=note,
        proposed_by=by,
    )
    made.digest = made.content_digest()
    made.save(force_insert=True)
    return made


def _open(kind: ProposalKind, object_id: str) -> QuerySet[Proposal]:
    return Proposal.objects.filter(kind=kind.name, object_id=object_id, state=State.OPEN)


def _held(proposal_id: str, digest: str, *, overtaken: bool = False) -> tuple[Proposal, ProposalKind, Any]:
    """The open proposal and its record, both locked: the record first, as everywhere."""
    read = Proposal.objects.filter(pk=proposal_id).first()
    if read is None:
        raise ProposalClosed
    kind = KINDS[read.kind]
    record = kind.hold(read.object_id)
    proposal = Proposal.objects.select_for_update().get(pk=read.pk)
    if proposal.state != State.OPEN:
        raise ProposalClosed
    if digest != proposal.content_digest() or digest != proposal.digest:
        raise ProposalChanged
    if not overtaken and not (proposal.is_open and kind.before(record) == proposal.before):
        raise ProposalClosed
    return proposal, kind, record


def _carry_out(by: Actor, proposal: Proposal, kind: ProposalKind, record: Any, values: Values, note: str) -> Carried:
    kind.require(record, values)
    _write_down(by, "proposal.confirmed", proposal, note)
    return kind.carry_out(record, values, by=by, note=f"{proposal.note} / {note}"[:255])


def expire(most: int = 100) -> int:
    """Ends open proposals that nobody has confirmed in time; returns how many."""
    latest = utcnow() - timedelta(days=settings.PROPOSALS_EXPIRE_AFTER_DAYS)
    waiting = Proposal.objects.filter(state=State.OPEN, proposed_at__lte=latest)
    with transaction.atomic():
        found = list(waiting.select_for_update(of=("self",), skip_locked=True).order_by("proposed_at")[:most])
        for proposal in found:
            _expire(proposal)
    return len(found)


def _expire(proposal: Proposal) -> None:
    _close(proposal, State.EXPIRED)
    _write_down(audit.ON_HOST, "proposal.expired", proposal, "nobody confirmed it in time")


def _close(
    proposal: Proposal, state: Proposal.State, *, by: User | None = None, on_host_by: str = "", note: str = ""
) -> None:
    proposal.state, proposal.decided_by, proposal.decided_at = state, by, utcnow()
    proposal.decided_on_host_by, proposal.answer = on_host_by, note
    secrets = KINDS[proposal.kind].secrets
    proposal.values = {name: value for name, value in proposal.values.items() if name not in secrets}
    proposal.save(update_fields=["state", "values", "decided_by", "decided_at", "decided_on_host_by", "answer"])


def _write_down(by: Actor | HttpRequest, audit_action: str, proposal: Proposal, note: str) -> None:
    """Writes one audit entry. Its note names the proposal and is visible to staff only."""
    audit.record(
        by,
        audit_action,
        company=proposal.company,
        object_id=KINDS[proposal.kind].name_in_audit(proposal.object_id),
        after={"kind": proposal.kind},
        note=f"{proposal.pk}: {note}"[:500],
        by_staff=True,
    )
