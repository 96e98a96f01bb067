"""What STP knows of an account: its orders, what it received, its balance, and the day of operation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from gateway.methods.spei.clabe import clabe, is_clabe

MEXICO = ZoneInfo("America/Mexico_City")
OWN = clabe(bank="646", city="180", account=15_700_000_004)
PREFIX = "6461801580"
EMPRESA, STP = "ONPAY", 90646
PAYER = clabe(bank="012", city="180", account=12_345_678)
WORDS = {
    0: "No se recibió respuesta del servicio",
    -1: "La clave de rastreo {%s} para la fecha {%s} de la institucion {90646} ya fue utilizada",
    -7: "La cuenta {%s} no existe ",
    -9: "La Institucion %s no es valida",
    -11: "El tipo de cuenta %s es invalido",
    -20: "El monto {%s} no es válido",
    -22: "La cuenta CLABE {%s} no coincide para la institucion operante",
    -24: "Cuenta {%s} - {MISMA_CUENTA}",
    -200: "Orden sin cuenta ordenante. Se rechaza por PLD",
}
Told = dict[str, Any]


def error(number: int, *values: object) -> Told:
    words = WORDS[number]
    return {"resultado": {"descripcionError": words % values if values else words, "id": number}}


def nothing(words: str) -> Told:
    return {"resultado": {"descripcionError": words, "id": -100}}


@dataclass
class Books:
    """`settles` is the state of an order as soon as it is taken; `refuses` are errors of the next orders.

    `hides`: what was taken is not listed yet.
    """

    clock_offset: timedelta = timedelta(0)
    settles: str = "L"
    refuses: list[int] = field(default_factory=list)
    hides: bool = False
    opening: Decimal = Decimal("10000.00")
    sent: list[dict[str, Any]] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    meanwhile: Callable[[], object] | None = None
    """Done once before the next order is taken."""

    @property
    def now(self) -> datetime:
        return datetime.now(UTC) + self.clock_offset

    @property
    def day(self) -> int:
        """The day of operation: of the next weekday from 18:00 on and at weekends."""
        local = self.now.astimezone(MEXICO)
        day = local.date() + timedelta(days=local.time() >= time(18))
        while day.weekday() > 4:
            day += timedelta(days=1)
        return int(f"{day:%Y%m%d}")

    @property
    def balance(self) -> Decimal:
        out = (one["monto"] for one in self.sent if one["estado"] in ("LQ", "D"))
        return self.opening + sum((one["monto"] for one in self.received), Decimal(0)) - sum(out, Decimal(0))

    def paid(self, account: str) -> Decimal:
        """What an account has been paid and has kept."""
        kept = (one["monto"] for one in self.sent if one["cuentaBeneficiario"] == account and one["estado"] == "LQ")
        return sum(kept, Decimal(0))

    def register(self, order: dict[str, Any]) -> Told:
        if self.meanwhile:
            act, self.meanwhile = self.meanwhile, None
            act()
        if found := self._fault(order):
            return found
        taken = {name: value for name, value in order.items() if name not in ("firma", "emailBeneficiario")}
        number = 9_000_000 + len(self.sent)
        taken |= {"idEF": number, "fechaOperacion": self.day, "estado": self.settles, "usuario": EMPRESA.lower()}
        self.sent.append(taken | {"idCliente": order["claveRastreo"], "tsCaptura": self._stamp()})
        return {"resultado": {"id": number}}

    def _fault(self, order: dict[str, Any]) -> Told | None:
        account, number = order["cuentaBeneficiario"], order["institucionContraparte"]
        if self.refuses:
            refused = self.refuses.pop(0)
            values = [account, self.day][: WORDS[refused].count("%s")]
            return error(refused, *values)
        if any(one["claveRastreo"] == order["claveRastreo"] for one in self._of_today(self.sent)):
            return error(-1, order["claveRastreo"], self.day)
        if order["monto"] <= 0:
            return error(-20, order["monto"])
        if order["tipoCuentaBeneficiario"] == 40 and not is_clabe(account):
            return error(-7, account)
        if number < 10_000:
            return error(-9, number)
        return error(-24, account) if account == order["cuentaOrdenante"] else None

    def settle(self, state: str = "LQ", key: str | None = None) -> list[dict[str, Any]]:
        """Orders under way end like that; which ones."""
        found = [one for one in self.sent if one["estado"] in ("L", "A", "E") and key in (None, one["claveRastreo"])]
        for one in found:
            one |= {"estado": state, "tsLiquidacion": self._stamp()}
        return found

    def send_back(self, order: dict[str, Any], cause: int = 1) -> None:
        """The beneficiary's bank returns an order: the money arrives again."""
        order |= {
            "estado": "D",
            "causaDevolucion": cause,
            "claveRastreoDevolucion": f"{len(self.received) + 19_013_550}",
        }
        back = {name: order[name] for name in ("claveRastreo", "monto", "institucionContraparte", "causaDevolucion")}
        self._arrived(back | {"cuentaBeneficiario": order["cuentaOrdenante"], "tipoPago": 0})

    def deposit(self, account: str, amount: str, **more: Any) -> dict[str, Any]:
        """A payer's bank sends money to a CLABE of the account."""
        return self._arrived(
            {
                "claveRastreo": f"MBAN0100{len(self.received):016d}",
                "monto": Decimal(amount),
                "cuentaBeneficiario": account,
                "institucionContraparte": 40012,
                "tipoPago": 1,
                "cuentaOrdenante": PAYER,
                "tipoCuentaOrdenante": 40,
                "nombreOrdenante": "MARIA SILVA                             ",
                "rfcCurpOrdenante": "ND",
                "conceptoPago": "PAGO",
                "referenciaNumerica": 701210,
            }
            | more
        )

    def _arrived(self, members: dict[str, Any]) -> dict[str, Any]:
        row = {
            "empresa": EMPRESA, "estado": "LQ", "fechaOperacion": self.day, "institucionOperante": STP,
            "medioEntrega": 1, "prioridad": 0, "topologia": "V", "tsCaptura": self._stamp(),
            "tsLiquidacion": self._stamp(),
        }  # fmt: skip
        self.received.append(row | members)
        return self.received[-1]

    def find(self, key: str, day: str | None) -> Told:
        found = [one for one in self._of(self.sent, day) if one["claveRastreo"] == key and not self.hides]
        if not found:
            return nothing(f"No se encontró la orden con rastreo {key}")
        return {"resultado": {"id": 1, "ordenPago": found[0]}}

    def listed(self, day: str | None, state: str) -> Told:
        """What was received (R) or sent (E). The list ends with a null, as the real one does."""
        found = self._of([] if self.hides else self.sent, day) if state == "E" else self._of(self.received, day)
        return {"resultado": {"id": 1, "lst": [*found, None]}} if found else nothing("No se encontraron ordenes")

    def _of(self, rows: list[dict[str, Any]], day: str | None) -> list[dict[str, Any]]:
        """Of the day under way without a date; of a past one with it."""
        if day is None:
            return self._of_today(rows)
        wanted = int(f"{date.fromisoformat(day):%Y%m%d}")
        return [one for one in rows if one["fechaOperacion"] == wanted < self.day]

    def _of_today(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [one for one in rows if one["fechaOperacion"] == self.day]

    def _stamp(self) -> int:
        return int(self.now.timestamp() * 1000)


def deposit_message(row: dict[str, Any], **other: Any) -> dict[str, Any]:
    """The callback about money that arrived."""
    names = {"institucionContraparte": "institucionOrdenante", "institucionOperante": "institucionBeneficiaria"}
    left = ("estado", "medioEntrega", "prioridad", "topologia", "tsCaptura")
    members = {names.get(name, name): value for name, value in row.items() if name not in left}
    return {"id": 37_755_992, "nombreBeneficiario": "ONPAY", "tipoCuentaBeneficiario": 40} | members | other


def state_message(order: dict[str, Any], **other: Any) -> dict[str, Any]:
    """The callback about an order of ours."""
    return {
        "id": order["idEF"],
        "empresa": EMPRESA,
        "folioOrigen": order["folioOrigen"],
        "estado": order["estado"],
        "causaDevolucion": order.get("causaDevolucion", ""),
        "tsLiquidacion": str(order.get("tsLiquidacion", "")),
    } | other
