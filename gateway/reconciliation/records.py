"""What lines of statements may be about, read for many lines of one bank account at once."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Q, prefetch_related_objects
from django.db.models.fields.json import KT
from django.db.models.functions import Upper

from accounts.base.lookups import AnyOf, by_index
from gateway.bank_files.shapes import StatementLine
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
_OF_PAYMENTS = (
    "merchant", "account", "method", "status", "currency", "amount", "rail_reference", "unclear_since", "certain_by",
)  # fmt: skip
_OF_WITHDRAWALS = (
    "merchant", "account", "rail", "status", "payout_currency", "payout_amount", "rail_reference", "queued_at",
    "sent_at",
)  # fmt: skip
"""All that is read of them for matching: their rows are wide."""

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


def spelled_in(line: BankLine | StatementLine) -> list[str]:
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
    names = _Names.of(also, *(spelled_in(line) for line in lines))
    sent = _Names.of(also, *(spelled_in(line) for line in lines if line.amount < 0))
    if not names.spelled or not found.linked:
        return found
    _by_number([name for name in names.spelled if name.isdigit()], found)
    with by_index():
        _withdrawals(names, found)
        _payments(names, found)
        _refunds(sent, found)
        _items(names, found)
        _returns(sent, found)
        _explained(found)
    return found


@dataclass(frozen=True, slots=True)
class _Names:
    """Names as they are spelled and in capitals, and those of them that are public ids, by their prefixes."""

    spelled: frozenset[str]
    ids: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, *told: Iterable[str]) -> "_Names":
        spelled = {name for same in told for name in same}
        capitals = {name.upper() for name in spelled}
        ulids = {name for name in capitals if _ULID.fullmatch(name)}
        ids = {
            prefix: [
                prefix + one
                for one in ulids | {name[len(prefix) :] for name in capitals if name.startswith(prefix.upper())}
            ]
            for prefix in _IDS
        }
        return cls(frozenset(spelled | capitals), ids)


def _withdrawals(names: _Names, found: Records) -> None:
    theirs = Withdrawal.objects.only(*_OF_WITHDRAWALS).filter(account__in=found.linked)
    for one in theirs.filter(AnyOf("pk", names.ids["wdr_"])):
        found.withdrawals[one.pk.upper()] = found.withdrawals[txid_of(one.pk)] = one
    for one in theirs.filter(AnyOf("rail_reference", names.spelled), rail_reference__isnull=False):
        found.withdrawals.setdefault(str(one.rail_reference).upper(), one)
    orders = BatchOrder.objects.select_related("batch").filter(AnyOf("number", names.spelled))
    ordered = list(orders.filter(batch__account__in=found.linked))
    paid = theirs.filter(AnyOf("pk", [order.withdrawal_id for order in ordered])).in_bulk() if ordered else {}
    for order in ordered:
        found.orders[order.number] = order
        found.withdrawals[order.number] = paid[order.withdrawal_id]


def _payments(names: _Names, found: Records) -> None:
    theirs = Payment.objects.only(*_OF_PAYMENTS).filter(account__in=found.linked)
    for one in theirs.filter(AnyOf("pk", names.ids["pay_"])):
        _add(found.payments, one, one.pk.upper(), txid_of(one.pk))
    for one in theirs.filter(AnyOf(Upper("rail_reference"), names.spelled), rail_reference__isnull=False):
        _add(found.payments, one, str(one.rail_reference).upper())
    undecided = [one for same in found.payments.values() for one in same if one.status in UNDECIDED]
    prefetch_related_objects(undecided, "merchant", "account")


def _by_number(numbers: Sequence[str], found: Records) -> None:
    """Payments of manual accounts that wait, whose reference people type by hand."""
    manual = ProviderAccount.objects.filter(pk__in=found.linked, provider__in=without_answers())
    if not (numbers and manual.exists()):
        return
    known = Q(AnyOf(KT("details__bankDetails__paymentReference"), numbers))
    known |= Q(AnyOf(KT("details__payTo__reference"), numbers))
    theirs = Payment.objects.only(*_OF_PAYMENTS, "details").filter(account__in=found.linked, status__in=UNDECIDED)
    for one in theirs.filter(known):
        details = one.details.get("bankDetails") or one.details.get("payTo") or {}
        _add(found.payments, one, str(details.get("paymentReference") or details.get("reference")))


def _add(found: dict[str, list[Payment]], one: Payment, *names: str) -> None:
    for name in names:
        same = found.setdefault(name, [])
        if one.pk not in [other.pk for other in same]:
            same.append(one)


def _refunds(sent: _Names, found: Records) -> None:
    """What lines that left name, and the refunds of payments that they name."""
    theirs = Refund.objects.select_related("merchant", "payment", "account")
    theirs = theirs.filter(payment__account__in=found.linked)
    known = [*theirs.filter(AnyOf("pk", sent.ids["ref_"]))]
    known += theirs.filter(AnyOf("end_to_end_id", sent.spelled), end_to_end_id__isnull=False)
    for one in known:
        for name in (one.pk, txid_of(one.pk), one.end_to_end_id or ""):
            found.refunds.setdefault(name.upper(), one)
    payments = {one.pk for name, same in found.payments.items() if name in sent.spelled for one in same}
    for one in theirs.filter(AnyOf("payment_id", payments)) if payments else ():
        found.refunds_of.setdefault(one.payment_id, []).append(one)


def _items(names: _Names, found: Records) -> None:
    theirs = SuspenseItem.objects.filter(account__in=found.linked)
    for one in theirs.filter(AnyOf("reference", names.spelled)):
        found.items[one.reference.upper()] = one


def _returns(sent: _Names, found: Records) -> None:
    theirs = SuspenseItem.objects.filter(account__in=found.linked)
    known = [*theirs.filter(AnyOf("return_reference", sent.spelled))]
    known += theirs.filter(AnyOf("return_id", sent.ids["sus_"]))
    for one in known:
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
    # Which kinds of parts count is decided here: as conditions they would hide the index from a plan for any values.
    live = LinePart.objects.filter(AnyOf("object_id", ids), undone_by="")
    found.explained.update(
        (kind, object_id) for kind, object_id in live.values_list("kind", "object_id") if kind in ONCE
    )
