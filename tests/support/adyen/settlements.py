"""Settlement details reports of the pretended Adyen, written from its own books."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tests.support.adyen.books import Change, Payment, psp
from tests.support.adyen.webhooks import message

HEADER = (
    "Company Account", "Merchant Account", "Psp Reference", "Merchant Reference", "Payment Method", "Creation Date",
    "TimeZone", "Type", "Modification Reference", "Gross Currency", "Gross Debit (GC)", "Gross Credit (GC)",
    "Exchange Rate", "Net Currency", "Net Debit (NC)", "Net Credit (NC)", "Commission (NC)", "Markup (NC)",
    "Scheme Fees (NC)", "Interchange (NC)", "Payment Method Variant", "Modification Merchant Reference", "Batch Number",
    "Reserved4", "Reserved5",
)  # fmt: skip
NOTHING = Decimal(0)


def _two(name: str, unit: str, amount: Decimal) -> dict[str, str]:
    """Debit and credit stand in two columns."""
    return {
        f"{name} Debit ({unit})": f"{-amount}" * (amount < 0),
        f"{name} Credit ({unit})": f"{amount}" * (amount > 0),
    }


@dataclass
class Batch:
    """What is settled and paid out together. Amounts in the currency of the account."""

    number: int = 1
    currency: str = "BRL"
    account: str = "OnpayPT"
    created: str = "2026-11-22 09:30:00"
    rows: list[dict[str, str]] = field(default_factory=list)
    balance: Decimal = NOTHING
    paid_out: Decimal = NOTHING

    @property
    def name(self) -> str:
        return f"settlement_detail_report_batch_{self.number}.csv"

    def settled(self, payment: Payment, fee: str = "0") -> None:
        amount = Decimal(payment.amount["value"]) / 100
        self.add("Settled", amount, Decimal(fee), payment, f"C{payment.psp[1:]}")

    def refunded(self, change: Change, fee: str = "0", kind: str = "Refunded") -> None:
        assert change.payment
        amount = Decimal(change.amount["value"]) / 100 * (-1 if kind == "Refunded" else 1)
        self.add(kind, amount, Decimal(fee), change.payment, change.psp, change.reference)

    def disputed(self, payment: Payment, fee: str = "0", number: str = "", kind: str = "Chargeback") -> str:
        """The number of the dispute."""
        number = number or psp()
        amount = Decimal(payment.amount["value"]) / 100 * (-1 if kind == "Chargeback" else 1)
        self.add(kind, amount, Decimal(fee), payment, number)
        return number

    def charged(self, amount: str, name: str = "Transaction Fees November") -> None:
        self._write("Fee", NOTHING, NOTHING, -Decimal(amount), {"Modification Reference": name})

    def pay_out(self) -> Decimal:
        paid = self.balance
        self._write("MerchantPayout", NOTHING, NOTHING, -paid, {"Modification Reference": f"TX{self.number}"})
        self.paid_out += paid
        return paid

    def add(
        self, kind: str, gross: Decimal, fee: Decimal, payment: Payment, modification: str = "", reference: str = ""
    ) -> None:
        about = {
            "Psp Reference": payment.psp,
            "Merchant Reference": payment.reference,
            "Payment Method": payment.method,
            "Modification Reference": modification,
            "Modification Merchant Reference": reference,
        }
        self._write(kind, gross, fee, gross - fee, about)

    def _write(self, kind: str, gross: Decimal, fee: Decimal, net: Decimal, about: dict[str, Any]) -> None:
        self.balance += net
        markup = (fee / 2).quantize(Decimal("0.01"))
        row = {
            "Company Account": "Onpay",
            "Merchant Account": self.account,
            "Creation Date": self.created,
            "TimeZone": "CET",
            "Type": kind,
            "Gross Currency": self.currency if gross else "",
            "Net Currency": self.currency,
            "Markup (NC)": f"{markup}" if fee else "",
            "Scheme Fees (NC)": f"{fee - markup}" if fee else "",
            "Batch Number": str(self.number),
        }
        self.rows.append(row | _two("Gross", "GC", gross) | _two("Net", "NC", net) | about)

    def file(self, header: Sequence[str] = HEADER, **other: str) -> bytes:
        """`other`: cells of every line, by column with an underscore for each space."""
        written = io.StringIO(newline="")
        writer = csv.DictWriter(written, header, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(row | {name.replace("_", " "): cell for name, cell in other.items()} for row in self.rows)
        return written.getvalue().encode()


def available(batch: Batch, **other: str) -> bytes:
    """The notification that the report of a batch can be downloaded."""
    item = {
        "eventCode": "REPORT_AVAILABLE", "success": "true", "pspReference": batch.name, "merchantReference": "",
        "merchantAccountCode": batch.account, "amount": {"currency": "EUR", "value": 0},
        "eventDate": "2026-11-22T12:00:00+01:00", "reason": "https://attacker.example/report.csv",
    }  # fmt: skip
    return message(item | other)
