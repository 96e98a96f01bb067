"""The page of a withdrawal in words: what holds it back, what happened to it, and who is asked when."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils.html import format_html

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
            yield f"Next: {_asked(withdrawal)} at {when(withdrawal.ask_at)}."
    if withdrawal.failure_code:
        yield f"Last refusal: {withdrawal.failure_message} ({withdrawal.failure_code})"


def _asked(withdrawal: Withdrawal) -> str:
    whom = str(withdrawal.account or "the sandbox's simulator")
    return f"{whom} is asked what became of it" if withdrawal.sent_at else f"it is submitted to {whom}"


def _held_back(withdrawal: Withdrawal) -> Iterable[Any]:
    if withdrawal.approval == ApprovalState.PENDING:
        given, required = withdrawal.approvals_given, withdrawal.approvals_required
        yield f"The company's rules hold it back: {given} of {required} people have approved it."
        until = when(withdrawal.approval_expires_at)
        yield f"Owners and those whom the rules name are asked until {until}; then it fails, and the money is back."
        return
    if withdrawal.queued_at and not withdrawal.sent_at:
        yield from _queued(withdrawal)
    elif withdrawal.sent_at is None:
        yield _unsent(withdrawal)
    elif withdrawal.unclear_since:
        certain = f", certain by {when(withdrawal.certain_by)}" if withdrawal.certain_by else ""
        yield f"The provider's answer is unclear since {when(withdrawal.unclear_since)}{certain}. It is not sent again."
    else:
        yield f"It was handed over at {when(withdrawal.sent_at)}, and its bank has not said yet what became of it."
    if is_leased(withdrawal):
        yield "A process is calling the provider right now."


def _unsent(withdrawal: Withdrawal) -> str:
    merchant, account = withdrawal.merchant, withdrawal.account
    said = (
        (not merchant.is_operational, f"The company is {merchant.company.get_status_display().lower()}."),
        (not merchant.withdrawal_enabled, "Withdrawals of the company are disabled."),
        (account is None and merchant.environment == Environment.PRODUCTION, "No provider is connected to it."),
        (account and account.status != ProviderAccount.Status.ACTIVE, f"{account} is paused or closed."),
        (account and account.is_taken_out, f"{account} is taken out, because too many orders failed there."),
        (rail_of_withdrawal(withdrawal) is None, f"No route: {account} does not pay this rail and currency any more."),
    )
    held = [sentence for applies, sentence in said if applies]
    return f"Not submitted. {' '.join(held)}" if held else "Approved and not submitted yet: the next run submits it."


def _queued(withdrawal: Withdrawal) -> Iterable[Any]:
    order = BatchOrder.objects.filter(withdrawal=withdrawal, is_live=True).select_related("batch").first()
    if order:
        state = order.batch.get_state_display().lower()
        yield format_html("It is order {} of {}: {}.", order.number, link(order.batch), state)
        return
    way = way_of(withdrawal.account) if withdrawal.account else None
    times = ", ".join(f"{one:%H:%M}" for one in way.cut_offs) if way else ""
    gathered = f"at the next cut-off of its bank ({times}, {way.zone})" if way and times else "by staff"
    yield f"It is paid by file: gathered into a batch {gathered}, which two people release."


def steps(withdrawal: Withdrawal) -> list[Step]:
    """What happened, oldest first, and at the end what is planned."""
    found: list[tuple[datetime, Any, Any]] = [
        (withdrawal.created_at, "Accepted", f"Reference {withdrawal.reference}"),
        *_approvals(withdrawal),
        *events_of(withdrawal.pk),
    ]
    known = (
        (withdrawal.queued_at, "Queued for a file, or for people", ""),
        (withdrawal.sent_at, "Submitted to the provider", f"{withdrawal.sent_times} ×"),
        (withdrawal.unclear_since, "Unclear answer of the provider", f"{withdrawal.unclear_asks} since"),
    )
    found += [(at, what, detail) for at, what, detail in known if at]
    happened = [Step(unbroken(when(at)), what, detail) for at, what, detail in sorted(found, key=lambda one: one[0])]
    if withdrawal.ask_at is None:
        return happened
    return [*happened, Step(unbroken(when(withdrawal.ask_at)), "Provider asked", "Planned")]


def _approvals(withdrawal: Withdrawal) -> Iterable[tuple[datetime, Any, Any]]:
    for one in Approval.objects.filter(withdrawal=withdrawal).select_related("person", "key"):
        yield one.created_at, f"{one.get_decision_display()} by the company", str(one.person or one.key)
