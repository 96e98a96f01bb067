"""Withdrawals that wait for approval, and the decisions of people."""

from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Max, Sum
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.base.client_address import client_address
from accounts.roles import May
from gateway.bulk.approvals import sums_waiting_for, waiting_files
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.paging import page_of
from gateway.dashboard.withdrawals.list import destination
from gateway.dashboard.words import METHOD
from gateway.withdrawals import selectors
from gateway.withdrawals.approvals import services
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.approvals.models import Approval, Decision
from gateway.withdrawals.approvals.standing import may_approve
from gateway.withdrawals.beneficiaries import selectors as beneficiaries
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal
from gateway.withdrawals.rules.selectors import in_force
from ledger.money import to_decimal
from ledger.notation import written

SHOWN_FILES = 5


class DestinationHistory(NamedTuple):
    """What was withdrawn to the same account before: how often, how much in this wallet, when last."""

    times: int
    amount: int
    last: object
    name: str


def history_of(here: RequestContext, one: Withdrawal) -> DestinationHistory:
    """The history of the account, and its name in the book, if it is there."""
    earlier = Withdrawal.objects.filter(merchant=here.merchant, account_fingerprint=one.account_fingerprint)
    paid = earlier.filter(status=Status.COMPLETED, currency=one.currency).exclude(pk=one.pk)
    found = paid.aggregate(times=Count("pk"), amount=Sum("amount"), last=Max("completed_at"))
    known = beneficiaries.of_account(here.merchant, [bytes(one.account_fingerprint or b"")])
    return DestinationHistory(found["times"], found["amount"] or 0, found["last"], known.name if known else "")


def decisions_of(one: Withdrawal) -> list[Approval]:
    return list(one.approvals.select_related("person", "key").order_by("created_at", "pk"))


def may_decide(here: RequestContext, one: Withdrawal) -> bool:
    """Whether the rules count this person, whoever asked."""
    waits = one.approval == ApprovalState.PENDING
    return waits and may_approve(one, in_force(here.merchant), here.now, person_id=here.user.pk, key_id=None)


def _about(here: RequestContext, withdrawal_id: str) -> Facts:
    one = selectors.get(here.merchant, withdrawal_id)
    past = history_of(here, one)
    before = _("%(times)s times, %(amount)s in total") % {
        "times": past.times,
        "amount": _in_words(past.amount, one.currency),
    }
    return [
        (_("Withdrawal"), one.pk),
        (_("Amount"), _in_words(one.amount, one.currency)),
        (_("Method"), METHOD[one.rail]),
        (_("Destination"), destination(one)),
        (_("Beneficiary"), past.name or _("Not in the book")),
        (_("Paid to this account before"), before if past.times else _("Never")),
        (_("Reference"), one.reference),
    ]


def _in_words(minor: int, currency: str) -> str:
    return written(to_decimal(minor, currency), currency, coded=True)


@require_safe
@page_view(May.READ_MONEY)
def approvals(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Withdrawals that wait, newest first."""
    rows = selectors.waiting(here.merchant).defer("sealed_destination")
    files = [
        (file, sums)
        for file in waiting_files(here.merchant)[:SHOWN_FILES]
        if (sums := sums_waiting_for(file, here.user))
    ]
    return here.render("withdrawals/approvals.html", page=page_of(rows, request.GET), files=files)


@require_POST
@page_view(May.READ_MONEY, steps_up=action(gettext_lazy("Approve a withdrawal"), about=_about))
def approve(request: HttpRequest, here: RequestContext, withdrawal_id: str) -> HttpResponse:
    decided = _decide(here, withdrawal_id, Decision.APPROVE)
    if decided.approval == ApprovalState.APPROVED:
        return here.redirect("withdrawal", withdrawal_id, message=_("Approved. The withdrawal is being sent."))
    return here.redirect("withdrawal", withdrawal_id, message=_("Approved. It still waits for other people."))


@require_POST
@page_view(May.READ_MONEY, steps_up=action(gettext_lazy("Reject a withdrawal"), about=_about))
def reject(request: HttpRequest, here: RequestContext, withdrawal_id: str) -> HttpResponse:
    _decide(here, withdrawal_id, Decision.REJECT)
    return here.redirect("withdrawal", withdrawal_id, message=_("Rejected. The money is available again."))


def _decide(here: RequestContext, withdrawal_id: str, decision: Decision) -> Withdrawal:
    requester, origin = Requester.of_person(here.user), client_address(here.request)
    with transaction.atomic():
        decided = services.decide(here.merchant, withdrawal_id, decision, requester, origin=origin)
        what = "approved" if decision == Decision.APPROVE else "rejected"
        here.record(f"withdrawal.{what}", decided.pk, after={"given": decided.approvals_given})
    return decided
