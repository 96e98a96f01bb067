"""What Adyen answers and sends, as far as we read it: Checkout v72 and webhooks v1 (github.com/Adyen/adyen-openapi)."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AliasPath, Field, StringConstraints
from pydantic.dataclasses import dataclass

from ledger.money import DECIMALS, to_decimal

PspReference = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,40}$")]
"""Adyen's id of a payment, or of a request to change one."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Minor units."""

    value: Annotated[int, Field(ge=0, le=10**15, strict=True)]
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]

    @property
    def exact(self) -> Decimal | None:
        """The amount; None in a currency that is none of ours."""
        return to_decimal(self.value, self.currency) if self.currency in DECIMALS else None


@dataclass(frozen=True, slots=True)
class Paid:
    """The answer to a payment. New values of `result` may appear at any time; `action` is for the payer's device."""

    result: Annotated[str, Field(validation_alias="resultCode")]
    psp: Annotated[PspReference | None, Field(validation_alias="pspReference")] = None
    reference: Annotated[str | None, Field(validation_alias="merchantReference")] = None
    amount: Amount | None = None
    reason: Annotated[str, Field(validation_alias="refusalReasonCode")] = ""
    action: dict[str, Any] | None = None
    extra: Annotated[dict[str, Any] | None, Field(validation_alias="additionalData")] = None


@dataclass(frozen=True, slots=True)
class QrCode:
    """What the payer of a PIX payment scans."""

    code: Annotated[str, Field(validation_alias="qrCodeData", min_length=1, max_length=512)]


@dataclass(frozen=True, slots=True)
class Voucher:
    """A boleto: its digitable line, as people read it."""

    line: Annotated[str, Field(validation_alias="reference", max_length=100)]


@dataclass(frozen=True, slots=True)
class Received:
    """Adyen will carry out a capture, cancellation or refund, and tells the outcome by a webhook."""

    psp: Annotated[PspReference, Field(validation_alias="pspReference")]
    status: Annotated[str, StringConstraints(pattern="^received$")]


@dataclass(frozen=True, slots=True)
class Methods:
    """The payment methods of a merchant account."""

    types: Annotated[list[dict[str, Any]], Field(validation_alias="paymentMethods")]


@dataclass(frozen=True, slots=True)
class Stored:
    """A card in the vault; the year has two digits."""

    id: str
    last4: Annotated[str, Field(validation_alias="lastFour")] = ""
    month: Annotated[str, Field(validation_alias="expiryMonth")] = ""
    year: Annotated[str, Field(validation_alias="expiryYear")] = ""


@dataclass(frozen=True, slots=True)
class StoredMethods:
    """The cards of a shopper in the vault."""

    methods: Annotated[list[Stored], Field(validation_alias="storedPaymentMethods", default_factory=list)]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a request was not carried out (docs.adyen.com/development-resources/error-codes)."""

    status: int
    code: Annotated[str, Field(validation_alias="errorCode", max_length=20)]
    type: Annotated[str, Field(validation_alias="errorType", max_length=40)]


@dataclass(frozen=True, slots=True)
class Item:
    """One notification. Its signature covers all members but `method`, `reason` and `extra`."""

    event: Annotated[str, Field(validation_alias="eventCode")]
    success: Annotated[str, StringConstraints(pattern="^(true|false)$")]
    psp: Annotated[PspReference, Field(validation_alias="pspReference")]
    account: Annotated[str, Field(validation_alias="merchantAccountCode")]
    reference: Annotated[str, Field(validation_alias="merchantReference")]
    amount: Amount
    original: Annotated[
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{0,64}$")] | None,
        Field(validation_alias="originalReference"),
    ] = None
    method: Annotated[str | None, Field(validation_alias="paymentMethod")] = None
    reason: str | None = None
    extra: Annotated[dict[str, Any] | None, Field(validation_alias="additionalData")] = None


@dataclass(frozen=True, slots=True)
class Notification:
    """A standard webhook: `live` is "true" or "false"."""

    live: Annotated[str, StringConstraints(pattern="^(true|false)$")]
    items: Annotated[list[dict[str, Any]], Field(validation_alias="notificationItems", min_length=1, max_length=1000)]


@dataclass(frozen=True, slots=True)
class Wrapped:
    item: Annotated[Item, Field(validation_alias=AliasPath("NotificationRequestItem"))]
