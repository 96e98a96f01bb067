"""The page of a withdrawal in words: what holds it back, what happened to it, and who is asked when."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils.html import format_html
from django.utils.translation import gettext as _

from accounts.models import Environment
from gateway.payout_batches.files import way_of
from gateway.payout_batches.models import BatchOrder
from gateway.providers.asking import is_leased
from gateway.providers.models import ProviderAccount
from gateway.staff.events_told import events_of
from gateway.staff.kit.columns import link, unbroken
from gateway.staff.kit.headline import Step, when
from gateway.withdrawals.approvals.models import Approval
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal
from gateway.withdrawals.routing import rail_of_withdrawal


def waits(withdrawal: Withdrawal) -> Iterable[Any]:
    """What holds it back, the last refusal, and what is asked next."""
    if withdrawal.status == Status.PROCESSING:
        yield from _held_back(withdrawal)
        if withdrawal.ask_at:
            yield _next(withdrawal)
    if withdrawal.failure_code:
        yield _("Last refusal: %(message)s (%(code)s)") % {
            "message": withdrawal.get_failure_code_display(),
            "code": withdrawal.failure_code,
        }


def _next(withdrawal: Withdrawal) -> str:
    whom = str(withdrawal.account or _("the sandbox's simulator"))
    told = (
        _("Next: %(provider)s is asked what became of it at %(time)s.")
        if withdrawal.sent_at
        else _("Next: it is submitted to %(provider)s at %(time)s.")
    )
    return told % {"provider": whom, "time": when(withdrawal.ask_at)}


def _held_back(withdrawal: Withdrawal) -> Iterable[Any]:
    if withdrawal.approval == ApprovalState.PENDING:
        approved = {"given": withdrawal.approvals_given, "required": withdrawal.approvals_required}
        yield _("The company's rules hold it back: %(given)s of %(required)s people have approved it.") % approved
        until = {"time": when(withdrawal.approval_expires_at)}
        yield (
            _("Owners and those whom the rules name are asked until %(time)s; then it fails, and the money is back.")
            % until
        )
        return
    if withdrawal.queued_at and not withdrawal.sent_at:
        yield from _queued(withdrawal)
    elif withdrawal.sent_at is None:
        yield _unsent(withdrawal)
    elif withdrawal.unclear_since:
        yield _unclear(withdrawal)
    else:
        yield _("It was handed over at %(time)s, and its bank has not said yet what became of it.") % {
            "time": when(withdrawal.sent_at)
        }
    if is_leased(withdrawal):
        yield _("A process is calling the provider right now.")


def _unclear(withdrawal: Withdrawal) -> str:
    times = {"since": when(withdrawal.unclear_since), "until": when(withdrawal.certain_by)}
    if withdrawal.certain_by:
        return (
            _("The provider's answer is unclear since %(since)s, certain by %(until)s. It is not sent again.") % times
        )
    return _("The provider's answer is unclear since %(since)s. It is not sent again.") % times


def _unsent(withdrawal: Withdrawal) -> str:
    merchant, account = withdrawal.merchant, withdrawal.account
    at = {"account": account}
    is_paused = account and account.status != ProviderAccount.Status.ACTIVE
    status = {"status": merchant.company.get_status_display().lower()}
    said = (
        (not merchant.is_operational, _("The company is %(status)s.") % status),
        (not merchant.withdrawal_enabled, _("Withdrawals of the company are disabled.")),
        (account is None and merchant.environment == Environment.PRODUCTION, _("No provider is connected to it.")),
        (is_paused, _("%(account)s is paused or closed.") % at),
        (account and account.is_taken_out, _("%(account)s is taken out, because too many orders failed there.") % at),
        (
            rail_of_withdrawal(withdrawal) is None,
            _("No route: %(account)s does not pay this rail and currency any more.") % at,
        ),
    )
    held = [sentence for applies, sentence in said if applies]
    if not held:
        return _("Approved and not submitted yet: the next run submits it.")
    return " ".join((_("Not submitted."), *held))


def _queued(withdrawal: Withdrawal) -> Iterable[Any]:
    order = BatchOrder.objects.filter(withdrawal=withdrawal, is_live=True).select_related("batch").first()
    if order:
        state = order.batch.get_state_display().lower()
        yield format_html(
            _("It is order {number} of {batch}: {state}."), number=order.number, batch=link(order.batch), state=state
        )
        return
    way = way_of(withdrawal.account) if withdrawal.account else None
    times = ", ".join(f"{one:%H:%M}" for one in way.cut_offs) if way else ""
    if way and times:
        yield _(
            "It is paid by file: gathered into a batch at the next cut-off of its bank (%(times)s, %(zone)s), which "
            "two people release."
        ) % {"times": times, "zone": way.zone}
    else:
        yield _("It is paid by file: gathered into a batch by staff, which two people release.")


def steps(withdrawal: Withdrawal) -> list[Step]:
    """What happened, oldest first, and at the end what is planned."""
    found: list[tuple[datetime, Any, Any]] = [
        (withdrawal.created_at, _("Accepted"), _("Reference %(reference)s") % {"reference": withdrawal.reference}),
        *_approvals(withdrawal),
        *events_of(withdrawal.pk),
    ]
    known = (
        (withdrawal.queued_at, _("Queued for a file, or for people"), ""),
        (withdrawal.sent_at, _("Submitted to the provider"), f"{withdrawal.sent_times} ×"),
        (
            withdrawal.unclear_since,
            _("Unclear answer of the provider"),
            _("%(n)s since") % {"n": withdrawal.unclear_asks},
        ),
    )
    found += [(at, what, detail) for at, what, detail in known if at]
    happened = [Step(unbroken(when(at)), what, detail) for at, what, detail in sorted(found, key=lambda one: one[0])]
    if withdrawal.ask_at is None:
        return happened
    return [*happened, Step(unbroken(when(withdrawal.ask_at)), _("Provider asked"), _("Planned"))]


def _approvals(withdrawal: Withdrawal) -> Iterable[tuple[datetime, Any, Any]]:
    for one in Approval.objects.filter(withdrawal=withdrawal).select_related("person", "key"):
        decided = _("%(decision)s by the company") % {"decision": one.get_decision_display()}
        yield one.created_at, decided, str(one.person or one.key)
