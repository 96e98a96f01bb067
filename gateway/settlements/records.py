"""What lines may be about, read for many lines at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gateway.payments.models import Payment
from gateway.providers.settlements import LineKind
from gateway.refunds.models import Refund
from gateway.settlements.models import SettlementLine
from gateway.suspense.models import State as SuspenseState
from gateway.suspense.models import SuspenseItem

Named = tuple[str, str]
"""An account, and the acquirer's id at it."""
REFUNDS = (LineKind.REFUND, LineKind.REFUND_FAILED)


@dataclass(frozen=True, slots=True)
class Records:
    """Payments, refunds and money in suspense by our ids and by the acquirer's."""

    payments: dict[str, Payment] = field(default_factory=dict)
    payments_named: dict[Named, Payment] = field(default_factory=dict)
    refunds: dict[str, Refund] = field(default_factory=dict)
    refunds_named: dict[Named, Refund] = field(default_factory=dict)
    held: dict[Named, SuspenseItem] = field(default_factory=dict)

    def payment_of(self, line: SettlementLine) -> Payment | None:
        """The payment that the line names by our id, or by the acquirer's."""
        return self.payments.get(line.object_id) or self.payments_named.get((line.account_id, line.payment_reference))

    def refund_of(self, line: SettlementLine) -> Refund | None:
        """The refund of this account that the line names by our id; if by none, by the acquirer's."""
        if not line.object_id.startswith("ref_"):
            return self.refunds_named.get((line.account_id, line.reference))
        refund = self.refunds.get(line.object_id)
        return refund if refund and refund.payment.account_id == line.account_id else None

    def held_for(self, line: SettlementLine) -> SuspenseItem | None:
        """The same money, if it is in suspense or was returned from there."""
        return self.held.get((line.account_id, line.reference))


def records_of(lines: Sequence[SettlementLine]) -> Records:
    """All that these lines name, in a few statements."""
    found = Records()
    _payments(lines, found)
    _refunds([line for line in lines if line.kind in REFUNDS], found)
    items = SuspenseItem.objects.select_related("merchant").exclude(state=SuspenseState.ASSIGNED)
    paid = [line for line in lines if line.kind == LineKind.PAYMENT]
    for item in items.filter(**_named(paid, "reference", "reference")) if paid else ():
        found.held[item.account_id or "", item.reference] = item
    return found


def _payments(lines: Sequence[SettlementLine], found: Records) -> None:
    payments = Payment.objects.select_related("merchant").filter(account__isnull=False)
    for payment in payments.filter(pk__in=_ids(lines, "pay_")):
        found.payments[payment.pk] = payment
    unnamed = [line for line in lines if line.payment_reference and line.object_id not in found.payments]
    named = _named(unnamed, "payment_reference", "rail_reference")
    for payment in payments.filter(**named).order_by("-pk") if unnamed else ():  # the oldest wins
        found.payments_named[payment.account_id or "", payment.rail_reference or ""] = payment


def _refunds(lines: Sequence[SettlementLine], found: Records) -> None:
    refunds = Refund.objects.select_related("payment__merchant")
    for refund in refunds.filter(pk__in=_ids(lines, "ref_")) if lines else ():
        found.refunds[refund.pk] = refund
    unnamed = [line for line in lines if line.reference and not line.object_id.startswith("ref_")]
    named = _named(unnamed, "reference", "end_to_end_id", "payment__account")
    for refund in refunds.filter(**named).order_by("-pk") if unnamed else ():
        found.refunds_named[refund.payment.account_id or "", refund.end_to_end_id or ""] = refund


def _ids(lines: Iterable[SettlementLine], prefix: str) -> set[str]:
    return {line.object_id for line in lines if line.object_id.startswith(prefix)}


def _named(lines: Iterable[SettlementLine], by: str, name: str, account: str = "account") -> dict[str, set[str]]:
    """All of any of their accounts: which of them is a line's, its key says."""
    return {f"{account}__in": {line.account_id for line in lines}, f"{name}__in": {getattr(line, by) for line in lines}}
