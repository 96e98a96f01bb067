"""The body of POST /payments (contract §5)."""

import re
from datetime import date
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from accounts.base import clock
from accounts.base.addresses import ForbiddenAddress
from accounts.base.errors import Fault, Refusal
from accounts.models import Environment, Merchant
from gateway.api.inputs.fields import Amount, EmailText, Input, Text, wrong
from gateway.customers.payer import Payer
from gateway.methods.errors import (
    MethodNotEnabled,
)
from gateway.methods.rail import PaymentDraft, Rail
from gateway.methods.registry import CARDS, by_currency
from gateway.methods.selectors import terms
from gateway.payments import errors, payloads, return_url
from gateway.payments import services as payments

TaxIdType = Literal[
    "CPF", "CNPJ", "RFC", "CURP", "CUIT", "CUIL", "DNI", "CC", "CE", "NIT", "TI", "PPT", "PASSPORT", "NIF"
]


Currency = Literal["BRL", "MXN", "EUR", "COP", "ARS", "USD"]


_PUNCTUATION = re.compile(r"[\s.\-/]")


_PHONE = re.compile(r"\+?[0-9]{8,15}")


def document(value: str) -> str:
    bare = _PUNCTUATION.sub("", value).upper()
    if not re.fullmatch(r"[0-9A-ZÑ&]{5,20}", bare):
        raise wrong("INVALID", "Must be the number of a tax document: 5 to 20 letters and digits.")
    return bare


def _phone(value: str) -> str:
    bare = re.sub(r"[\s\-()]", "", value)
    if not _PHONE.fullmatch(bare):
        raise wrong("INVALID", "Must be 8 to 15 digits with country and area code.")
    return "+" + bare.lstrip("+")


class AddressInput(Input):
    """The payer's address."""

    street: Annotated[Text, Field(max_length=120)] | None = None
    number: Annotated[Text, Field(max_length=20)] | None = None
    complement: Annotated[Text, Field(max_length=60)] | None = None
    district: Annotated[Text, Field(max_length=60)] | None = None
    city: Annotated[Text, Field(max_length=60)] | None = None
    state: Annotated[Text, Field(max_length=60)] | None = None
    postal_code: Annotated[Text, Field(max_length=12)] | None = None
    country: Annotated[Text, BeforeValidator(lambda sent: sent or "BR"), Field(pattern=r"^[A-Z]{2}$")] = "BR"


class PayerInput(Input):
    """The payer."""

    name: Annotated[Text, Field(min_length=2, max_length=120, examples=["Maria Silva"])]
    tax_id: Annotated[Text, AfterValidator(document), Field(examples=["52998224725"])] | None = None
    tax_id_type: TaxIdType | None = None
    email: EmailText | None = None
    phone: Annotated[Text, AfterValidator(_phone), Field(examples=["+5511999998888"])] | None = None
    address: AddressInput | None = None

    def normalized(self) -> Payer:
        return Payer(
            name=self.name,
            tax_id=self.tax_id,
            tax_id_type=self.tax_id_type,
            email=self.email,
            phone=self.phone,
            address=self.address.model_dump(by_alias=True) if self.address else None,
        )


def _time_faults(content: dict[str, Any], merchant: Merchant, rail: Rail, currency: str) -> list[Fault]:
    """A method with a fixed time ignores the value; a disabled method is reported elsewhere."""
    seconds = content.get("expiresIn")
    if seconds is None:
        return []
    try:
        offered = terms(merchant, rail.method, currency)
    except MethodNotEnabled:
        return []
    if offered.expires_in_range_s is None:
        return []
    if rail.takes_due_date and content.get("dueDate") is not None:
        return [payments.NOT_WITH_DUE_DATE]
    if not isinstance(seconds, int) or isinstance(seconds, bool):
        return [Fault("expiresIn", "INVALID", "Must be a whole number of seconds.")]
    if offered.allows_expires_in(seconds):
        return []
    return [Fault("expiresIn", "OUT_OF_RANGE", "Out of the method's range.")]


def _payer_so_far(content: dict[str, Any]) -> Payer:
    """The payer with the valid members only, so that all faults can be reported together."""
    text = {name: value for name, value in content.items() if isinstance(value, str)}
    document = _PUNCTUATION.sub("", text.get("taxId", "")).upper()
    return Payer(
        name=text.get("name", ""),
        tax_id=document or None,
        tax_id_type=text.get("taxIdType"),
        email=text.get("email"),
        phone=text.get("phone"),
        address=content["address"] if isinstance(content.get("address"), dict) else None,
    )


def _return_url_faults(sent: Any, merchant: Merchant) -> list[Fault]:
    if sent is None:
        return []
    if not isinstance(sent, str):
        return [Fault("returnUrl", "INVALID", "Must be a string.")]
    try:
        if len(sent) > 2048:
            return [Fault("returnUrl", "TOO_LONG", "Must have at most 2048 characters.")]
        return_url.parse(sent.strip(), merchant)
    except ForbiddenAddress as forbidden:
        return [Fault("returnUrl", "INVALID", forbidden.sentence, forbidden.facts)]
    return []


class PaymentInput(Input):
    """The amount, method and payer of a payment."""

    codes: ClassVar[dict[str, type[Refusal]]] = {
        "method": errors.InvalidMethod,
        "amount": errors.InvalidAmount,
        "currency": errors.InvalidCurrency,
        "reference": errors.InvalidReference,
        "payer": errors.InvalidPayer,
        "dueDate": errors.InvalidDueDate,
        "returnUrl": errors.InvalidReturnUrl,
        "paymentMethodToken": errors.InvalidPaymentMethodToken,
        "expiresIn": errors.InvalidExpiresIn,
    }

    method: payloads.MethodName
    amount: Amount
    currency: Annotated[Currency, Field(examples=["BRL"])]
    reference: Annotated[Text, Field(min_length=1, max_length=128, examples=["order-1042"])]
    payer: PayerInput
    due_date: Annotated[Any, WithJsonSchema({"type": ["string", "null"], "format": "date"})] = None
    return_url: Annotated[Any, WithJsonSchema({"type": ["string", "null"], "format": "uri", "maxLength": 2048})] = None
    payment_method_token: Annotated[str, Field(max_length=255)] | None = None
    save_payment_method: bool = False
    expires_in: Annotated[
        Any,
        WithJsonSchema({"type": ["integer", "null"], "description": "Seconds the payer has, where they can be chosen"}),
    ] = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        method, currency = content.get("method"), content.get("currency")
        found = []
        if content.get("paymentMethodToken") is not None and method not in CARDS:
            found.append(Fault("paymentMethodToken", "NOT_ALLOWED", "Only cards have tokens."))
        if content.get("savePaymentMethod") and method not in CARDS:
            found.append(Fault("savePaymentMethod", "NOT_ALLOWED", "Only cards can be saved."))
        there_are = by_currency(method) if isinstance(method, str) else {}
        if not there_are:
            return found
        if not isinstance(currency, str) or currency not in there_are:
            found.append(Fault("currency", "UNKNOWN_VALUE", "This is not a currency of the method."))
            if len(set(map(id, there_are.values()))) > 1:  # unknown market: no rules to check against
                return found
            currency = next(iter(there_are))
        else:
            found += _time_faults(content, merchant, there_are[currency], currency)
        rail = there_are[currency]
        back, token = content.get("returnUrl"), content.get("paymentMethodToken")
        if rail.market(currency).redirects_payer:
            found += _return_url_faults(back, merchant)
        payer = content.get("payer")
        draft = PaymentDraft(
            _payer_so_far(payer if isinstance(payer, dict) else {}),
            clock.now(merchant),
            currency,
            due_date=content.get("dueDate"),
            return_url=back,
            payment_method_token=token,
            save_payment_method=content.get("savePaymentMethod") is True,
        )
        return found + rail.faults(draft, strict=merchant.environment == Environment.PRODUCTION)

    @classmethod
    def preceding_refusal(cls, content: dict[str, Any], faults: list[Fault]) -> type[Refusal] | None:
        is_boleto = content.get("method") == "BOLETO"
        return errors.BoletoIncomplete if is_boleto and any(f.code == "REQUIRED" for f in faults) else None

    def request(self) -> payments.Request:
        rail = by_currency(self.method)[self.currency]
        return payments.Request(
            method=self.method,
            amount=self.amount,
            currency=self.currency,
            reference=self.reference,
            payer=self.payer.normalized(),
            expires_in_s=self.expires_in,
            due_date=date.fromisoformat(self.due_date) if self.due_date and rail.takes_due_date else None,
            return_url=self.return_url.strip() if isinstance(self.return_url, str) else None,
            payment_method_token=self.payment_method_token,
            save_payment_method=self.save_payment_method,
        )
