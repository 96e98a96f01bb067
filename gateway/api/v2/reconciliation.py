"""A day of a company, reconciled (contract §10.4)."""

from datetime import UTC, date, datetime
from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field, WithJsonSchema
from typing_extensions import TypedDict

from accounts.base import clock
from accounts.base.errors import Fault
from accounts.base.wire import Number, Timestamp, timestamp
from accounts.models import Merchant
from gateway.api.errors import CompanyUnknown, InvalidFilter
from gateway.api.inputs.fields import wrong
from gateway.api.operations import Resource, operation
from gateway.api.pagination import Paged, ResultPage
from gateway.api.v2.companies import own
from gateway.months import days
from gateway.months.books import Part
from gateway.months.calendar import zone
from gateway.months.days import Day, WalletDay
from gateway.months.figures import Category, Subjects, subject_id
from ledger.chart import WALLET_METHOD
from ledger.money import to_decimal

FIRST = date(2000, 1, 1)
CategoryName = Literal["SALES", "REFUNDS", "DISPUTES", "PAYOUTS", "CONVERSIONS", "ADVANCES", "OTHER"]


class ReconciliationLinePayload(TypedDict):
    """One movement of a wallet as a whole: `gross` less `fee` is `net`, which is negative for money out."""

    at: Timestamp
    category: CategoryName
    kind: str
    objectId: str
    paymentId: str | None
    reference: str | None
    walletMethod: str
    currency: str
    gross: Number
    fee: Number
    net: Number


ReconciledWalletPayload = TypedDict(
    "ReconciledWalletPayload",
    {
        "walletMethod": str,
        "currency": str,
        "date": str,
        "timeZone": str,
        "from": Timestamp,
        "to": Timestamp,
        "isOver": bool,
        "opening": Number,
        "sales": Number,
        "fees": Number,
        "refunds": Number,
        "disputes": Number,
        "payouts": Number,
        "conversions": Number,
        "advances": Number,
        "other": Number,
        "ending": Number,
    },
)
"""A wallet on the day, over all pages: `opening` plus the movements is `ending`, to the cent."""


def _zone(value: Any) -> ZoneInfo:
    try:
        return ZoneInfo(value) if isinstance(value, str) else ZoneInfo("")
    except (KeyError, ValueError, OSError):
        raise wrong("UNKNOWN_VALUE", "Must be a time zone like America/Sao_Paulo.") from None


def _date(value: Any) -> date:
    try:
        found = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC).date()
    except (ValueError, TypeError):
        raise wrong("INVALID", "Must be a date like 2026-11-20.") from None
    if found < FIRST:
        raise wrong("OUT_OF_RANGE", "Must not be before the year 2000.")
    return found


class ReconciliationQuery(Paged):
    """Which day."""

    otherwise = InvalidFilter
    totals: ClassVar[Any] = ReconciledWalletPayload

    date: Annotated[
        date,
        BeforeValidator(_date),
        WithJsonSchema({"type": "string", "format": "date", "examples": ["2026-11-20"]}),
        Field(description="The day"),
    ]
    time_zone: Annotated[
        Annotated[ZoneInfo, BeforeValidator(_zone), WithJsonSchema({"type": "string"})] | None,
        Field(description="Whose day it is; without it, that of the company's country"),
    ] = None


class ReconciliationView(Resource):
    tag = "Companies"

    @operation(
        "reconcileDay",
        "balances:read",
        query=ReconciliationQuery,
        gives=ReconciliationLinePayload,
        refuses=[CompanyUnknown, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: ReconciliationQuery, company_id: str) -> ResultPage:
        """Reconcile a day

        Everything that moved the wallets on a day, oldest first, with gross, fee and net; and in `totals` each wallet
        from `opening` to `ending`, over all pages. The sums are those of the statement and of `balance/explain` with
        the bucket TOTAL. A day that is not over says so (`isOver`): it can still change.
        """
        own(merchant, company_id)
        own_zone = query.time_zone or zone(merchant)
        if query.date > clock.now(merchant).astimezone(own_zone).date():
            raise InvalidFilter(faults=[Fault("date", "OUT_OF_RANGE", "Must not be in the future.")])
        day = days.day_of(merchant, query.date, own_zone)
        wallets = days.wallets(merchant, day)
        skip = (query.page_number - 1) * query.page_size
        parts = days.page(merchant, day, skip=skip, size=query.page_size)
        subjects = Subjects.of(parts)
        return ResultPage(
            [_line(part, subjects) for part in parts],
            query.page_number,
            query.page_size,
            days.count(merchant, day),
            {"totals": [_wallet(currency, wallet, day, query.date, own_zone) for currency, wallet in wallets.items()]},
        )


def _line(part: Part, subjects: Subjects) -> ReconciliationLinePayload:
    about = subject_id(part)
    refund, withdrawal = subjects.refunds.get(about), subjects.withdrawals.get(about)
    payment = refund.payment if refund else subjects.payments.get(about)
    fee = part.fee + part.advance_fee
    return {
        "at": timestamp(part.posted_at),
        "category": subjects.category(part).upper(),  # type: ignore[typeddict-item]
        "kind": part.kind,
        "objectId": about,
        "paymentId": payment.pk if payment else None,
        "reference": payment.reference if payment else withdrawal.reference if withdrawal else None,
        "walletMethod": WALLET_METHOD[part.currency],
        "currency": part.currency,
        "gross": to_decimal(part.amount, part.currency),
        "fee": to_decimal(fee, part.currency),
        "net": to_decimal(part.net, part.currency),
    }


def _wallet(currency: str, wallet: WalletDay, day: Day, of_date: date, of_zone: ZoneInfo) -> ReconciledWalletPayload:
    moved = {name: to_decimal(wallet.movements[name].amount, currency) for name in Category}
    return {
        "walletMethod": WALLET_METHOD[currency],
        "currency": currency,
        "date": of_date.isoformat(),
        "timeZone": of_zone.key,
        "from": timestamp(day.begins.astimezone(UTC)),
        "to": timestamp(day.ends.astimezone(UTC)),
        "isOver": day.is_over,
        "opening": to_decimal(wallet.opening, currency),
        "sales": moved[Category.SALES],
        "fees": moved[Category.FEES],
        "refunds": moved[Category.REFUNDS],
        "disputes": moved[Category.DISPUTES],
        "payouts": moved[Category.PAYOUTS],
        "conversions": moved[Category.CONVERSIONS],
        "advances": moved[Category.ADVANCES],
        "other": moved[Category.OTHER],
        "ending": to_decimal(wallet.ending, currency),
    }
