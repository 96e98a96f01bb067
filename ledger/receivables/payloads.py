"""The JSON of advances and releases, for their events (contract §13.5)."""

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from accounts.base.wire import Number, Timestamp, optional_timestamp, timestamp
from ledger.money import to_decimal
from ledger.receivables.models import Advance


class AdvancePayload(TypedDict):
    """An advance on receivables that was requested in the dashboard."""

    id: str
    state: Literal["UNDER_REVIEW", "APPROVED", "REFUSED"]
    receivableIds: list[str]
    grossAmount: Number
    feeAmount: Number
    netAmount: Number
    currency: str
    requestedAt: Timestamp
    decidedAt: Timestamp | None


class ReleasedPayload(TypedDict):
    """Money of one wallet that became available in one run."""

    walletMethod: str
    currency: str
    amount: Number
    count: int
    releasedAt: Timestamp


def advance(advance: Advance) -> AdvancePayload:
    return {
        "id": advance.id,
        "state": str(advance.state),  # type: ignore[typeddict-item]
        "receivableIds": list(advance.items.order_by("receivable_id").values_list("receivable_id", flat=True)),
        "grossAmount": to_decimal(advance.gross_amount, advance.currency),
        "feeAmount": to_decimal(advance.fee, advance.currency),
        "netAmount": to_decimal(advance.net, advance.currency),
        "currency": advance.currency,
        "requestedAt": timestamp(advance.requested_at),
        "decidedAt": optional_timestamp(advance.decided_at),
    }


def released(method: str, currency: str, amount: int, count: int, at: datetime) -> ReleasedPayload:
    """`amount` in minor units."""
    return {
        "walletMethod": method,
        "currency": currency,
        "amount": to_decimal(amount, currency),
        "count": count,
        "releasedAt": timestamp(at),
    }
