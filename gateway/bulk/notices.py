"""E-mails about withdrawals from a bulk file: one for all of them, never one for each."""

from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.notices import notify
from accounts.roles import Role
from gateway.bulk.approvals import withdrawals_of
from gateway.bulk.models import BulkFile, FileDecision, State
from gateway.withdrawals.approvals import notices
from gateway.withdrawals.approvals.models import Decision
from gateway.withdrawals.models import ApprovalState, Withdrawal
from gateway.withdrawals.notices import READERS
from ledger.notation import in_market

NEW = "new"
"""The warning of a file that names rows of beneficiaries to whom money was never sent."""


def carried_out(file: BulkFile) -> None:
    """Asks those who can approve; if nothing waits, tells who can move money of new destinations."""
    made = withdrawals_of(file)
    waiting = made.filter(approval=ApprovalState.PENDING)
    new = file.lines.filter(state=State.DONE, row__in=file.warnings.get(NEW, ())).count()
    first = waiting.order_by("approval_expires_at").values_list("approval_expires_at", flat=True).first()
    if first:
        roles, also = notices.approvers(file.merchant)
        subject = _("a file of withdrawals waits for approval")
        _notify(file, subject, "waiting", waiting, {*roles, *READERS}, also=also, new=new, until=first)
    elif new:
        _notify(file, _("a file of withdrawals to new destinations"), "carried_out", made, READERS, new=new)


def expired(file: BulkFile) -> None:
    """Tells who can move money of withdrawals that nobody approved in time, if there are any."""
    late = withdrawals_of(file).filter(approval=ApprovalState.EXPIRED)
    if late.exists():
        _notify(file, _("withdrawals of a file were not approved in time"), "expired", late, READERS)


def decided(decision: FileDecision) -> None:
    """Tells of what one person approved (the owners) or rejected (all who can move money)."""
    is_approval = decision.decision == Decision.APPROVE
    lines = decision.lines.filter(state=State.DONE)
    done = withdrawals_of(decision.file).filter(pk__in=lines.values("line__result_id"))
    _notify(
        decision.file,
        _("withdrawals of a file were approved") if is_approval else _("withdrawals of a file were rejected"),
        "approved" if is_approval else "rejected",
        done,
        (Role.OWNER,) if is_approval else READERS,
        who=str(decision.person),
        missing=done.filter(approval=ApprovalState.PENDING).count(),
        refused=decision.lines.filter(state=State.REFUSED).count(),
    )


def _notify(
    file: BulkFile,
    subject: Promise,
    step: str,
    about: QuerySet[Withdrawal],
    roles: Collection[Role],
    *,
    also: Iterable[str] = (),
    **facts: Any,
) -> None:
    merchant = file.merchant
    summed = about.order_by("currency").values_list("currency").annotate(n=Count("pk"), amount=Sum("amount"))
    sums = list(summed)
    with in_market(merchant.company.country):
        notify(
            merchant.company,
            roles,
            subject,
            "bulk_file",
            "bulk_file_approval",
            args=(file.pk,),
            environment=merchant.environment,
            also=also,
            step=step,
            name=file.name,
            requesters=sorted({str(file.uploaded_by), str(file.confirmed_by)}),
            sums=sums,
            count=sum(n for _currency, n, _amount in sums),
            **facts,
        )
