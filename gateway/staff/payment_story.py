"""The page of a payment in words: what happened to it, what it waits for, and what cannot be done."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils.html import format_html_join
from django.utils.translation import gettext as _

from accounts.base import clock
from gateway.payments.authorizations import is_withdrawn
from gateway.payments.by_hand import why_not_queried
from gateway.payments.expiry import why_not_expired
from gateway.payments.manual import awaits_staff
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.providers.asking import is_leased
from gateway.refunds.models import Refund
from gateway.staff.events_told import MOST, RESULTS, events_of
from gateway.staff.kit.columns import address, anchor, link, link_to_id, unbroken
from gateway.staff.kit.headline import Step, when
from gateway.suspense.models import SuspenseItem
from webhooks.models import Delivery


def waits(payment: Payment) -> Iterable[Any]:
    """Why nothing moves, and what a payer or a company can be told."""
    if payment.status in UNDECIDED:
        yield _open(payment)
        if payment.ask_at and payment.account:
            yield _("%(account)s is queried next at %(time)s.") % {
                "account": payment.account,
                "time": when(payment.ask_at),
            }
        if payment.expires_at:
            yield _("The payer's time ends at %(time)s.") % {"time": when(payment.expires_at)}
    elif payment.status in (Status.FAILED, Status.EXPIRED):
        why = payment.failure_message or _("nothing arrived in the payer's time.")
        yield f"{payment.get_status_display()}: {why}"
        yield _("If the payer has a proof of payment, query the provider: money that came late is held in suspense.")
    else:
        yield from _undelivered(payment)
    for item in SuspenseItem.objects.filter(payment=payment)[:MOST]:
        yield format_html_join("", "{} {}", [(_("Money meant for it is in suspense:"), link(item))])


def _open(payment: Payment) -> str:
    account = {"account": payment.account}
    said = (
        (is_leased(payment), _("A process is querying the provider right now.")),
        (payment.unclear_since, _unclear(payment)),
        (
            awaits_staff(payment),
            _("%(account)s cannot be asked: staff record its outcome from the account's statement.") % account,
        ),
        (is_withdrawn(payment), _("It is being voided at the acquirer, and fails as soon as that is done.")),
        (
            payment.is_unanswered,
            _("The provider has not said yet how it can be paid. It is asked again."),
        ),
        (payment.status == Status.AUTHORIZED, _("The card is authorized: the money is to be captured.")),
        (payment.status == Status.ACTION_REQUIRED, _("The payer has to confirm the card, or it is being reviewed.")),
        (payment.account is None, _("The payer has not paid yet. In the sandbox its outcome is simulated.")),
        (True, _("The payer has not paid yet, as far as %(account)s has told.") % account),
    )
    return next(sentence for applies, sentence in said if applies)


def _unclear(payment: Payment) -> str:
    times = {"since": when(payment.unclear_since), "until": when(payment.certain_by)}
    if payment.certain_by:
        return _("The provider's answer is unclear since %(since)s, and certain by %(until)s.") % times
    return _("The provider's answer is unclear since %(since)s.") % times


def _undelivered(payment: Payment) -> Iterable[Any]:
    """A paid payment whose order still waits: most likely the company did not hear of it."""
    made = Delivery.objects.filter(event__object_id=payment.pk, event__type="payment.paid").select_related("endpoint")
    missed = [one for one in made[:MOST] if one.status != Delivery.Status.DELIVERED]
    if missed:
        yield _("It is paid, but not every endpoint was told. If the order still waits, send its events again.")
    for one in missed:
        told = RESULTS[Delivery.Status(one.status)]
        yield format_html_join("", "{}: {} ({})", [(link(one.endpoint), told, _reason(one))])
    if payment.paid_at and not made:
        yield _("It is paid, and no endpoint was subscribed to payment.paid: the company has to look the payment up.")


def _reason(delivery: Delivery) -> Any:
    told = delivery.error or (f"HTTP {delivery.http_status}" if delivery.http_status else _("no attempt yet"))
    return anchor(address(Delivery, "change", delivery.pk), told)


def impossible(payment: Payment) -> Iterable[tuple[str, str]]:
    """Actions that are not offered, with the reason."""
    if why := why_not_queried(payment):
        yield _("Query the provider now"), why
    if payment.status in UNDECIDED and (why := why_not_expired(payment)):
        yield _("Expire it"), why


def steps(payment: Payment) -> list[Step]:
    """What happened, oldest first, and at the end what is planned."""
    order = _("Order %(reference)s") % {"reference": payment.reference}
    found = [(payment.created_at, _("Created"), order), *events_of(payment.pk), *_refunds(payment)]
    if payment.unclear_since:
        since = _("%(n)s since") % {"n": payment.unclear_asks}
        found.append((payment.unclear_since, _("Unclear answer of the provider"), since))
    happened = [Step(unbroken(when(at)), what, detail) for at, what, detail in sorted(found, key=lambda one: one[0])]
    return [*happened, *(Step(unbroken(when(at)), what, _("Planned")) for at, what in _ahead(payment))]


def _refunds(payment: Payment) -> Iterable[tuple[datetime, Any, Any]]:
    for refund in Refund.objects.filter(payment=payment).order_by("created_at")[:MOST]:
        yield refund.created_at, _("Refund requested"), link_to_id(refund.pk)
        if refund.completed_at:
            yield refund.completed_at, _("Refund completed"), link_to_id(refund.pk)


def _ahead(payment: Payment) -> Iterable[tuple[datetime, str]]:
    planned = (
        (payment.ask_at, _("Provider queried")),
        (payment.expires_at if payment.status in UNDECIDED else None, _("Payer's time ends")),
        (payment.release_at if payment.status == Status.PAID else None, _("Money released")),
    )
    now = clock.now(payment.merchant)
    return sorted((at, what) for at, what in planned if at and at > now)
