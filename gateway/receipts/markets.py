"""How each market reads: its language, how it writes money and dates, and whose clock its dates are by."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from zoneinfo import ZoneInfo

from gateway.receipts.words import BRAZILIAN, ENGLISH, PORTUGUESE, SPANISH, Words

_COMMA_POINT, _POINT_COMMA, _SPACE_COMMA = ",.", ".,", "\u00a0,"


@dataclass(frozen=True, slots=True)
class Market:
    """`money` has a place for the digits; where countries share a sign, the currency's code stands behind.

    `marks` are what parts thousands and what parts decimals.
    """

    words: Words
    money: str
    marks: str
    zone: tzinfo
    zone_name: str
    form: str = "%d/%m/%Y %H:%M:%S"

    def amount(self, amount: Decimal) -> str:
        return self.money.format(f"{amount:,.2f}".translate(str.maketrans(",.", self.marks)))

    def local(self, moment: datetime) -> str:
        return moment.astimezone(self.zone).strftime(self.form)

    def moment(self, moment: datetime) -> str:
        return f"{self.local(moment)} ({self.zone_name})"


MARKETS = {
    "BRL": Market(BRAZILIAN, "R$ {}", _POINT_COMMA, ZoneInfo("America/Sao_Paulo"), "horário de Brasília"),
    "MXN": Market(SPANISH, "${} MXN", _COMMA_POINT, ZoneInfo("America/Mexico_City"), "hora de Ciudad de México"),
    "ARS": Market(
        SPANISH, "$ {} ARS", _POINT_COMMA, ZoneInfo("America/Argentina/Buenos_Aires"), "hora de Buenos Aires"
    ),
    "COP": Market(SPANISH, "$ {} COP", _POINT_COMMA, ZoneInfo("America/Bogota"), "hora de Bogotá"),
    "EUR": Market(PORTUGUESE, "{} €", _SPACE_COMMA, ZoneInfo("Europe/Lisbon"), "hora de Lisboa"),
    "USD": Market(ENGLISH, "${} USD", _COMMA_POINT, UTC, "UTC", form="%Y-%m-%d %H:%M:%S"),
}
