"""The bodies of payment links (contract §5.12)."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from accounts.base.errors import Fault, InvalidStatus, Refusal
from accounts.models import Merchant
from gateway.api.inputs.fields import Amount, ExactInput, NotNull, Text, TimestampText, wrong
from gateway.api.inputs.payments import Currency
from gateway.payment_links.errors import InvalidPaymentLink
from gateway.payment_links.models import MOST_USES, State
from gateway.payment_links.services import LinkDraft
from gateway.payments.payloads import MethodName


def _each_once(methods: list[str]) -> list[str]:
    if len(set(methods)) != len(methods):
        raise wrong("INVALID", "Every method once.")
    return methods


class PaymentLinkInput(ExactInput):
    """Either `amount`, or `minAmount` and `maxAmount`: then the payer chooses between them."""

    otherwise = InvalidPaymentLink

    description: Annotated[Text, Field(min_length=1, max_length=200, examples=["Enrolment, March"])]
    currency: Annotated[Currency, Field(examples=["BRL"])]
    amount: Annotated[Amount | None, NotNull] = None
    min_amount: Annotated[Amount | None, NotNull] = None
    max_amount: Annotated[Amount | None, NotNull] = None
    methods: Annotated[
        Annotated[list[MethodName], Field(min_length=1, max_length=10), AfterValidator(_each_once)] | None, NotNull
    ] = None
    max_uses: Annotated[int, Field(ge=1, le=MOST_USES)] | None = None
    expires_at: TimestampText | None = None
    reference_prefix: Annotated[Text, Field(max_length=40, pattern=r"^[A-Za-z0-9._-]+$")] | None = None
    collects_contact: bool = False

    codes: ClassVar[dict[str, type[Refusal]]] = {}

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        bounds = [name for name in ("minAmount", "maxAmount") if name in content]
        if "amount" in content:
            return [Fault(name, "NOT_ALLOWED", "Either amount, or minAmount and maxAmount.") for name in bounds]
        if not bounds:
            return [Fault("amount", "REQUIRED", "Either amount, or minAmount and maxAmount.")]
        missing = [name for name in ("minAmount", "maxAmount") if name not in bounds]
        if missing:
            return [Fault(missing[0], "REQUIRED", "This field is required.")]
        least, most = content["minAmount"], content["maxAmount"]
        if isinstance(least, int | Decimal) and isinstance(most, int | Decimal) and least > most:
            return [Fault("maxAmount", "OUT_OF_RANGE", "Must be at least minAmount.")]
        return []

    def draft(self) -> LinkDraft:
        least, most = self.amount or self.min_amount, self.amount or self.max_amount
        assert least is not None and most is not None
        return LinkDraft(
            description=self.description,
            currency=self.currency,
            least=least,
            most=most,
            methods=self.methods or (),
            max_uses=self.max_uses,
            expires_at=_moment(self.expires_at),
            reference_prefix=self.reference_prefix or "",
            collects_contact=self.collects_contact,
        )


def _moment(given: datetime | None) -> datetime | None:
    return given.replace(microsecond=given.microsecond // 1000 * 1000) if given else None


class PaymentLinkChangeInput(ExactInput):
    """What people decide about a link. ENDED is final."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"status": InvalidStatus}

    status: Literal["ACTIVE", "PAUSED", "ENDED"]

    @property
    def state(self) -> State:
        return State(self.status)
