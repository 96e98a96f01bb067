"""What a search term can mean besides an id: an amount, a day, a payer's name, the last digits of a card."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.contrib.postgres.search import SearchVector, SearchVectorExact
from django.db.models import Q

from accounts.models import Merchant
from gateway.customers import selectors as customers
from gateway.customers.models import Customer
from gateway.payments.search import with_last4
from ledger.money import DECIMALS, MAX_AMOUNT, to_minor
from ledger.notation import TwoReadings, currencies_named, read

Reading = Callable[[str], Q]
"""A function of the term. ValueError: the term cannot mean this."""

WEST, EAST = timedelta(hours=6), timedelta(hours=1)
"""How far the days of our markets reach beyond a day in UTC."""
_DAY = r"(?:\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{4})"
_DAYS = re.compile(rf"(?<![\w.,/-])({_DAY})(?:\s*(?:\.\.|–|-|to)\s*({_DAY}))?(?![\w/-])", re.ASCII)
_LAST4 = re.compile(r"[0-9]{4}", re.ASCII)
_HUNDREDTHS = [code for code, decimals in DECIMALS.items() if decimals == 2]


class Span(NamedTuple):
    """A period in UTC; the end is exclusive."""

    start: datetime
    end: datetime

    @classmethod
    def of_days(cls, first: date, last: date) -> "Span":
        start, end = (datetime(day.year, day.month, day.day, tzinfo=UTC) for day in (first, last))
        return cls(start, end + timedelta(days=1))

    def inside(self, moment: str) -> Q:
        return Q(**{f"{moment}__gte": self.start, f"{moment}__lt": self.end})


def split_days(term: str) -> tuple[str, Span | None]:
    """The term without its day or days, and their period: 2026-11-22, 22/11/2026, or two of them with ".." between.

    A day is a calendar day of any of our markets, because payers tell it by their own clock.
    """
    match = _DAYS.search(term)
    if not match:
        return term, None
    try:
        first, last = (_day(text) for text in (match[1], match[2] or match[1]))
        span = Span.of_days(min(first, last), max(first, last))
        span = Span(span.start - EAST, span.end + WEST)
    except (ValueError, OverflowError):
        return term, None
    return f"{term[: match.start()]} {term[match.end() :]}".strip(), span


def _day(text: str) -> date:
    if "-" in text:
        return date.fromisoformat(text)
    day, month, year = re.split("[/.]", text)
    return date(int(year), int(month), int(day))


def amount(name: str, currency: str = "currency") -> Reading:
    """The field is this amount of minor units, with either sign: 475.88, R$ 475,88, 475,88 BRL."""

    def read_as(term: str) -> Q:
        codes = currencies_named(term)
        minor = [to_minor(value, "BRL") for value in _values(term)]
        named = Q(**{f"{currency}__in": sorted(codes)}) if codes != set(DECIMALS) else Q()
        return Q(**{f"{name}__in": [signed for one in minor for signed in (one, -one)]}) & named

    return read_as


def _values(term: str) -> list[Decimal]:
    try:
        values = [read(term)]
    except TwoReadings as both:
        values = [*both.readings]
    found = [abs(value) for value in values if value and abs(value) <= MAX_AMOUNT and value == round(value, 2)]
    if not found:
        raise ValueError(term)
    return found


def payer(name: str) -> Reading:
    """The customer in this field has a name with these words, or beginnings of words, without accents."""

    def read_as(term: str) -> Q:
        return Q(**{f"{name}__in": customers.named(term)})  # as keys: a limited subquery would be joined as a whole

    return read_as


def naming(words: SearchVector) -> Reading:
    """Among these words are all of the term, or words that begin so, without accents."""
    return lambda term: Q(SearchVectorExact(words, customers.words_of_name(term)))


def last4(term: str) -> Q:
    """The payment was made with a card that ends in these digits."""
    if not _LAST4.fullmatch(term):
        raise ValueError(term)
    return with_last4(term) & _of_any_merchant()


def exactly(**values: Callable[[str], object]) -> Reading:
    """A field that is indexed by merchant and value: the index is searched for each merchant."""

    def read_as(term: str) -> Q:
        return Q(**{name: value_of(term) for name, value_of in values.items()}) & _of_any_merchant()

    return read_as


def customer_with(name: str, **values: Callable[[str], object]) -> Reading:
    """The customer in this field has this value."""
    of_customer = exactly(**values)

    def read_as(term: str) -> Q:
        return Q(**{f"{name}__in": Customer.objects.filter(of_customer(term)).values("pk")})

    return read_as


def _of_any_merchant() -> Q:
    return Q(merchant__in=Merchant.objects.values("pk"))
