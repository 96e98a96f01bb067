"""The preflight of a withdrawal as its payload (contract §11)."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.base.wire import Number, plain
from gateway.api.errors import WrongMemberPayload
from gateway.withdrawals.preflight import Gate, Preflight, PreflightDraft
from ledger.money import to_decimal

GateName = Literal[
    "PERMISSION", "REGISTERED_IP", "COMPANY_ACTIVE", "WITHDRAWAL_ENABLED", "NO_WAIT", "BODY", "OWN_COMPANY", "RAIL",
    "RATE", "LIMITS", "BENEFICIARY", "OWN_LIMITS", "REFERENCE", "BALANCE",
]  # fmt: skip


class GatePayload(TypedDict):
    """A check; `holds` is null if it cannot be evaluated before others pass. `code` is the error that would be
    returned.
    """

    gate: GateName
    holds: bool | None
    code: str | None
    message: str | None
    field: str | None
    fields: list[WrongMemberPayload]


class PricePayload(TypedDict):
    """The price. Limits are in the payout currency; the last two only with a conversion."""

    payoutCurrency: str | None
    minimum: Number | None
    maximum: Number | None
    fee: Number | None
    totalDebited: Number | None
    assetAmount: Number | None
    appliedRate: Number | None


class PreflightPayload(PricePayload):
    """Whether the withdrawal would be accepted now, and the address from which we see you."""

    wouldBeAccepted: bool
    approvalsRequired: int | None
    origin: str | None
    registeredIp: str | None
    gates: list[GatePayload]


def gate_payload(gate: Gate) -> GatePayload:
    refused = gate.refusal.body() if gate.refusal else {}
    return {
        "gate": gate.name,  # type: ignore[typeddict-item]
        "holds": gate.holds,
        "code": refused.get("code"),
        "message": refused.get("message"),
        "field": refused.get("field"),
        "fields": refused.get("fields", []),
    }


def price_payload(draft: PreflightDraft, found: Preflight) -> PricePayload:
    paid_out, terms, price = draft.payout_currency, found.terms, found.price
    wallet = draft.currency or ""
    return {
        "payoutCurrency": paid_out,
        "minimum": to_decimal(terms.minimum, paid_out) if terms and paid_out else None,
        "maximum": to_decimal(terms.maximum, paid_out) if terms and paid_out else None,
        "fee": to_decimal(price.fee, wallet) if price else None,
        "totalDebited": to_decimal(price.amount + price.fee, wallet) if price else None,
        "assetAmount": to_decimal(max(price.payout, 0), paid_out) if price and price.gross and paid_out else None,
        "appliedRate": plain(price.applied_rate) if price and price.applied_rate else None,
    }
