"""What every rail must pass: a new method adds its line, with the values of the contract (§4.1, §4.3)."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from accounts.models import Environment
from gateway.customers.payer import Payer
from gateway.methods.rail import PaymentOrder, Rail
from gateway.methods.registry import CARDS, rail_of
from tests.support.payments import a_reference

HOUR = 3_600
DAY = 24 * HOUR
WALLETS = {"BRL": "PIX", "MXN": "SPEI", "EUR": "MB_WAY", "ARS": "BANK_TRANSFER", "COP": "BANK_TRANSFER"}
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
TALKATIVE = {"name": "Maria Silva", "email": "maria@example.com", "phone": "+351912344567"}
"""A payer who says more than most methods need."""


@dataclass(frozen=True)
class UnderTest:
    """A method in a currency. `needs` is the least that the payer must say beyond the name."""

    method: str
    currency: str
    needs: dict[str, str]
    shows: tuple[str, ...]
    least: str
    most: str
    fee_of_100: str
    seconds: int
    seconds_range: tuple[int, int] | None
    refund_days: int
    announced: tuple[str, ...] = ()
    """The events of the creation."""

    def __str__(self) -> str:
        return f"{self.method}-{self.currency}"

    @property
    def rail(self) -> Rail:
        rail = rail_of(self.method, self.currency, Environment.SANDBOX)
        assert rail is not None
        return rail

    @property
    def net_of_100(self) -> float:
        return float(100 - Decimal(self.fee_of_100))

    def body(self, **members: Any) -> dict[str, Any]:
        """A payment of 100 with nothing but what must be said."""
        payer = {"name": "Maria Silva"} | self.needs
        order = {"method": self.method, "amount": 100, "currency": self.currency, "reference": a_reference()}
        return order | {"payer": payer} | members

    def order(self, number: int = 1) -> PaymentOrder:
        """What the rail is told about the payment with this number."""
        return PaymentOrder(
            payment_id=f"pay_01KAGTW3Q8XJ5V0N2B7R4C{number:04d}",
            method=self.method,
            amount=Decimal("100.00"),
            currency=self.currency,
            beneficiary="Loja Exemplo",
            city="São Paulo",
            payer=Payer(name="Maria Silva", tax_id=self.needs.get("taxId"), phone=self.needs.get("phone")),
            created_at=NOON,
            expires_at=NOON + timedelta(seconds=self.seconds),
        )


PIX_MEMBERS = ("pixCopyPaste", "pixQrCode", "pixTxid", "pixEndToEndId")
CPF, CUIT, CC = {"taxId": "52998224725"}, {"taxId": "20123456786"}, {"taxId": "1018760936"}
PHONE = {"phone": "912344567"}
LONG = (HOUR, 30 * DAY)

RAILS_UNDER_TEST = (
    UnderTest("PIX", "BRL", CPF, PIX_MEMBERS, "0.02", "250000", "1.00", DAY, (60, 30 * DAY), 90),
    UnderTest("SPEI", "MXN", {}, ("bankDetails",), "1.00", "1000000", "1.99", 3 * DAY, LONG, 90),
    UnderTest("BANK_TRANSFER", "ARS", CUIT, ("bankDetails",), "1.00", "10000000", "1.99", 3 * DAY, LONG, 90),
    *(
        UnderTest(method, "COP", CC, ("nextAction",), "100", most, "1.99", seconds, None, 90, ("payment.updated",))
        for method, most, seconds in (
            ("BANK_TRANSFER", "50000000", 1800),
            ("PSE", "30000000", 1800),
            ("NEQUI", "5000000", 1800),
            ("BRE_B", "11552000", 600),
        )
    ),
    UnderTest("MB_WAY", "EUR", PHONE, ("mbWay",), "0.01", "5000", "1.99", 240, None, 120),
)

TESTED_ELSEWHERE = ("BOLETO", *CARDS)
"""They begin in another way: a boleto asks for a due date and an address, a card for a session."""
