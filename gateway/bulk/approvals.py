"""Decisions of one person about all withdrawals of a file that wait for approval: each line has its own outcome."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum

from accounts.base import clock
from accounts.base.ids import new_id
from accounts.models import Merchant, User
from gateway.bulk import services
from gateway.bulk.errors import BulkFileChanged
from gateway.bulk.models import BulkFile, BulkLine, FileDecision, LineDecision, State
from gateway.withdrawals.approvals.errors import NoApprover, OwnApproval
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.approvals.models import Decision
from gateway.withdrawals.approvals.standing import may_approve
from gateway.withdrawals.models import ApprovalState, Withdrawal
from gateway.withdrawals.rules.selectors import in_force


@dataclass(frozen=True, slots=True)
class Undecided:
    """Withdrawals of a file that wait for a person. `digest` is of all of them, with what approvals are bound to."""

    withdrawals: Sequence[Withdrawal]
    digest: str

    @property
    def sums(self) -> list[tuple[str, int, int]]:
        """Currency, how many, and their amounts without fees."""
        amounts: dict[str, list[int]] = {}
        for one in self.withdrawals:
            amounts.setdefault(one.currency, []).append(one.amount)
        return [(currency, len(each), sum(each)) for currency, each in sorted(amounts.items())]

    @property
    def until(self) -> datetime | None:
        """When the first of them fails without approval."""
        return min((one.approval_expires_at for one in self.withdrawals if one.approval_expires_at), default=None)


def withdrawals_of(file: BulkFile) -> QuerySet[Withdrawal]:
    """The withdrawals that the file's lines made."""
    made = file.lines.filter(state=State.DONE).values("result_id")
    return Withdrawal.objects.filter(merchant=file.merchant_id, pk__in=made).defer("sealed_destination")


def undecided(file: BulkFile, person: User) -> Undecided:
    """What waits for approval and this person has not decided yet. Nothing while lines are still carried out."""
    found = list(_waiting_for(file, person).order_by("pk"))
    if not found:
        return Undecided((), "")
    what = [[one.pk, bytes(one.approval_digest or b"").hex(), one.amount, one.currency] for one in found]
    return Undecided(found, hashlib.sha256(json.dumps(what).encode()).hexdigest())


def sums_waiting_for(file: BulkFile, person: User) -> list[tuple[str, int, int]]:
    """The sums of `undecided`, without reading every withdrawal."""
    rows = _waiting_for(file, person).order_by("currency").values_list("currency")
    return list(rows.annotate(n=Count("pk"), amount=Sum("amount")))


def _waiting_for(file: BulkFile, person: User) -> QuerySet[Withdrawal]:
    if file.lines.filter(state=State.WAITING).exists():
        return Withdrawal.objects.none()
    begun = LineDecision.objects.filter(decision__file=file, decision__person=person, state=State.WAITING)
    waiting = withdrawals_of(file).filter(
        approval=ApprovalState.PENDING, approval_expires_at__gt=clock.now(file.merchant)
    )
    return waiting.exclude(approvals__person=person).exclude(pk__in=begun.values("line__result_id"))


def require_approver(known: Undecided, merchant: Merchant, person: User, decision: Decision) -> None:
    """Raises ONP403_APPROVER, and ONP403_OWN_APPROVAL for an approval: nothing of the file would be approved."""
    first, now = known.withdrawals[0], clock.now(merchant)
    if not may_approve(first, in_force(merchant), now, person_id=person.pk, key_id=None):
        raise NoApprover
    own = set(Requester.of_person(person).identities())
    if decision == Decision.APPROVE and all(own & set(one.asked_by) for one in known.withdrawals):
        raise OwnApproval


@transaction.atomic
def decide(
    merchant: Merchant, file_id: str, decision: Decision, *, by: User, shown: str, address: str | None
) -> FileDecision:
    """Lets the decision be carried out for every withdrawal that was shown, by the rules of a single one.

    `shown` is the digest of what the person saw. Raises ONP404_BULK_FILE, ONP409_BULK_FILE_CHANGED, and what
    `require_approver` raises.
    """
    file, now = services.lock(merchant, file_id), clock.now(merchant)
    file.merchant = merchant
    known = undecided(file, by)
    if not known.withdrawals or known.digest != shown:
        raise BulkFileChanged
    require_approver(known, merchant, by, decision)
    made = FileDecision.objects.create(
        merchant=merchant, file=file, decision=decision, person=by, address=address, decided_at=now, tell_at=now
    )
    ids = [one.pk for one in known.withdrawals]
    lines = BulkLine.objects.filter(file=file, result_id__in=ids).order_by("row").values_list("pk", flat=True)
    LineDecision.objects.bulk_create(
        [LineDecision(id=new_id("bldc"), merchant=merchant, decision=made, line_id=line, due_at=now) for line in lines],
        batch_size=1000,
    )
    return made


def decisions_of(file: BulkFile) -> QuerySet[FileDecision]:
    """With the numbers of lines that wait, were decided, and were refused, newest first."""
    counted: dict[str, Any] = {
        f"{state.lower()}_count": Count("lines", filter=Q(lines__state=state))
        for state in (State.WAITING, State.DONE, State.REFUSED)
    }
    counted |= {"line_count": Count("lines"), "finished_count": Count("lines", filter=~Q(lines__state=State.WAITING))}
    # People are in `public`: in a statement about a cell on a node Citus does not know their key, by which to group.
    return file.decisions.annotate(**counted).prefetch_related("person").order_by("-decided_at", "-pk")


def is_under_way(file: BulkFile) -> bool:
    """Whether a decision is still carried out."""
    return LineDecision.objects.filter(decision__file=file, state=State.WAITING).exists()


def refusals_of(lines: Sequence[BulkLine]) -> dict[str, LineDecision]:
    """Line → why it was not decided with the others, the last time somebody tried."""
    refused = LineDecision.objects.filter(line__in=lines, state=State.REFUSED).order_by("done_at", "pk")
    return {one.line_id: one for one in refused}


def waiting_files(merchant: Merchant) -> QuerySet[BulkFile]:
    """Files of which withdrawals may wait for approval, newest first."""
    return BulkFile.objects.filter(merchant=merchant, tell_at__isnull=False).order_by("-confirmed_at", "-pk")
