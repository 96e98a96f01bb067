"""Quotes: terms that we sign and the requester keeps. `onpq1.<payload>.<signature>` (contract §12)."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings

from accounts.models import Merchant
from gateway.conversions.errors import InvalidQuoteToken

PREFIX = "onpq1"
LONGEST = 2048


@dataclass(frozen=True, slots=True)
class ConversionQuote:
    """Signed terms. Amounts are exact; rates are destination units for one source unit; times by the merchant's
    clock.
    """

    id: str
    company_id: str
    environment: str
    source_method: str
    source_currency: str
    source_amount: Decimal
    destination_method: str
    destination_currency: str
    destination_amount: Decimal
    market_rate: Decimal
    applied_rate: Decimal
    spread_percentage: Decimal
    terms_version: str
    quoted_at: datetime
    expires_at: datetime

    @property
    def expires_at_ms(self) -> int:
        """Epoch milliseconds."""
        return _milliseconds(self.expires_at)


def sign(quote: ConversionQuote) -> str:
    """The quote as a token of at most 2,048 characters."""
    key_id, key = next(_keys())
    payload = {
        "kid": key_id,
        "jti": quote.id,
        "companyId": quote.company_id,
        "environment": quote.environment,
        "sourceMethod": quote.source_method,
        "sourceCurrency": quote.source_currency,
        "sourceAmount": str(quote.source_amount),
        "destinationMethod": quote.destination_method,
        "destinationCurrency": quote.destination_currency,
        "destinationAmount": str(quote.destination_amount),
        "marketRate": str(quote.market_rate),
        "appliedRate": str(quote.applied_rate),
        "spreadPercentage": str(quote.spread_percentage),
        "termsVersion": quote.terms_version,
        "iat": _milliseconds(quote.quoted_at),
        "expiresAt": quote.expires_at_ms,
    }
    signed = f"{PREFIX}.{_encode(json.dumps(payload, separators=(',', ':')).encode())}"
    token = f"{signed}.{_encode(_mac(key, signed))}"
    assert len(token) <= LONGEST
    return token


def read(token: str, merchant: Merchant) -> ConversionQuote:
    """The quote that we signed for this merchant. Raises ONP400_QUOTE_TOKEN."""
    signed, _, signature = token.rpartition(".")
    if len(token) > LONGEST or not token.isascii() or signed.count(".") != 1 or not signed.startswith(f"{PREFIX}."):
        raise InvalidQuoteToken(field="quoteToken")
    if not any(hmac.compare_digest(_encode(_mac(key, signed)), signature) for _, key in _keys()):
        raise InvalidQuoteToken(field="quoteToken")
    quote = _parsed(signed)
    if (quote.company_id, quote.environment) != (merchant.company_id, merchant.environment):
        raise InvalidQuoteToken(field="quoteToken")
    return quote


def _parsed(signed: str) -> ConversionQuote:
    """Parses a token with a valid signature."""
    encoded = signed.partition(".")[2]
    try:
        claims = json.loads(urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
        return _quote(claims)
    except (NotBase64, ValueError, KeyError, TypeError, ArithmeticError):  # made by an older version
        raise InvalidQuoteToken(field="quoteToken") from None


def _quote(claims: dict[str, Any]) -> ConversionQuote:
    return ConversionQuote(
        id=claims["jti"],
        company_id=claims["companyId"],
        environment=claims["environment"],
        source_method=claims["sourceMethod"],
        source_currency=claims["sourceCurrency"],
        source_amount=Decimal(claims["sourceAmount"]),
        destination_method=claims["destinationMethod"],
        destination_currency=claims["destinationCurrency"],
        destination_amount=Decimal(claims["destinationAmount"]),
        market_rate=Decimal(claims["marketRate"]),
        applied_rate=Decimal(claims["appliedRate"]),
        spread_percentage=Decimal(claims["spreadPercentage"]),
        terms_version=claims["termsVersion"],
        quoted_at=_moment(claims["iat"]),
        expires_at=_moment(claims["expiresAt"]),
    )


def _keys() -> Iterator[tuple[str, bytes]]:
    """(id, key), the current one first: keys for quotes only, derived from each secret of the service."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        key = hmac.new(secret.encode(), b"conversion-quote", hashlib.sha256).digest()
        yield hashlib.sha256(key).hexdigest()[:8], key


def _mac(key: bytes, signed: str) -> bytes:
    return hmac.new(key, signed.encode(), hashlib.sha256).digest()


def _encode(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
