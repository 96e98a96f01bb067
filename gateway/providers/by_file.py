"""Institutions that are told by files what to pay, and people who pay from a list."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import ClassVar, Protocol
from zoneinfo import ZoneInfo

from gateway.bank_files.shapes import Party, PaymentFile, Way

SATURDAY = 5
"""Of the days of a week, from 0: banks work on the days before it."""


class Unwritable(Exception):
    """An order that cannot be in a file of the account. `number` is the order's, "" if it is the file as a whole."""

    def __init__(self, reason: str, number: str = "") -> None:
        super().__init__(reason)
        self.reason, self.number = reason, number


class Folder(Protocol):
    """The folder of an institution in which files are dropped. Every method raises NotSent or Unclear."""

    def find(self, name: str) -> int | None:
        """The size of a file of this name; None: there is none."""

    def upload(self, name: str, content: bytes) -> None:
        """Writes a file under a name that the institution does not read, replacing one of before."""

    def rename(self, before: str, after: str) -> None:
        """Renames a file, and never replaces another one."""


class Inbox(Protocol):
    """The folder in which an institution leaves files for us."""

    def received(self) -> Iterator[tuple[str, bytes]]:
        """Each file with its name, the oldest first; what is not whole yet is left. Raises NotSent and Unclear."""


class PaysByFile(ABC):
    """How an account is told what to pay."""

    format: ClassVar[str]
    extension: ClassVar[str]
    most_orders: ClassVar[int] = 10_000

    @property
    @abstractmethod
    def payer(self) -> Party:
        """The account that pays."""

    @property
    def agreement(self) -> str:
        """The institution's number of the agreement on files."""
        return ""

    @property
    def first_sequence(self) -> int:
        """The number of the first file that we write, where files were written before us."""
        return 1

    @property
    @abstractmethod
    def zone(self) -> ZoneInfo:
        """Where its days begin and end."""

    @property
    def cut_offs(self) -> Sequence[time]:
        """The times of a working day at which what waits is gathered, in its own zone."""
        return ()

    def day(self, at: datetime) -> date:
        """The date at the institution."""
        return at.astimezone(self.zone).date()

    def next_working_day(self, at: datetime) -> date:
        """The date at the institution, or the Monday after it. Holidays are not known."""
        day = self.day(at)
        return day + timedelta(days=7 - day.weekday() if day.weekday() >= SATURDAY else 0)

    @property
    def folder(self) -> Folder | None:
        """Where files are dropped. None: people download them."""
        return None

    @property
    def inbox(self) -> Inbox | None:
        """Where its files for us are. None: people upload them."""
        return None

    @abstractmethod
    def payee(self, rail: str, destination: Mapping[str, str]) -> tuple[Way, Party]:
        """How an order is paid, and to whom."""

    @abstractmethod
    def write(self, file: PaymentFile) -> bytes:
        """The file. The same file is written in the same way each time. Raises Unwritable."""


@dataclass(frozen=True, slots=True)
class Countries:
    """What the destination of each payout rail means in files. `ted`: reais go to accounts by TED, not by PIX."""

    ted: bool = False

    def payee(self, rail: str, destination: Mapping[str, str]) -> tuple[Way, Party]:
        match rail:
            case "PIX":
                return Way.PIX_KEY, _pix_key(destination)
            case "SPEI":
                return Way.TRANSFER, _clabe(destination)
            case "BANK_TRANSFER" if "branch" in destination:
                return Way.TED if self.ted else Way.PIX_ACCOUNT, _brazilian(destination)
            case "BANK_TRANSFER" if "accountNumber" in destination:
                return Way.TRANSFER, _colombian(destination)
            case "BANK_TRANSFER":
                return Way.TRANSFER, _argentine(destination)
            case _:
                return Way.TRANSFER, Party(name="", account=destination["address"], account_type=destination["network"])


def _pix_key(destination: Mapping[str, str]) -> Party:
    key, kind = destination["pixKey"], destination["pixKeyType"]
    tax_id = key if kind in ("CPF", "CNPJ") else ""
    return Party(name="PIX", tax_id=tax_id, pix_key=key, pix_key_type=kind)


def _clabe(destination: Mapping[str, str]) -> Party:
    clabe = destination["clabe"]
    tax_id = destination.get("beneficiaryTaxId") or ""
    return Party(name=destination["beneficiaryName"], tax_id=tax_id, bank=clabe[:3], clabe=clabe)


def _brazilian(destination: Mapping[str, str]) -> Party:
    code = destination["bankCode"]
    account, _, digit = destination["accountNumber"].partition("-")
    branch, _, branch_digit = destination["branch"].partition("-")
    return Party(
        name=destination["beneficiaryName"],
        tax_id=destination["beneficiaryTaxId"],
        bank=code if len(code) == 3 else "",
        ispb=code if len(code) == 8 else "",
        branch=branch,
        branch_digit=branch_digit,
        account=account,
        account_digit=digit,
        account_type=destination["accountType"],
    )


def _colombian(destination: Mapping[str, str]) -> Party:
    kinds = {"SAVINGS": "SAVINGS", "CHECKING": "CHECKING", "ELECTRONIC_DEPOSIT": "PAYMENT"}
    return Party(
        name=destination["beneficiaryName"],
        tax_id=destination["documentNumber"],
        bank=destination["bankCode"],
        account=destination["accountNumber"],
        account_type=kinds[destination["accountType"]],
    )


def _argentine(destination: Mapping[str, str]) -> Party:
    number = destination.get("cbu") or destination.get("cvu") or ""
    return Party(
        name=destination["beneficiaryName"],
        tax_id=destination.get("beneficiaryTaxId") or "",
        cbu=number,
        account=destination.get("alias", ""),
    )
