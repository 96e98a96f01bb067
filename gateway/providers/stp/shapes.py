"""What STP answers and tells, as far as we read it."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, BeforeValidator, Field
from pydantic.dataclasses import dataclass

RETURNS = (0, 16, 17, 18, 23, 24)
"""Kinds of payment (tipoPago) that send back what was sent before."""
CREDITED = ("LQ", "TLQ", "CXO", "CCE", "CCO")
"""States of a received order whose money is on our account."""
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else str(value).strip())]
Amount = Annotated[Decimal, Field(gt=0, max_digits=19, decimal_places=2)]


@dataclass(frozen=True, slots=True)
class SentOrder:
    """An order of ours. New values of `state` may appear at any time."""

    key: Annotated[Text, Field(validation_alias="claveRastreo")]
    state: Annotated[Text, Field(validation_alias="estado")]
    amount: Annotated[Amount, Field(validation_alias="monto")]
    account: Annotated[Text, Field(validation_alias="cuentaBeneficiario")]
    day: Annotated[int, Field(validation_alias="fechaOperacion")]
    institution: Annotated[int, Field(validation_alias="institucionContraparte")]
    cause: Annotated[Text, Field(validation_alias="causaDevolucion")] = ""
    receipt: Annotated[Text, Field(validation_alias="urlCEP")] = ""


@dataclass(frozen=True, slots=True)
class ReceivedOrder:
    """Money that arrived. A tracking key (clave de rastreo) is its sender's: another bank may use the same one."""

    key: Annotated[Text, Field(validation_alias="claveRastreo", min_length=1, max_length=40)]
    state: Annotated[Text, Field(validation_alias="estado")]
    amount: Annotated[Amount, Field(validation_alias="monto")]
    clabe: Annotated[Text, Field(validation_alias="cuentaBeneficiario")]
    day: Annotated[int, Field(validation_alias="fechaOperacion")]
    institution: Annotated[int, Field(validation_alias="institucionContraparte")]
    kind: Annotated[int, Field(validation_alias="tipoPago")]
    sender: Annotated[Text, Field(validation_alias="nombreOrdenante")] = ""
    sender_account: Annotated[Text, Field(validation_alias="cuentaOrdenante")] = ""
    sender_tax_id: Annotated[Text, Field(validation_alias="rfcCurpOrdenante")] = ""

    @property
    def reference(self) -> str:
        """What names this money and no other: the sender's key, its institution and the day."""
        return f"{self.key}-{self.institution}-{self.day}"

    @property
    def is_money(self) -> bool:
        """Whether it is a payer's money on our account, and not an order of ours that came back."""
        return self.state in CREDITED and self.kind not in RETURNS

    @property
    def is_returned(self) -> bool:
        """Whether it is an order that came back and is on our account again."""
        return self.state in CREDITED and self.kind in RETURNS


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to a request: `error` says why it was not carried out, `id` is its number or the order's."""

    id: Annotated[int, Field(validation_alias=AliasPath("resultado", "id"))]
    error: Annotated[Text, Field(validation_alias=AliasPath("resultado", "descripcionError"))] = ""
    order: Annotated[SentOrder | None, Field(validation_alias=AliasPath("resultado", "ordenPago"))] = None
    listed: Annotated[tuple[dict[str, Any] | None, ...], Field(validation_alias=AliasPath("resultado", "lst"))] = ()

    @property
    def is_nothing_found(self) -> bool:
        return self.id == -100 and self.error.startswith("No se encontr")


@dataclass(frozen=True, slots=True)
class Deposit:
    """A callback about money that arrived (abono)."""

    empresa: str
    clabe: Annotated[Text, Field(validation_alias="cuentaBeneficiario")]
    key: Annotated[Text, Field(validation_alias="claveRastreo")]
    kind: Annotated[int, Field(validation_alias="tipoPago")] = 1


@dataclass(frozen=True, slots=True)
class StateChange:
    """A callback about an order of ours, which is named by the number that we gave it."""

    empresa: str
    state: Annotated[Text, Field(validation_alias="estado")]
    key: Annotated[Text, Field(validation_alias=AliasChoices("folioOrigen", "claveRastreo"))]


@dataclass(frozen=True, slots=True)
class Account:
    """Whom a callback concerns."""

    empresa: str
