"""The columns of the payment list: display and export."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from accounts.base.csv_export import CsvColumn as CsvColumn
from accounts.base.csv_export import timed
from gateway.dashboard.templatetags.dashboard import coded, icon, method, moment, status
from gateway.dashboard.templatetags.payments import shortened
from gateway.dashboard.words import METHOD, STATUS
from gateway.payments.models import Payment
from ledger.money import to_decimal

Show = Callable[[Payment], Any]


@dataclass(frozen=True, slots=True)
class PaymentColumn:
    """`show` renders the cell on the page; `cells` the exported values with their titles."""

    name: str
    title: Any
    show: Show
    cells: Sequence[CsvColumn[Payment]]
    is_amount: bool = False

    @property
    def place(self) -> str:
        """Where a row of two lines, on a phone, has it; empty: nowhere."""
        return PLACES.get(self.name, "")


def _text(name: str, title: Any, read: Show) -> PaymentColumn:
    return PaymentColumn(name, title, lambda payment: read(payment) or "–", [(title, read)])


def _time(name: str, title: Any, read: Show) -> PaymentColumn:
    return PaymentColumn(name, title, lambda payment: moment(read(payment)), [(timed(title), read)])


def _money(name: str, title: Any, read: Callable[[Payment], int], *more: CsvColumn[Payment]) -> PaymentColumn:
    def exact(payment: Payment) -> Any:
        return to_decimal(read(payment), payment.currency)

    return PaymentColumn(
        name, title, lambda payment: coded(read(payment), payment.currency), [(title, exact), *more], True
    )


def _status(payment: Payment) -> Any:
    shown = status(payment.status)
    if payment.status == "PAID" and payment.refunded_amount:
        return format_html('{} <span class="badge bg-azure-lt">{}</span>', shown, _("Partly refunded"))
    return shown


def _method(payment: Payment) -> Any:
    """The processed method; marked if another one was requested."""
    if payment.method == payment.requested_method:
        return method(payment.method)
    asked = _("%(method)s was requested") % {"method": method(payment.requested_method)}
    return format_html(
        '{} <span class="text-warning-emphasis" title="{}">{}<span class="visually-hidden">{}</span></span>',
        method(payment.method), asked, icon("alert-triangle"), asked,
    )  # fmt: skip


def _card(payment: Payment) -> str:
    known = payment.details.get("card")
    return f"{known['brand'].capitalize()} •••• {known['last4']}" if known else ""


def _due(payment: Payment) -> str:
    return date_format(payment.due_date, "SHORT_DATE_FORMAT") if payment.due_date else "–"


COLUMNS: tuple[PaymentColumn, ...] = (
    _time("created", _("Created"), lambda payment: payment.created_at),
    _money("amount", _("Amount"), lambda payment: payment.amount, (_("Currency"), lambda payment: payment.currency)),
    PaymentColumn("status", _("Status"), _status, [(_("Status"), lambda payment: STATUS[payment.status][0])]),
    PaymentColumn("method", _("Method"), _method, [
        (_("Method"), lambda payment: METHOD[payment.method]),
        (_("Requested method"), lambda payment: METHOD[payment.requested_method]),
    ]),
    PaymentColumn("due", _("Due date"), _due, [(_("Due date"), lambda payment: payment.due_date)]),
    _text("reference", _("Reference"), lambda payment: payment.reference),
    _text("payer", _("Payer"), lambda payment: payment.payer["name"]),
    _text("tax_id", _("Tax id"), lambda payment: payment.payer["taxId"]),
    _text("email", _("E-mail"), lambda payment: payment.payer["email"]),
    _text("card", _("Card"), _card),
    _money("fee", _("Fee"), lambda payment: payment.fee),
    _money("net", _("Net"), lambda payment: payment.net),
    _money("refunded", _("Refunded"), lambda payment: payment.refunded_amount),
    _time("paid", _("Paid"), lambda payment: payment.paid_at),
    _time("available", _("Available from"), lambda payment: payment.release_at),
    _text("failure", _("Failure"), lambda payment: payment.failure_code),
    _text("outside", _("Provider's id"), lambda payment: payment.rail_reference),
    PaymentColumn(
        "id", _("Payment"), lambda payment: shortened(payment.pk), [(_("Payment"), lambda payment: payment.pk)]
    ),
)  # fmt: skip
PLACES = {"payer": "main", "created": "sub", "amount": "main", "status": "aside"}
USUAL = ("created", "amount", "status", "method", "reference", "payer", "id")
