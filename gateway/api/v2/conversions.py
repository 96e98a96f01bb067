"""Conversions between wallets: quote, confirm, look up and list (contract §12)."""

from typing import Annotated, ClassVar

from pydantic import Field

from accounts.base.errors import Refusal
from accounts.models import Merchant
from gateway.api.errors import CompanyUnknown, InvalidFilter
from gateway.api.inputs.fields import Amount, Input, TimestampText
from gateway.api.operations import Resource, operation
from gateway.api.pagination import LongListQuery, ResultPage, page_of
from gateway.api.v2.balances import WalletCurrency
from gateway.api.v2.companies import own
from gateway.conversions import errors, payloads, selectors
from gateway.conversions import services as conversions
from gateway.payments.errors import CompanyNotActive, InvalidAmount
from ledger.books.errors import InsufficientBalance


class QuoteInput(Input):
    """How much to convert from which wallet to which."""

    codes: ClassVar[dict[str, type[Refusal]]] = {
        "sourceMethod": errors.InvalidWallet,
        "destinationMethod": errors.InvalidWallet,
        "sourceAmount": InvalidAmount,
        "sourceCurrency": errors.InvalidWallet,
        "destinationCurrency": errors.InvalidWallet,
    }

    source_method: payloads.WalletMethod
    destination_method: payloads.WalletMethod
    source_amount: Amount
    source_currency: WalletCurrency | None = None
    destination_currency: WalletCurrency | None = None


class ConfirmInput(Input):
    """The quote to confirm."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"quoteToken": errors.InvalidQuoteToken}

    quote_token: Annotated[str, Field(min_length=1, max_length=2048)]


class ConversionFilters(LongListQuery):
    """Which conversions."""

    otherwise = InvalidFilter

    source_currency: WalletCurrency | None = None
    destination_currency: WalletCurrency | None = None
    created_from: TimestampText | None = None
    created_to: TimestampText | None = None


class ConversionQuoteView(Resource):
    tag = "Conversions"

    @operation(
        "quoteConversion",
        "conversions:write",
        takes=QuoteInput,
        gives=payloads.QuotePayload,
        success="Quote.",
        refuses=[
            CompanyUnknown,
            *QuoteInput.codes.values(),
            errors.CurrencyRequired,
            CompanyNotActive,
            errors.ConversionDisabled,
            errors.ConversionTooSmall,
            errors.ConversionUnavailable,
        ],
    )
    def post(self, merchant: Merchant, wanted: QuoteInput, company_id: str) -> payloads.QuotePayload:
        """Quote a conversion

        The market rate less your spread, valid for 60 seconds. Nothing moves, and the balance is not checked.
        Show the rates, the spread, the result and `expiresAt` before you confirm. A new quote needs a new
        idempotency key.
        """
        own(merchant, company_id)
        draft = conversions.ConversionDraft(
            source_method=wanted.source_method,
            destination_method=wanted.destination_method,
            source_amount=wanted.source_amount,
            source_currency=wanted.source_currency,
            destination_currency=wanted.destination_currency,
        )
        return payloads.quote(conversions.quote(merchant, draft))


class ConversionConfirmationView(Resource):
    tag = "Conversions"

    @operation(
        "confirmConversion",
        "conversions:write",
        takes=ConfirmInput,
        gives=payloads.ConversionPayload,
        status=201,
        success="Conversion completed.",
        refuses=[
            CompanyUnknown,
            errors.InvalidQuoteToken,
            CompanyNotActive,
            errors.ConversionDisabled,
            errors.QuoteAlreadyUsed,
            errors.QuoteExpired,
            errors.QuoteTermsChanged,
            InsufficientBalance,
        ],
    )
    def post(self, merchant: Merchant, wanted: ConfirmInput, company_id: str) -> payloads.ConversionPayload:
        """Confirm a conversion

        Both wallets move at the quoted rate, or neither does. Use one idempotency key per conversion and repeat
        it with every retry. A quote can be confirmed once; request a new one after it has expired.
        """
        own(merchant, company_id)
        return payloads.conversion(conversions.confirm(merchant, wanted.quote_token))


class ConversionsView(Resource):
    tag = "Conversions"

    @operation(
        "listConversions",
        "balances:read",
        query=ConversionFilters,
        gives=payloads.ConversionPayload,
        refuses=[CompanyUnknown, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: ConversionFilters, company_id: str) -> ResultPage:
        """List conversions

        Newest first, each with its rates.
        """
        own(merchant, company_id)
        rows, whole = selectors.listed(merchant, **query.filters()), selectors.listed(merchant)
        return page_of(rows, query, payloads.conversion, whole=whole)


class ConversionView(Resource):
    tag = "Conversions"

    @operation(
        "getConversion",
        "balances:read",
        gives=payloads.ConversionPayload,
        refuses=[CompanyUnknown, errors.ConversionUnknown],
    )
    def get(self, merchant: Merchant, company_id: str, conversion_id: str) -> payloads.ConversionPayload:
        """Get a conversion

        The same object that confirming it returned.
        """
        own(merchant, company_id)
        return payloads.conversion(selectors.get(merchant, conversion_id))
