"""What the bank answers, as far as we read it: the schemas Cob, CobV, Pix and Devolucao of API Pix 2.9."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, AwareDatetime, BeforeValidator, Field, StringConstraints, TypeAdapter
from pydantic.dataclasses import dataclass
from pydantic_core import to_jsonable_python

from gateway.methods.rail import Clawback

EndToEndId = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9]{32}$")]
_sum = TypeAdapter(Annotated[str, StringConstraints(pattern=r"^[0-9]{1,10}\.[0-9]{2}$")])
Amount = Annotated[Decimal, BeforeValidator(_sum.validate_python)]
"""BRL: a text with two decimals on the wire."""
MED = "MED_"
REASON_CODES = {"MED_FRAUDE": "FRAUD", "MED_OPERACIONAL": "OPERATIONAL_ERROR"}
"""Natures of returns, in the terms of contract §7.6."""


@dataclass(frozen=True, slots=True)
class ReturnedPix:
    """A return (devolução) of received money. `nature`: ORIGINAL was requested by us, MED_… by Banco Central's MED."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9]{1,35}$")]
    reference: Annotated[EndToEndId, Field(validation_alias="rtrId")]
    amount: Annotated[Amount, Field(validation_alias="valor")]
    status: str
    nature: Annotated[str, Field(validation_alias="natureza")] = "ORIGINAL"
    reason: Annotated[str, Field(validation_alias="motivo")] = ""

    @property
    def name(self) -> str:
        return self.id


@dataclass(frozen=True, slots=True)
class ReceivedPix:
    """Money that arrived, without who sent it. `txid` names the charge; money sent to the key alone has none."""

    end_to_end_id: Annotated[EndToEndId, Field(validation_alias="endToEndId")]
    amount: Annotated[Amount, Field(validation_alias="valor")]
    at: Annotated[AwareDatetime, Field(validation_alias="horario")]
    txid: str | None = None
    returns: Annotated[tuple[ReturnedPix, ...], Field(validation_alias="devolucoes")] = ()

    @property
    def name(self) -> str:
        return self.end_to_end_id

    def clawbacks(self) -> Iterator[Clawback]:
        """The returns that the bank made itself, or is making, by the rules of MED. Not what it could not return."""
        for one in self.returns:
            if one.nature.startswith(MED) and one.status != "NAO_REALIZADO":
                reason_code, is_done = REASON_CODES.get(one.nature, "OTHER"), one.status == "DEVOLVIDO"
                yield Clawback(one.reference, self.end_to_end_id, one.amount, "BRL", reason_code, is_done)

    def described(self) -> dict[str, Any]:
        """As JSON, for details that are stored."""
        return {"pixEndToEndId": self.end_to_end_id, "currency": "BRL"} | {
            name: value for name, value in to_jsonable_python(self).items() if name not in ("end_to_end_id", "txid")
        }


@dataclass(frozen=True, slots=True)
class Charge:
    """A charge, with or without a due date. New values of `status` may appear at any time."""

    txid: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9]{26,35}$")]
    status: str
    amount: Annotated[Amount, Field(validation_alias=AliasPath("valor", "original"))]
    code: Annotated[str, Field(validation_alias="pixCopiaECola", max_length=512)] = ""
    location: Annotated[str, Field(validation_alias=AliasChoices("location", AliasPath("loc", "location")))] = ""
    received: Annotated[tuple[ReceivedPix, ...], Field(validation_alias="pix")] = ()

    @property
    def name(self) -> str:
        return self.txid


@dataclass(frozen=True, slots=True)
class Listing:
    """Received money, in a callback or on a page of a list."""

    received: Annotated[tuple[ReceivedPix, ...], Field(validation_alias="pix")]
    pages: Annotated[int, Field(validation_alias=AliasPath("parametros", "paginacao", "quantidadeDePaginas"))] = 1


@dataclass(frozen=True, slots=True)
class Nothing:
    """An answer of which only the status is read."""
