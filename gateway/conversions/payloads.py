"""The JSON of quotes and conversions (contract §12)."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.base.wire import Number, Timestamp, plain, timestamp
from gateway.conversions.models import Conversion
from gateway.conversions.quotes import ConversionQuote, sign
from ledger.money import to_decimal

WalletMethod = Literal["PIX", "SPEI", "MB_WAY", "BANK_TRANSFER"]


class QuotePayload(TypedDict):
    """What you would receive. Show it before you confirm; `expiresAt` is in epoch milliseconds."""

    sourceMethod: WalletMethod
    destinationMethod: WalletMethod
    sourceCurrency: str
    destinationCurrency: str
    sourceAmount: Number
    destinationAmount: Number
    marketRate: Number
    appliedRate: Number
    spreadPercentage: Number
    expiresAt: int
    quoteToken: str


class ConversionPayload(TypedDict):
    """Money moved from one wallet to another."""

    conversionId: str
    companyId: str
    sourceMethod: WalletMethod
    sourceCurrency: str
    sourceAmount: Number
    destinationMethod: WalletMethod
    destinationCurrency: str
    destinationAmount: Number
    marketRate: Number
    appliedRate: Number
    spreadPercentage: Number
    status: Literal["COMPLETED"]
    createdAt: Timestamp
    completedAt: Timestamp


def quote(quote: ConversionQuote) -> QuotePayload:
    return {
        "sourceMethod": quote.source_method,  # type: ignore[typeddict-item]
        "destinationMethod": quote.destination_method,  # type: ignore[typeddict-item]
        "sourceCurrency": quote.source_currency,
        "destinationCurrency": quote.destination_currency,
        "sourceAmount": quote.source_amount,
        "destinationAmount": quote.destination_amount,
        "marketRate": plain(quote.market_rate),
        "appliedRate": plain(quote.applied_rate),
        "spreadPercentage": plain(quote.spread_percentage),
        "expiresAt": quote.expires_at_ms,
        "quoteToken": sign(quote),
    }


def conversion(conversion: Conversion) -> ConversionPayload:
    """The conversion object, for responses and events alike."""
    return {
        "conversionId": conversion.id,
        "companyId": conversion.merchant.company_id,
        "sourceMethod": conversion.source_method,  # type: ignore[typeddict-item]
        "sourceCurrency": conversion.source_currency,
        "sourceAmount": to_decimal(conversion.source_amount, conversion.source_currency),
        "destinationMethod": conversion.destination_method,  # type: ignore[typeddict-item]
        "destinationCurrency": conversion.destination_currency,
        "destinationAmount": to_decimal(conversion.destination_amount, conversion.destination_currency),
        "marketRate": plain(conversion.market_rate),
        "appliedRate": plain(conversion.applied_rate),
        "spreadPercentage": plain(conversion.spread_percentage),
        "status": "COMPLETED",
        "createdAt": timestamp(conversion.created_at),
        "completedAt": timestamp(conversion.created_at),
    }
