"""A row of a file as a refund."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.base import clock
from accounts.models import Merchant
from gateway.bulk.orders import RefundOrder
from gateway.bulk.services import Line
from gateway.dashboard.bulk.columns import REFUNDS, columns_of
from gateway.dashboard.bulk.rows import CellFault, Entry
from gateway.dashboard.refusals import in_words
from gateway.methods.registry import Method
from gateway.payments.models import Payment, Status
from gateway.refunds.models import Refund
from gateway.refunds.standing import RefundStanding, standing
from ledger.money import to_minor
from ledger.receivables.models import Receivable

LONGEST_REASON, LONGEST_REFERENCE = 255, 128


@dataclass(frozen=True, slots=True)
class Found:
    """A payment and how far it can be refunded."""

    payment: Payment
    stands: RefundStanding


def standings(merchant: Merchant, named: Sequence[str]) -> dict[str, Found]:
    """Payments by id and by reference, in three queries for all of them."""
    asked = {one for one in named if one}
    live = Q(pk__in=asked) | Q(reference__in=asked, status=Status.PAID)
    payments = list(Payment.objects.filter(live, merchant=merchant))
    ids = [payment.pk for payment in payments]
    refunds: dict[str, list[Refund]] = defaultdict(list)
    for refund in Refund.objects.filter(merchant=merchant, payment_id__in=ids):
        refunds[refund.payment_id].append(refund)
    receivables = {one.payment_id: one for one in Receivable.objects.filter(merchant=merchant, payment_id__in=ids)}
    now = clock.now(merchant)
    found = {}
    for payment in payments:
        payment.merchant = merchant
        stands = standing(payment, refunds[payment.pk], now, receivables.get(payment.pk))
        found[payment.reference] = found[payment.pk] = Found(payment, stands)
    return found


def refund_line(entry: Entry, known: Mapping[str, Found], spent: dict[str, int]) -> tuple[Line | None, list[CellFault]]:
    """The line, or its faults. `spent`: what the rows before refund of each payment."""
    titles = {column.name: str(column.title) for column in columns_of(REFUNDS)}
    texts = entry.texts
    faults = [
        CellFault(entry.row, titles[name], _("The text is too long."))
        for name, longest in (("reason", LONGEST_REASON), ("reference", LONGEST_REFERENCE))
        if len(texts.get(name, "")) > longest
    ]
    if not texts.get("payment_id"):
        return None, faults
    found = known.get(texts["payment_id"])
    wrong = _cannot(found)
    if found is None or wrong:
        return None, [*faults, CellFault(entry.row, titles["payment_id"], wrong)]
    payment, left = found.payment, found.stands.left - spent[found.payment.pk]
    amount = left if entry.amount is None else to_minor(entry.amount, payment.currency)
    spent[payment.pk] += amount
    if amount > left or left <= 0:
        faults.append(CellFault(entry.row, titles["amount"], _("That is more than the remaining amount.")))
    if faults:
        return None, faults
    order = RefundOrder(payment.pk, amount, texts.get("reference", ""), texts.get("reason"))
    return Line(entry.row, order, {"payment": payment.pk, "of": payment.reference}, amount, payment.currency), []


def _cannot(found: Found | None) -> str:
    """Why the payment cannot be refunded by a file."""
    if found is None:
        return _("Payment not found.")
    if found.payment.method == Method.BOLETO:
        return _("A boleto is refunded to a PIX key: refund it on its own page.")
    return in_words(found.stands.refusal) if found.stands.refusal else ""
