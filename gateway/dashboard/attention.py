"""Open items for members of a company, as sentences with links, most urgent first."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import second_factor, verification
from accounts.models import Company
from accounts.roles import May
from gateway.dashboard.context import RequestContext
from gateway.dashboard.support import address as support_address
from gateway.dashboard.templatetags.dashboard import coded
from gateway.dashboard.words import METHOD, STATUS
from gateway.overview.attention import Attention, attention
from gateway.refunds.inbox import Tab
from gateway.refunds.models import Status
from webhooks.models import Endpoint

URGENT, WARNING, NEWS = "red", "yellow", "azure"


@dataclass(frozen=True, slots=True)
class Note:
    """An open item. `when` is a deadline for urgent ones, else the time of the event."""

    color: str
    icon: str
    title: str | Promise
    address: str
    detail: str | Promise = ""
    when: datetime | None = None


def notes(here: RequestContext, *, with_steps: bool) -> list[Note]:
    """The items that this person may see. `with_steps`: the go-live steps are shown next to them."""
    found = attention(here.merchant)
    return [
        *_about_the_company(here),
        *_about_refunds(here, found),
        *(_about_webhooks(here, found) if here.may(May.READ_TECHNICAL) else ()),
        *(_about_money(here, found) if here.may(May.READ_MONEY) else ()),
        *(_about_boletos(here, found)),
        *(() if with_steps else _about_beginnings(here)),
    ]


def _about_the_company(here: RequestContext) -> Iterator[Note]:
    company, place = here.company, here.to("settings")
    if company.status in (Company.Status.SUSPENDED, Company.Status.CLOSED):
        where = support_address() or place
        yield Note(URGENT, "lock", _("The company cannot accept money at the moment"), where, _("Contact support."))
    if company.verification_note and here.may(May.MANAGE):
        title = _("Something is missing for your verification")
        yield Note(URGENT, "shield-check", title, here.to("verification"), company.verification_note)


def _about_refunds(here: RequestContext, found: Attention) -> Iterator[Note]:
    for refund in found.to_answer.first:
        amount = coded(refund.amount, refund.currency)
        title = _("A payer requested a refund of %(amount)s: answer in time") % {"amount": amount}
        detail = f"{METHOD[refund.payment.method]} · {refund.payment.reference}"
        place = here.to("refund", refund.pk)
        yield Note(URGENT, "receipt-refund", title, place, detail, refund.response_due_at)
    if more := found.to_answer.more:
        title = ngettext("%(n)s more is waiting for an answer", "%(n)s more are waiting for an answer", more) % {
            "n": more
        }
        yield Note(URGENT, "receipt-refund", title, f"{here.to('refunds')}?tab={Tab.WAITING}")
    for refund in found.short_of_money.first:
        short = coded(refund.shortfall, refund.wallet_currency)
        if refund.status == Status.COMPLETED:
            title = _("A bank took a payment back through MED: you owe %(amount)s") % {"amount": short}
        else:
            title = _("A refund is waiting for funds: %(amount)s more is needed") % {"amount": short}
        yield Note(WARNING, "receipt-refund", title, here.to("refund", refund.pk), refund.payment.reference)


def _about_webhooks(here: RequestContext, found: Attention) -> Iterator[Note]:
    for endpoint in found.endpoints.first:
        place = here.to("webhook", endpoint.pk)
        if endpoint.status == Endpoint.Status.DISABLED:
            yield Note(URGENT, "webhook", _("A webhook endpoint was disabled by us"), place, endpoint.url)
        else:
            title = _("A webhook endpoint is failing: deliveries do not arrive")
            yield Note(WARNING, "webhook", title, place, endpoint.url, endpoint.failing_since)


def _about_money(here: RequestContext, found: Attention) -> Iterator[Note]:
    for waiting in found.to_approve.first:
        title = _("A withdrawal of %(amount)s waits for approval") % {"amount": coded(waiting.amount, waiting.currency)}
        place = here.to("withdrawal", waiting.pk)
        yield Note(URGENT, "check", title, place, waiting.reference, waiting.approval_expires_at)
    if more := found.to_approve.more:
        title = ngettext("%(n)s more waits for approval", "%(n)s more wait for approval", more) % {"n": more}
        yield Note(URGENT, "check", title, here.to("approvals"))
    for withdrawal in found.came_back.first:
        amount, status = coded(withdrawal.amount, withdrawal.currency), STATUS[withdrawal.status][0]
        title = _("A withdrawal of %(amount)s did not arrive: %(status)s") % {"amount": amount, "status": status}
        place = here.to("withdrawal", withdrawal.pk)
        yield Note(WARNING, "arrow-up-right", title, place, withdrawal.failure_message or "", withdrawal.updated_at)
    for advance in found.decided.first:
        amount, status = coded(advance.net, advance.currency), STATUS[advance.state][0]
        title = _("An advance of %(amount)s was decided: %(status)s") % {"amount": amount, "status": status}
        yield Note(NEWS, "calendar-dollar", title, here.to("advance", advance.pk), when=advance.decided_at)
    for hold in found.blocked.first:
        title = _("%(amount)s is held by legal order") % {"amount": coded(hold.amount, hold.currency)}
        yield Note(WARNING, "lock", title, here.to("balance"), when=hold.created_at)


def _about_boletos(here: RequestContext, found: Attention) -> Iterator[Note]:
    if count := found.boletos.count:
        title = ngettext(
            "%(n)s boleto can be paid for only two more days", "%(n)s boletos can be paid for only two more days", count
        )
        place = f"{here.to('payments')}?method=BOLETO&status=PENDING"
        yield Note(NEWS, "clock", title % {"n": count}, place, when=found.boletos.first[0].expires_at)


def _about_beginnings(here: RequestContext) -> Iterator[Note]:
    company = here.company
    waits = company.status == Company.Status.PENDING_VERIFICATION and not verification.is_awaited(company)
    if waits and not company.verification_note and here.may(May.MANAGE):
        title = _("The company is not verified: production is closed")
        yield Note(WARNING, "shield-check", title, here.to("verification"))
    if not second_factor.is_set_up(here.user):
        detail = _("Without it you cannot move money or see keys.")
        yield Note(WARNING, "fingerprint", _("You have no second factor"), reverse("mfa_index"), detail)
