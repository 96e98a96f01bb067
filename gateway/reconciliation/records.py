"""What lines of statements may be about, read for many lines of one bank account at once."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Q
from django.db.models.functions import Upper

from gateway.methods.pix.rail import txid_of
from gateway.payments.manual import without_answers
from gateway.payments.models import UNDECIDED, Payment
from gateway.payout_batches.models import BatchOrder
from gateway.providers.models import ProviderAccount
from gateway.reconciliation.models import ONCE, BankAccount, BankLine, LinePart
from gateway.refunds.models import Refund
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Withdrawal

_WORD = re.compile(r"[0-9A-Za-z_]{6,64}")
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_IDS = ("pay_", "ref_", "wdr_", "sus_")

Explained = set[tuple[str, str]]
"""Kinds of parts, and what they explain."""


@dataclass(frozen=True, slots=True)
class Records:
    """All that lines of an account name, by names in capitals: each name may belong to several."""

    account: BankAccount
    linked: frozenset[str]
    withdrawals: dict[str, Withdrawal] = field(default_factory=dict)
    orders: dict[str, BatchOrder] = field(default_factory=dict)
    payments: dict[str, list[Payment]] = field(default_factory=dict)
    refunds: dict[str, Refund] = field(default_factory=dict)
    refunds_of: dict[str, list[Refund]] = field(default_factory=dict)
    items: dict[str, SuspenseItem] = field(default_factory=dict)
    returns: dict[str, SuspenseItem] = field(default_factory=dict)
    explained: Explained = field(default_factory=set)

    def is_explained(self, kind: str, object_id: str) -> bool:
        """Whether another line explains it already."""
        return (kind, object_id) in self.explained


def names_of(line: BankLine) -> list[str]:
    """What a line may name something by, in capitals, the surest first."""
    return list(dict.fromkeys(name.upper() for name in spelled_in(line)))


def spelled_in(line: BankLine) -> list[str]:
    """The same, as the bank spells it."""
    told = (line.order_number, line.end_to_end_id, line.reference)
    words = _WORD.findall(line.text)
    ids = [word for word in words if _ULID.fullmatch(word)]
    found = [*(name.strip() for name in told), *words, *(prefix + one for one in ids for prefix in _IDS)]
    return [name for name in found if name.strip("0")]


def linked_to(account: BankAccount) -> frozenset[str]:
    """The provider accounts whose money the bank account receives or pays."""
    return frozenset(account.provider_accounts.values_list("pk", flat=True))


def records_of(account: BankAccount, lines: Sequence[BankLine], also: Sequence[str] = ()) -> Records:
    """All that these lines name, and what people say that they are `also` about, in a few statements."""
    found = Records(account, linked_to(account))
    told = [*also, *(spelled for line in lines for spelled in spelled_in(line))]
    names = {name for spelled in told for name in (spelled, spelled.upper())}
    if not names or not found.linked:
        return found
    _withdrawals(names, found)
    _payments(names, found)
    _refunds(names, found)
    _suspense(names, found)
    _explained(found)
    return found


def _ids(names: Iterable[str], prefix: str) -> list[str]:
    """Public ids among names, as they are written."""
    start = prefix.upper()
    ids = [prefix + name[len(start) :] for name in names if name.upper().startswith(start)]
    return ids + [prefix + name for name in names if _ULID.fullmatch(name)]


def _withdrawals(names: set[str], found: Records) -> None:
    theirs = Withdrawal.objects.select_related("merchant").filter(account__in=found.linked)
    for one in theirs.filter(pk__in=_ids(names, "wdr_")):
        found.withdrawals[one.pk.upper()] = found.withdrawals[txid_of(one.pk)] = one
    for one in theirs.filter(rail_reference__in=names):
        found.withdrawals.setdefault(str(one.rail_reference).upper(), one)
    orders = BatchOrder.objects.select_related("batch", "withdrawal__merchant")
    for order in orders.filter(number__in=names, batch__account__in=found.linked):
        found.orders[order.number] = order
        found.withdrawals[order.number] = order.withdrawal


def _payments(names: set[str], found: Records) -> None:
    theirs = Payment.objects.select_related("merchant", "account").filter(account__in=found.linked)
    for one in theirs.filter(pk__in=_ids(names, "pay_")):
        _add(found.payments, one, one.pk.upper(), txid_of(one.pk))
    paid = theirs.annotate(named=Upper("rail_reference")).filter(rail_reference__isnull=False, named__in=names)
    for one in paid:
        _add(found.payments, one, str(one.rail_reference).upper())
    numbers = [name for name in names if name.isdigit()]
    manual = ProviderAccount.objects.filter(pk__in=found.linked, provider__in=without_answers()).exists()
    if not (numbers and manual):
        return
    known = Q(details__bankDetails__paymentReference__in=numbers) | Q(details__payTo__reference__in=numbers)
    for one in theirs.filter(known, status__in=UNDECIDED):
        details = one.details.get("bankDetails") or one.details.get("payTo") or {}
        _add(found.payments, one, str(details.get("paymentReference") or details.get("reference")))


def _add(found: dict[str, list[Payment]], one: Payment, *names: str) -> None:
    for name in names:
        same = found.setdefault(name, [])
        if one.pk not in [other.pk for other in same]:
            same.append(one)


def _refunds(names: set[str], found: Records) -> None:
    theirs = Refund.objects.select_related("merchant", "payment", "account")
    theirs = theirs.filter(payment__account__in=found.linked)
    for one in theirs.filter(Q(pk__in=_ids(names, "ref_")) | Q(end_to_end_id__in=names)):
        for name in (one.pk, txid_of(one.pk), one.end_to_end_id or ""):
            found.refunds.setdefault(name.upper(), one)
    payments = {one.pk for same in found.payments.values() for one in same}
    for one in theirs.filter(payment__in=payments) if payments else ():
        found.refunds_of.setdefault(one.payment_id, []).append(one)


def _suspense(names: set[str], found: Records) -> None:
    theirs = SuspenseItem.objects.select_related("merchant").filter(account__in=found.linked)
    for one in theirs.filter(reference__in=names):
        found.items[one.reference.upper()] = one
    for one in theirs.filter(Q(return_reference__in=names) | Q(return_id__in=_ids(names, "sus_"))):
        for name in (one.return_reference, one.return_id, txid_of(one.return_id)):
            found.returns.setdefault(name.upper(), one)


def _explained(found: Records) -> None:
    ids = [
        *(one.pk for one in found.withdrawals.values()),
        *(one.pk for same in found.payments.values() for one in same),
        *(one.pk for one in found.refunds.values()),
        *(one.pk for same in found.refunds_of.values() for one in same),
        *(one.pk for one in (*found.items.values(), *found.returns.values())),
    ]
    live = LinePart.objects.filter(object_id__in=ids, undone_by="", kind__in=ONCE)
    found.explained.update(live.values_list("kind", "object_id"))
