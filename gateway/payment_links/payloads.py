"""The JSON of a payment link."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.base.wire import Number, Timestamp, optional_timestamp, timestamp
from accounts.environments import base_url
from gateway.payment_links.models import PaymentLink
from gateway.payments.payloads import MethodName
from ledger.money import to_decimal

LinkStatusName = Literal["ACTIVE", "PAUSED", "EXPIRED", "USED_UP", "ENDED"]


class PaymentLinkPayload(TypedDict):
    """A payment link. Either `amount`, or `minAmount` and `maxAmount`, are null."""

    id: str
    companyId: str
    environment: Literal["SANDBOX", "PRODUCTION"]
    status: LinkStatusName
    url: str
    description: str
    currency: str
    amount: Number | None
    minAmount: Number | None
    maxAmount: Number | None
    methods: list[MethodName]
    maxUses: int | None
    paidCount: int
    openCount: int
    expiresAt: Timestamp | None
    referencePrefix: str | None
    collectsContact: bool
    createdAt: Timestamp
    updatedAt: Timestamp


def url(link: PaymentLink) -> str:
    """The public address, which payers open."""
    return f"{base_url(link.merchant.environment)}/pay/{link.token}"


def payment_link(link: PaymentLink) -> PaymentLinkPayload:
    """The link as `selectors` read it."""
    least, most = to_decimal(link.least, link.currency), to_decimal(link.most, link.currency)
    return {
        "id": link.id,
        "companyId": link.merchant.company_id,
        "environment": link.merchant.environment,  # type: ignore[typeddict-item]
        "status": link.status,  # type: ignore[attr-defined]
        "url": url(link),
        "description": link.description,
        "currency": link.currency,
        "amount": least if link.is_fixed else None,
        "minAmount": None if link.is_fixed else least,
        "maxAmount": None if link.is_fixed else most,
        "methods": list(link.methods),  # type: ignore[arg-type]
        "maxUses": link.max_uses,
        "paidCount": link.paid,  # type: ignore[attr-defined]
        "openCount": link.taken - link.paid,  # type: ignore[attr-defined]
        "expiresAt": optional_timestamp(link.expires_at),
        "referencePrefix": link.reference_prefix or None,
        "collectsContact": link.collects_contact,
        "createdAt": timestamp(link.created_at),
        "updatedAt": timestamp(link.updated_at),
    }
