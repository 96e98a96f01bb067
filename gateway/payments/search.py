"""Payment search: by text and by filters, with counts per status."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import reduce
from operator import or_

from django.db.models import BooleanField, F, Func, Q, QuerySet, TextField, Value
from django.db.models.lookups import Exact

from accounts.base.ids import is_well_formed
from accounts.base.listing import ListSums, grouped, newest
from accounts.models import Merchant
from gateway.customers import selectors as customers
from gateway.methods.models import CURRENCIES
from gateway.payments.models import Payment, Status
from ledger.money import MAX_AMOUNT, to_minor
from ledger.notation import TwoReadings, Unreadable, read

CAP = 10_000
"""Counts are capped at this number."""
COUNTED = 10 * CAP
"""How many payments are scanned for all counts together."""
COUNTED_BY_TEXT = 3 * CAP
"""So many where each has to be compared with a text: no index has both its order and its words."""
FEW = 200
"""A reading of the text that matches at most this many payments is turned into ids."""
LONGEST_TEXT = 200
LAST_CHARACTER = chr(0x10FFFF)

_ID = re.compile(r"(?:pay_)?([0-7][0-9a-hjkmnp-tv-z]{25})", re.IGNORECASE)
_LAST4 = re.compile(r"[0-9]{4}", re.ASCII)
# A literal, because a generic plan could not use the partial index of cards.
_HAS_CARD = Func("details", template="%(expressions)s ? 'card'", output_field=BooleanField())
_LAST4_OF_CARD = Func("details", template="(%(expressions)s #>> '{card,last4}')", output_field=TextField())


@dataclass(frozen=True, slots=True)
class Search:
    """A search; all given conditions must match, and any of several statuses or methods.

    `text` is a payment id, a reference or its prefix, part of the customer's name, their tax id or e-mail, the
    last four digits of a card, an amount, or the provider's id (an end-to-end id). Amounts are exact and
    inclusive, in any currency; the end of a period is exclusive. `has_warning`: processed by another method than
    requested; `has_refunds`: a refund was requested, whatever its result.
    """

    text: str = ""
    statuses: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    currency: str | None = None
    amount_from: Decimal | None = None
    amount_to: Decimal | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    paid_from: datetime | None = None
    paid_to: datetime | None = None
    has_warning: bool = False
    has_refunds: bool = False
    failure_code: str | None = None
    customer_id: str | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """An exact number, or `more` than that."""

    number: int = 0
    more: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """How many payments match in each status, and the sums of those in the selected ones."""

    counts: dict[str, Count]
    sums: ListSums


@dataclass(frozen=True, slots=True)
class FoundPayment:
    """The merchant's payments that match a search. The readings of its text were resolved once."""

    merchant: Merchant
    search: Search
    meant: Q

    @property
    def rows(self) -> QuerySet[Payment]:
        """All matches, newest first. Ids and creation times are found without reading rows."""
        rows = self._in_any_status
        return rows.filter(status__in=self.search.statuses) if self.search.statuses else rows

    def counts(self) -> dict[str, Count]:
        """Matches per status, whatever statuses are selected: at most CAP each, of the first that are scanned."""
        return self.tally().counts

    def tally(self) -> Tally:
        """Counts and amounts, read in one statement."""
        scanned = COUNTED_BY_TEXT if self.search.text.strip() else COUNTED
        found = grouped(self._in_any_status, "status", "currency", most=scanned)
        unseen = sum(number for *_, number, _ in found) > scanned
        numbers: Counter[str] = Counter()
        chosen: Counter[str] = Counter()
        amounts: Counter[str] = Counter()
        for status, currency, number, amount in found:
            numbers[status] += number
            if not self.search.statuses or status in self.search.statuses:
                chosen[currency] += number
                amounts[currency] += amount
        counts = {
            str(status): Count(min(numbers[status], CAP), more=unseen or numbers[status] > CAP) for status in Status
        }
        return Tally(counts, ListSums(chosen.total(), dict(amounts), more=unseen))

    @property
    def _in_any_status(self) -> QuerySet[Payment]:
        rows = Payment.objects.filter(self.meant, *_filters(self.merchant, self.search), merchant=self.merchant)
        return newest(rows, self.search.created_from, self.search.created_to)


def found(merchant: Merchant, search: Search) -> FoundPayment:
    """The matches of a search. A text that cannot belong to a payment matches nothing."""
    text = search.text.strip()
    return FoundPayment(merchant, search, _matching(merchant, text) if text else Q())


def _filters(merchant: Merchant, search: Search) -> Iterable[Q]:
    exact = {
        "method__in": search.methods,
        "currency": search.currency,
        "customer_id": search.customer_id,
        "amount__gte": search.amount_from and _minor(search.amount_from, ROUND_CEILING),
        "amount__lte": search.amount_to and _minor(search.amount_to, ROUND_FLOOR),
        "paid_at__gte": search.paid_from,
        "paid_at__lt": search.paid_to,
        "failure_code": search.failure_code,
    }
    yield Q(**{lookup: value for lookup, value in exact.items() if value not in (None, ())})
    if search.has_warning:
        yield ~Q(method=F("requested_method"))
    if search.has_refunds:
        yield Q(pk__in=Payment.objects.filter(refunds__merchant=merchant).values("pk"))


def _matching(merchant: Merchant, text: str) -> Q:
    """The payments that a text can mean.

    Each reading is resolved by itself, because no index serves all. One that matches few payments becomes their
    ids; the others are compared row by row, where the newest matches are found quickly.
    """
    if len(text) > LONGEST_TEXT or "\0" in text:
        return Q(pk__in=[])
    readings = list(_readings(merchant, text))
    rows = [
        Payment.objects.filter(reading, merchant=merchant)
        .annotate(reading=Value(number))
        .values_list("reading", "pk")[: FEW + 1]
        for number, reading in enumerate(readings)
    ]
    ids: dict[int, list[str]] = {}
    for number, id in rows[0].union(*rows[1:], all=True):
        ids.setdefault(number, []).append(id)
    many = [readings[number] for number, few in ids.items() if len(few) > FEW]
    return reduce(or_, many, Q(pk__in=[id for few in ids.values() if len(few) <= FEW for id in few]))


def _readings(merchant: Merchant, text: str) -> Iterable[Q]:
    if match := _ID.fullmatch(text):
        yield Q(pk=f"pay_{match[1].upper()}")
        return
    if text.startswith("pay_") and is_well_formed(text):
        yield Q(pk__gte=text, pk__lt=f"{text}~")
    yield Q(_compared(text, "~>=~")) & Q(_compared(f"{text}{LAST_CHARACTER}", "~<~"))
    yield Q(rail_reference=text)
    yield Q(customer__in=customers.found(merchant, text))
    if _LAST4.fullmatch(text):
        yield with_last4(text)
    yield from (Q(amount=minor) for minor in amounts(text))


def with_last4(text: str) -> Q:
    """Payments with a card that ends in these four digits."""
    return Q(Exact(_LAST4_OF_CARD, Value(text))) & Q(_HAS_CARD)


def _compared(text: str, operator: str) -> Func:
    """Compares a reference with a prefix character by character, which works with every query plan."""
    return Func(
        "reference", Value(text), arg_joiner=f" {operator} ", template="%(expressions)s", output_field=BooleanField()
    )


def amounts(text: str) -> Iterable[int]:
    """Every amount that the text can mean, in minor units: "1.500" is searched for as both."""
    try:
        readings = [read(text)]
    except TwoReadings as both:
        readings = [*both.readings]
    except Unreadable:
        return
    for amount in readings:
        if amount and 0 < amount <= MAX_AMOUNT and amount == round(amount, 2):
            yield _minor(amount, ROUND_FLOOR)


def _minor(amount: Decimal, rounding: str) -> int:
    """All payment currencies have the same decimals."""
    currency, _ = CURRENCIES[0]
    return to_minor(amount.quantize(Decimal("0.01"), rounding), currency)
