"""The subjects of postings: a link and a short description."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import Merchant
from gateway.conversions import selectors as conversions
from gateway.dashboard.withdrawals.list import destination
from gateway.dashboard.words import METHOD
from gateway.payments import selectors as payments
from gateway.refunds import inbox as refunds
from gateway.withdrawals import selectors as withdrawals
from ledger.receivables import selectors as receivables


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a posting. `object_id` has a page: for a receivable it is its payment."""

    object_id: str
    description: str


Found = Iterable[tuple[str, Subject]]


def subjects(merchant: Merchant, references: Iterable[str]) -> dict[str, Subject]:
    """By reference of a posting. One query per type."""
    ids: dict[str, dict[str, list[str]]] = {}
    for reference in set(references):
        object_id = reference.partition(":")[0]  # a refund that was funded in several steps
        ids.setdefault(object_id.partition("_")[0], {}).setdefault(object_id, []).append(reference)
    found: dict[str, Subject] = {}
    for prefix, named in ids.items():
        known: Mapping[str, Subject] = dict(_READ[prefix](merchant, list(named))) if prefix in _READ else {}
        for object_id, its_references in named.items():
            found |= dict.fromkeys(its_references, known.get(object_id, Subject(object_id, "")))
    return found


def _payments(merchant: Merchant, ids: list[str]) -> Found:
    rows = payments.listed(merchant).filter(pk__in=ids).order_by().values_list("pk", "method", "reference")
    return ((pk, Subject(pk, f"{METHOD.get(method, method)} · {reference}")) for pk, method, reference in rows)


def _receivables(merchant: Merchant, ids: list[str]) -> Found:
    rows = receivables.among(merchant, ids).values_list("pk", "payment_id", "method", "payment_reference")
    return (
        (pk, Subject(payment_id, f"{METHOD.get(method, method)} · {reference}"))
        for pk, payment_id, method, reference in rows
    )


def _refunds(merchant: Merchant, ids: list[str]) -> Found:
    rows = refunds.listed(merchant).filter(pk__in=ids).order_by()
    return ((one.pk, Subject(one.pk, one.payment.reference)) for one in rows)


def _withdrawals(merchant: Merchant, ids: list[str]) -> Found:
    rows = withdrawals.listed(merchant).filter(pk__in=ids).order_by().defer("sealed_destination")
    return ((one.pk, Subject(one.pk, f"{METHOD[one.rail]} · {destination(one)}")) for one in rows)


def _conversions(merchant: Merchant, ids: list[str]) -> Found:
    rows = conversions.listed(merchant).filter(pk__in=ids).order_by()
    return ((one.pk, Subject(one.pk, f"{one.source_currency} → {one.destination_currency}")) for one in rows)


_READ: dict[str, Callable[[Merchant, list[str]], Any]] = {
    "pay": _payments,
    "rcv": _receivables,
    "ref": _refunds,
    "wdr": _withdrawals,
    "cnv": _conversions,
}
