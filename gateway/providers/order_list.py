"""A list of orders for people who pay by hand: CSV, with everything that they type into their bank."""

import csv
import io
from collections.abc import Mapping
from typing import ClassVar
from zoneinfo import ZoneInfo

from gateway.bank_files.shapes import Party, PaymentFile, Way
from gateway.providers.by_file import Countries, PaysByFile

COLUMNS = (
    *("number", "amount", "currency", "name", "tax_id", "bank", "ispb", "branch", "account", "account_type"),
    *("clabe", "cbu", "pix_key", "pix_key_type", "text"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class OrderList(PaysByFile):
    format: ClassVar[str] = "CSV list"
    extension: ClassVar[str] = "csv"
    most_orders: ClassVar[int] = 500

    def __init__(self, payer: Party, zone: ZoneInfo) -> None:
        self._payer, self._zone = payer, zone

    @property
    def payer(self) -> Party:
        return self._payer

    @property
    def zone(self) -> ZoneInfo:
        return self._zone

    def payee(self, rail: str, destination: Mapping[str, str]) -> tuple[Way, Party]:
        return Countries().payee(rail, destination)

    def write(self, file: PaymentFile) -> bytes:
        text = io.StringIO()
        rows = csv.writer(text)
        rows.writerow(COLUMNS)
        for order in file.orders:
            to = order.beneficiary
            branch = "-".join(filter(None, (to.branch, to.branch_digit)))
            account = "-".join(filter(None, (to.account, to.account_digit)))
            found = (
                *(order.number, f"{order.amount:f}", file.currency, to.name, to.tax_id, to.bank, to.ispb, branch),
                *(account, to.account_type, to.clabe, to.cbu, to.pix_key, to.pix_key_type, order.text),
            )
            rows.writerow([_plain(value) for value in found])
        return text.getvalue().encode()


def _plain(value: str) -> str:
    """No spreadsheet takes it for a formula. A phone number keeps its plus sign behind an apostrophe."""
    return f"'{value}" if value.startswith(_FORMULA) else value
