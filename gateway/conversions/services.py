"""Conversions between wallets: a quote, and its confirmation."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.db import transaction

from accounts.base import clock
from accounts.base.errors import Fault
from accounts.base.ids import new_id
from accounts.base.rows import execute, first, insert_into, table, values
from accounts.models import Environment, Merchant
from accounts.services import hold_settings
from gateway.conversions import payloads
from gateway.conversions.errors import (
    ConversionDisabled,
    ConversionTooSmall,
    ConversionUnavailable,
    CurrencyRequired,
    InvalidWallet,
    QuoteAlreadyUsed,
    QuoteExpired,
    QuoteTermsChanged,
)
from gateway.conversions.models import Conversion
from gateway.conversions.postings import converted
from gateway.conversions.quotes import ConversionQuote, read
from gateway.conversions.scenarios import SHORT, TERMS_CHANGE, UNAVAILABLE, scenario_of
from gateway.conversions.selectors import currencies_of
from gateway.payments.errors import InvalidAmount
from gateway.payments.services import require_active
from ledger.books.services import post
from ledger.chart import WALLET_METHOD
from ledger.money import MAX_AMOUNT, convert, to_decimal, to_minor
from ledger.rates.services import NoRate, applied_rate, market_rate, was_withdrawn_since
from webhooks.outbox import emit

HOLDS_FOR = timedelta(seconds=60)
HOLDS_SHORTLY = timedelta(seconds=1)

_INSERT = f"{insert_into(Conversion)} ON CONFLICT (merchant_id, quote_id) DO NOTHING"
_CONFIRMED = f"SELECT id FROM {table(Conversion)} WHERE merchant_id = %s AND quote_id = %s"


@dataclass(frozen=True, slots=True)
class ConversionDraft:
    """A conversion order. A currency that is None is that of the method's only wallet."""

    source_method: str
    destination_method: str
    source_amount: Decimal
    source_currency: str | None = None
    destination_currency: str | None = None


def quote(merchant: Merchant, draft: ConversionDraft) -> ConversionQuote:
    """Terms that are valid for sixty seconds. Nothing moves, nothing is stored, and the balance is not checked.

    Raises ONP403_COMPANY_STATUS, ONP403_CONVERSION_DISABLED, ONP400_CONVERSION_WALLET,
    ONP400_CONVERSION_CURRENCY_REQUIRED, ONP400_AMOUNT, ONP422_CONVERSION_AMOUNT_TOO_SMALL and
    ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE.
    """
    _require_enabled(merchant)
    source = _wallet(merchant, "source", draft.source_method, draft.source_currency)
    destination = _wallet(merchant, "destination", draft.destination_method, draft.destination_currency)
    if source == destination:
        raise InvalidWallet(faults=[Fault("destinationMethod", "INVALID", "Must be another wallet than the source.")])
    scenario = scenario_of(merchant, draft.source_amount)
    try:
        if scenario == UNAVAILABLE:
            raise NoRate
        market = market_rate(merchant, source, destination)
    except NoRate:
        raise ConversionUnavailable from None
    applied = applied_rate(market, merchant.conversion_spread)
    minor = convert(to_minor(draft.source_amount, source), source, destination, applied)
    if not minor:
        raise ConversionTooSmall(field="sourceAmount")
    amount = to_decimal(minor, destination)
    if amount > MAX_AMOUNT:
        raise InvalidAmount(faults=[Fault("sourceAmount", "OUT_OF_RANGE", "The result would be too large.")])
    now = clock.now(merchant)
    return ConversionQuote(
        id=new_id("quo").removeprefix("quo_"),
        company_id=merchant.company_id,
        environment=merchant.environment,
        source_method=draft.source_method,
        source_currency=source,
        source_amount=to_decimal(to_minor(draft.source_amount, source), source),
        destination_method=draft.destination_method,
        destination_currency=destination,
        destination_amount=amount,
        market_rate=market,
        applied_rate=applied,
        spread_percentage=merchant.conversion_spread,
        terms_version=_terms_version(merchant),
        quoted_at=now,
        expires_at=now + (HOLDS_SHORTLY if scenario == SHORT else HOLDS_FOR),
    )


@transaction.atomic(savepoint=False)
def confirm(merchant: Merchant, token: str) -> Conversion:
    """Converts at the quoted terms, once, completely or not at all.

    Raises ONP400_QUOTE_TOKEN, ONP403_COMPANY_STATUS, ONP403_CONVERSION_DISABLED, ONP409_QUOTE_ALREADY_USED,
    ONP409_QUOTE_EXPIRED, ONP409_QUOTE_TERMS_CHANGED and ONP422_INSUFFICIENT_BALANCE, in this order.
    """
    quoted = read(token, merchant)
    hold_settings(merchant)
    _require_enabled(merchant)
    _require_unused(merchant, quoted)
    now = clock.now(merchant)
    if now >= quoted.expires_at:
        raise QuoteExpired
    if not _is_still_valid(merchant, quoted):
        raise QuoteTermsChanged
    source_amount = to_minor(quoted.source_amount, quoted.source_currency)
    conversion = Conversion(
        id=new_id("cnv"),
        quote_id=quoted.id,
        source_method=quoted.source_method,
        source_currency=quoted.source_currency,
        source_amount=source_amount,
        destination_method=quoted.destination_method,
        destination_currency=quoted.destination_currency,
        destination_amount=to_minor(quoted.destination_amount, quoted.destination_currency),
        market_amount=convert(source_amount, quoted.source_currency, quoted.destination_currency, quoted.market_rate),
        market_rate=quoted.market_rate,
        applied_rate=quoted.applied_rate,
        spread_percentage=quoted.spread_percentage,
        quoted_at=quoted.quoted_at,
        created_at=now,
    )
    conversion.merchant = merchant
    if not execute(_INSERT, values(conversion)):  # a concurrent confirmation used the quote
        _require_unused(merchant, quoted)
        raise AssertionError("somebody else has confirmed the quote")
    emit(merchant, "conversion.completed", conversion.id, payloads.conversion(conversion), now)
    posted = post(merchant, "conversion.completed", conversion.id, converted(conversion), now)
    assert posted, "a conversion is made once"
    return conversion


def _is_still_valid(merchant: Merchant, quoted: ConversionQuote) -> bool:
    """Whether the merchant would still get these terms, at a rate that was not withdrawn."""
    if quoted.terms_version != _terms_version(merchant) or scenario_of(merchant, quoted.source_amount) == TERMS_CHANGE:
        return False
    if merchant.environment == Environment.SANDBOX:
        return True
    return not was_withdrawn_since({quoted.source_currency, quoted.destination_currency}, quoted.quoted_at)


def _require_enabled(merchant: Merchant) -> None:
    require_active(merchant)
    if not merchant.conversion_enabled:
        raise ConversionDisabled


def _require_unused(merchant: Merchant, quoted: ConversionQuote) -> None:
    if used := first(_CONFIRMED, [merchant.pk, quoted.id]):
        raise QuoteAlreadyUsed(conversionId=used[0])


def _terms_version(merchant: Merchant) -> str:
    """Changes whenever the merchant's terms change."""
    terms = f"{merchant.pk}:{merchant.conversion_spread.normalize():f}:{sorted(WALLET_METHOD.items())}"
    return hashlib.sha256(terms.encode()).hexdigest()[:12]


def _wallet(merchant: Merchant, end: str, method: str, currency: str | None) -> str:
    """The currency of the wallet that one end of an order names."""
    if currency is not None:
        if WALLET_METHOD.get(currency) != method:
            raise InvalidWallet(faults=[Fault(f"{end}Currency", "INVALID", "Is no currency of this wallet method.")])
        return currency
    named = currencies_of(merchant, method)
    if not named:
        raise InvalidWallet(faults=[Fault(f"{end}Method", "UNKNOWN_VALUE", "Is no wallet method.")])
    if len(named) > 1:
        one_of = {"currencies": ", ".join(named)}
        raise CurrencyRequired(faults=[Fault(f"{end}Currency", "REQUIRED", "One of %(currencies)s.", one_of)])
    return named[0]
