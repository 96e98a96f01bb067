"""Balances, what they consist of, and how they came about (contract §10)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal

from django.db.models import Count, QuerySet, Sum
from pydantic import Field
from typing_extensions import TypedDict

from accounts.base import clock
from accounts.base.errors import Fault, Refusal
from accounts.base.wire import Number, Timestamp, optional_timestamp, timestamp
from accounts.models import Merchant
from gateway.api.errors import CompanyUnknown, InvalidFilter
from gateway.api.inputs.fields import Input, TimestampText
from gateway.api.operations import Resource, operation
from gateway.api.pagination import LongListQuery, Paged, ResultPage, page_of
from gateway.api.v2.companies import own
from gateway.payments.errors import InvalidCurrency
from gateway.payments.payloads import MethodName
from ledger.books.models import Entry
from ledger.chart import BUCKETS, WALLET_METHOD, AccountKind
from ledger.holds import selectors as holds
from ledger.holds.models import Hold
from ledger.money import to_decimal
from ledger.receivables import selectors as receivables
from ledger.receivables.models import Receivable
from ledger.wallets import selectors as wallets
from ledger.wallets.explain import cause_of, explain
from ledger.wallets.statement import length, statement

WalletCurrency = Literal["BRL", "MXN", "EUR", "COP", "ARS"]
BucketName = Literal["AVAILABLE", "RELEASING", "BLOCKED"]
CauseName = Literal[
    "PAYMENTS", "FEES", "RELEASES", "ADVANCES", "ADVANCE_FEES", "REFUNDS", "WITHDRAWALS", "CONVERSIONS", "BLOCKS",
    "ADJUSTMENTS",
]  # fmt: skip
ReasonName = Literal[
    "REFUND_DISPUTE", "REFUND_PROCESSING", "MED", "WITHDRAWAL_PROCESSING", "COMPLIANCE", "LEGAL_ORDER",
    "ROLLING_RESERVE",
]  # fmt: skip


# ── Answers ───────────────────────────────────────────────────────────────────────────────────────────────────────
class CurrencyBalancePayload(TypedDict):
    """The company's balance in a currency; `total` is the sum of the three."""

    currency: str
    available: Number
    releasing: Number
    blocked: Number
    total: Number


class WalletBalancePayload(CurrencyBalancePayload):
    """The balance of a wallet. A wallet is named after the rail that pays its money out."""

    method: str


class BalancePayload(TypedDict):
    """All of the company's money, by currency and by wallet."""

    companyId: str
    balances: list[CurrencyBalancePayload]
    wallets: list[WalletBalancePayload]
    updatedAt: Timestamp


class TotalPayload(TypedDict):
    """The total of everything that matches the filters in a currency, over all pages."""

    currency: str
    amount: Number


class ReleasingPayload(TypedDict):
    """What remains of a payment's net until `releaseAt`."""

    id: str
    paymentId: str
    reference: str
    method: MethodName
    walletMethod: str
    currency: str
    grossAmount: Number
    fee: Number
    refundedAmount: Number
    amount: Number
    state: Literal["SCHEDULED", "RESERVED_FOR_ADVANCE"]
    releaseAt: Timestamp
    createdAt: Timestamp


class BlockedPayload(TypedDict):
    """Money that is held, why, and the refund or withdrawal it belongs to."""

    id: str
    reason: ReasonName
    walletMethod: str
    currency: str
    amount: Number
    paymentId: str | None
    refundId: str | None
    withdrawalId: str | None
    caseNumber: str | None
    expectedReleaseAt: Timestamp | None
    createdAt: Timestamp


class CausePayload(TypedDict):
    """The total of one cause; `count` is the number of postings."""

    cause: CauseName
    count: int
    amount: Number


ExplanationPayload = TypedDict(
    "ExplanationPayload",
    {
        "companyId": str,
        "currency": str,
        "bucket": Literal["AVAILABLE", "RELEASING", "BLOCKED", "TOTAL"],
        "from": Timestamp | None,
        "at": Timestamp,
        "opening": Number,
        "causes": list[CausePayload],
        "ending": Number,
    },
)
"""How a balance came about: `opening` plus all causes is `ending`, to the cent."""


class StatementLinePayload(TypedDict):
    """One movement of a bucket. `kind` and `reference` identify the posting; `amount` is negative for a debit."""

    at: Timestamp
    cause: CauseName
    kind: str
    reference: str
    amount: Number
    balanceAfter: Number


def _amounts(holding: wallets.Holding, currency: str) -> CurrencyBalancePayload:
    return {
        "currency": currency,
        "available": to_decimal(holding.available, currency),
        "releasing": to_decimal(holding.releasing, currency),
        "blocked": to_decimal(holding.blocked, currency),
        "total": to_decimal(holding.total, currency),
    }


def balance_payload(merchant: Merchant, currency: str | None) -> BalancePayload:
    found = wallets.holdings(merchant, currency)
    return {
        "companyId": merchant.company_id,
        "balances": [_amounts(holding, code) for code, holding in found.currencies.items()],
        "wallets": [{"method": m, **_amounts(holding, code)} for (m, code), holding in found.wallets.items()],
        "updatedAt": timestamp(found.updated_at or merchant.created_at),
    }


def releasing_payload(receivable: Receivable) -> ReleasingPayload:
    currency = receivable.currency
    return {
        "id": receivable.id,
        "paymentId": receivable.payment_id,
        "reference": receivable.payment_reference,
        "method": receivable.method,  # type: ignore[typeddict-item]
        "walletMethod": WALLET_METHOD[currency],
        "currency": currency,
        "grossAmount": to_decimal(receivable.gross_amount, currency),
        "fee": to_decimal(receivable.fee, currency),
        "refundedAmount": to_decimal(receivable.refunded_amount, currency),
        "amount": to_decimal(receivable.amount, currency),
        "state": receivable.state,  # type: ignore[typeddict-item]
        "releaseAt": timestamp(receivable.release_at),
        "createdAt": timestamp(receivable.created_at),
    }


def blocked_payload(hold: Hold) -> BlockedPayload:
    return {
        "id": hold.id,
        "reason": hold.reason,  # type: ignore[typeddict-item]
        "walletMethod": WALLET_METHOD[hold.currency],
        "currency": hold.currency,
        "amount": to_decimal(hold.amount, hold.currency),
        "paymentId": hold.payment_id,
        "refundId": hold.refund_id,
        "withdrawalId": hold.withdrawal_id,
        "caseNumber": hold.case_number or None,
        "expectedReleaseAt": optional_timestamp(hold.expected_release_at),
        "createdAt": timestamp(hold.created_at),
    }


def statement_line_payload(entry: Entry) -> StatementLinePayload:
    return {
        "at": timestamp(entry.transfer.posted_at),
        "cause": cause_of(entry.transfer.kind).value,
        "kind": entry.transfer.kind,
        "reference": entry.transfer.reference,
        "amount": to_decimal(entry.amount, entry.currency),
        "balanceAfter": to_decimal(entry.balance_after, entry.currency),
    }


# ── Questions ─────────────────────────────────────────────────────────────────────────────────────────────────────
OfCurrency = Annotated[WalletCurrency | None, Field(description="Only this one")]
Instant = Annotated[TimestampText, Field(ge=datetime(2000, 1, 1, tzinfo=UTC))]
_CURRENCY: dict[str, type[Refusal]] = {"currency": InvalidCurrency}


class BalanceQuery(Input):
    """Which balance."""

    codes: ClassVar[dict[str, type[Refusal]]] = _CURRENCY
    currency: OfCurrency = None


class _Parts(LongListQuery):
    """The query of a bucket's components; `totals` are next to the page."""

    codes: ClassVar[dict[str, type[Refusal]]] = LongListQuery.codes | _CURRENCY
    otherwise = InvalidFilter
    totals: ClassVar[Any] = TotalPayload

    currency: OfCurrency = None


class ReleasingFilters(_Parts):
    """Which receivables."""

    method: Annotated[MethodName | None, Field(description="Of the payment")] = None
    release_from: Annotated[TimestampText | None, Field(description="Due then or later")] = None
    release_to: Annotated[TimestampText | None, Field(description="Due before then")] = None


class BlockedFilters(_Parts):
    """Which blocks."""

    reason: ReasonName | None = None


class ExplainQuery(Input):
    """Which balance, and when."""

    codes: ClassVar[dict[str, type[Refusal]]] = _CURRENCY
    otherwise = InvalidFilter

    currency: WalletCurrency
    bucket: Literal["AVAILABLE", "RELEASING", "BLOCKED", "TOTAL"] = "AVAILABLE"
    at: Annotated[Instant | None, Field(description="The balance then; without it, now")] = None
    since: Annotated[Instant | None, Field(alias="from", description="The story from then on; without it, all")] = None


class StatementFilters(Paged):
    """Which entries."""

    codes: ClassVar[dict[str, type[Refusal]]] = Paged.codes | _CURRENCY
    otherwise = InvalidFilter

    currency: WalletCurrency
    bucket: BucketName = "AVAILABLE"
    since: Annotated[TimestampText | None, Field(alias="from", description="Posted then or later")] = None
    until: Annotated[TimestampText | None, Field(alias="to", description="Posted before then")] = None


def _with_totals(
    rows: QuerySet[Any], query: LongListQuery, payload: Callable[[Any], Any], whole: QuerySet[Any]
) -> ResultPage:
    """The page, and the totals of all matches."""
    sums = rows.order_by("currency").values_list("currency").annotate(Sum("amount"), Count("pk"))
    totals = [{"currency": code, "amount": to_decimal(int(amount), code)} for code, amount, _ in sums]
    available = sum(number for *_, number in sums)
    page = page_of(rows, query, payload, whole=whole, available=available)
    return replace(page, totals={"totals": totals})


# ── Operations ────────────────────────────────────────────────────────────────────────────────────────────────────
class BalanceView(Resource):
    tag = "Companies"

    @operation(
        "getBalance",
        "balances:read",
        query=BalanceQuery,
        gives=BalancePayload,
        refuses=[CompanyUnknown, InvalidCurrency],
    )
    def get(self, merchant: Merchant, query: BalanceQuery, company_id: str) -> BalancePayload:
        """Read the balance

        Available, releasing and blocked money by currency and by wallet, from one snapshot.
        """
        own(merchant, company_id)
        return balance_payload(merchant, query.currency)


class ReleasingView(Resource):
    tag = "Companies"

    @operation(
        "listReleasingMoney",
        "balances:read",
        query=ReleasingFilters,
        gives=ReleasingPayload,
        refuses=[CompanyUnknown, InvalidCurrency, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: ReleasingFilters, company_id: str) -> ResultPage:
        """List releasing money

        By payment, due soonest first: money that is confirmed and not yet available. `totals` are over all pages;
        without filters they are `releasing` of the balance.
        """
        own(merchant, company_id)
        rows, whole = receivables.releasing(merchant, **query.filters()), receivables.releasing(merchant)
        return _with_totals(rows, query, releasing_payload, whole)


class BlockedView(Resource):
    tag = "Companies"

    @operation(
        "listBlockedMoney",
        "balances:read",
        query=BlockedFilters,
        gives=BlockedPayload,
        refuses=[CompanyUnknown, InvalidCurrency, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: BlockedFilters, company_id: str) -> ResultPage:
        """List held money

        Every hold with its reason, newest first. `totals` are over all pages; without filters they are `blocked` of the
        balance.
        """
        own(merchant, company_id)
        rows, whole = holds.blocked(merchant, **query.filters()), holds.blocked(merchant)
        return _with_totals(rows, query, blocked_payload, whole)


class ExplainView(Resource):
    tag = "Companies"

    @operation(
        "explainBalance",
        "balances:read",
        query=ExplainQuery,
        gives=ExplanationPayload,
        refuses=[CompanyUnknown, InvalidCurrency, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: ExplainQuery, company_id: str) -> ExplanationPayload:
        """Explain a balance

        How a bucket, or all three as `TOTAL`, went from its balance at `from` to that at `at`: `opening` plus the
        causes is `ending`, to the cent. Both instants are inclusive, by the company's clock. Payments count in
        full, with their fees separate; a payment settled in another currency counts as credited. Moves between
        buckets are not part of `TOTAL`.
        """
        own(merchant, company_id)
        at = query.at or clock.now(merchant)
        if query.since and query.since > at:
            raise InvalidFilter(faults=[Fault("from", "OUT_OF_RANGE", "Must not be after at.")])
        asked = BUCKETS if query.bucket == "TOTAL" else (AccountKind(query.bucket),)
        found = explain(merchant, query.currency, asked, at, query.since)
        return {
            "companyId": merchant.company_id,
            "currency": query.currency,
            "bucket": query.bucket,
            "from": optional_timestamp(query.since),
            "at": timestamp(at),
            "opening": to_decimal(found.opening, query.currency),
            "causes": [
                {"cause": cause.value, "count": share.count, "amount": to_decimal(share.amount, query.currency)}
                for cause, share in found.causes.items()
            ],
            "ending": to_decimal(found.ending, query.currency),
        }


class StatementView(Resource):
    tag = "Companies"

    @operation(
        "getStatement",
        "balances:read",
        query=StatementFilters,
        gives=StatementLinePayload,
        refuses=[CompanyUnknown, InvalidCurrency, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: StatementFilters, company_id: str) -> ResultPage:
        """Read the statement of a bucket

        Every movement, newest first, with the balance after it. A late posting appears where it was posted, with its
        effective time.
        """
        own(merchant, company_id)
        asked = (merchant, query.currency, AccountKind(query.bucket), query.since, query.until)
        return page_of(statement(*asked), query, statement_line_payload, available=length(*asked))
