"""The conventions of each market: language, amounts and dates, and the time zone of dates."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from zoneinfo import ZoneInfo

from gateway.receipts.words import BRAZILIAN, ENGLISH, PORTUGUESE, SPANISH, ReceiptWords
from ledger.notation import market_of, notation_of, written


@dataclass(frozen=True, slots=True)
class ReceiptMarket:
    """If countries share a sign, the currency code follows it."""

    currency: str
    words: ReceiptWords
    zone: tzinfo
    zone_name: str
    form: str = "%d/%m/%Y %H:%M:%S"

    def amount(self, amount: Decimal) -> str:
        return written(amount, self.currency, coded=True, used=notation_of(market_of(self.currency)))

    def day(self, day: date) -> str:
        return day.strftime(self.form.partition(" ")[0])

    def local(self, moment: datetime) -> str:
        return moment.astimezone(self.zone).strftime(self.form)

    def moment(self, moment: datetime) -> str:
        return f"{self.local(moment)} ({self.zone_name})"


MARKETS = {
    market.currency: market
    for market in (
        ReceiptMarket("BRL", BRAZILIAN, ZoneInfo("America/Sao_Paulo"), "horário de Brasília"),
        ReceiptMarket("MXN", SPANISH, ZoneInfo("America/Mexico_City"), "hora de Ciudad de México"),
        ReceiptMarket("ARS", SPANISH, ZoneInfo("America/Argentina/Buenos_Aires"), "hora de Buenos Aires"),
        ReceiptMarket("COP", SPANISH, ZoneInfo("America/Bogota"), "hora de Bogotá"),
        ReceiptMarket("EUR", PORTUGUESE, ZoneInfo("Europe/Lisbon"), "hora de Lisboa"),
        ReceiptMarket("USD", ENGLISH, UTC, "UTC", form="%Y-%m-%d %H:%M:%S"),
    )
}
