"""What the files of banks say, whatever their format. Amounts are exact decimals of their currency, never floats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum

from django.utils import translation

LONGEST_FACT = 80


@dataclass(frozen=True, slots=True)
class Remark:
    """What people should know of a file: a sentence of the catalogues, and the facts that fill its placeholders.

    It is stored as the two, and told in the language of whoever reads it.
    """

    sentence: str
    facts: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        told = translation.gettext(self.sentence)
        return told % self.facts if self.facts else told

    def stored(self) -> dict[str, object]:
        """As JSON. A fact that the file made long is cut."""
        return {"sentence": self.sentence, "facts": {name: str(one)[:LONGEST_FACT] for name, one in self.facts.items()}}


@dataclass(frozen=True, slots=True)
class Party:
    """An account and its holder. Only the members that its country uses are filled; numbers are digits as text.

    `bank` is the country's code of the bank (3 digits in Brazil and Mexico), `ispb` Brazil's 8 digits. `account_type`
    is CHECKING, SAVINGS or PAYMENT.
    """

    name: str
    tax_id: str = ""
    bank: str = ""
    ispb: str = ""
    branch: str = ""
    branch_digit: str = ""
    account: str = ""
    account_digit: str = ""
    account_type: str = ""
    iban: str = ""
    bic: str = ""
    clabe: str = ""
    cbu: str = ""
    pix_key: str = field(default="", repr=False)
    pix_key_type: str = ""


class Way(StrEnum):
    """How an order of a file is paid."""

    PIX_KEY = "PIX_KEY"
    PIX_ACCOUNT = "PIX_ACCOUNT"
    TED = "TED"
    TRANSFER = "TRANSFER"  # of the country: SPEI, ACH, SEPA, …


@dataclass(frozen=True, slots=True)
class Order:
    """One payment of a file. `number` is ours, at most 20 letters and digits, never used twice with a bank."""

    number: str
    way: Way
    amount: Decimal
    beneficiary: Party
    text: str = ""


@dataclass(frozen=True, slots=True)
class PaymentFile:
    """Payments that a bank is told to make from one account. `sequence` counts the files of the agreement from 1."""

    sequence: int
    made_at: datetime
    pay_on: date
    payer: Party
    agreement: str
    currency: str
    orders: Sequence[Order]


class OrderOutcome(StrEnum):
    """What a bank says of an order. Codes that promise nothing, and unknown ones, are UNCERTAIN: only the statement
    tells.
    """

    ACCEPTED = "ACCEPTED"  # it has the order
    PAID = "PAID"
    REJECTED = "REJECTED"  # nothing was or will be paid
    RETURNED = "RETURNED"  # it was paid, and the beneficiary's bank sent it back
    UNCERTAIN = "UNCERTAIN"


@dataclass(frozen=True, slots=True)
class OrderAnswer:
    """One line of an answer to a payment file. `number` is ours, `reference` the bank's; `codes` are the bank's own."""

    number: str
    outcome: OrderOutcome
    amount: Decimal | None
    codes: tuple[str, ...] = ()
    text: str = ""
    reference: str = ""
    end_to_end_id: str = ""
    paid_on: date | None = None


@dataclass(frozen=True, slots=True)
class PaymentReturn:
    """A bank's answer to payment files. `account` identifies ours as far as the file does.

    `file_outcome` says what became of a whole file that the bank names: one whose orders it does not list, or all of
    which it rejects. `doubts` are signs that the file is not whole, though nothing that is there is wrong.
    """

    format: str
    account: Party
    sequence: str
    made_at: datetime
    currency: str
    answers: Sequence[OrderAnswer]
    of_file: str = ""
    file_outcome: OrderOutcome | None = None
    doubts: Sequence[Remark] = ()


class SlipEvent(StrEnum):
    """What a bank says of a boleto."""

    REGISTERED = "REGISTERED"
    REFUSED = "REFUSED"
    PAID = "PAID"
    WITHDRAWN = "WITHDRAWN"  # it cannot be paid any more
    OTHER = "OTHER"  # charges, protests, changes: nothing of ours depends on it


@dataclass(frozen=True, slots=True)
class SlipAnswer:
    """One line of a collection return. `bank_number` is the nosso número, `number` what we called it (seu número).

    `wallet` (carteira) is "" where the bank does not name it: each may have the same numbers.
    `paid` is what the payer paid, `credited` what the bank credits, `fee` what it charges for this line.
    """

    bank_number: str
    number: str
    event: SlipEvent
    code: str
    amount: Decimal
    paid: Decimal = Decimal(0)
    credited: Decimal = Decimal(0)
    fee: Decimal = Decimal(0)
    paid_on: date | None = None
    credited_on: date | None = None
    reasons: tuple[str, ...] = ()
    line: int = 0
    wallet: str = ""


@dataclass(frozen=True, slots=True)
class CollectionReturn:
    """A bank's file about boletos. `sequence` is the bank's count of such files; `doubts` are as of a PaymentReturn."""

    format: str
    account: Party
    agreement: str
    sequence: str
    made_on: date
    answers: Sequence[SlipAnswer]
    doubts: Sequence[Remark] = ()


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One movement. `amount` is + what we received and - what left.

    `reference` is the bank's id of the movement, "" where it gives none; `order_number` our own number of an order, if
    the bank tells it; `text` all else that it says, for people and for references of payments in it.
    """

    amount: Decimal
    booked_on: date
    reference: str = ""
    order_number: str = ""
    end_to_end_id: str = ""
    code: str = ""
    text: str = ""
    counterparty: Party | None = None
    is_reversal: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """What happened on one account from `opened_on` to `closed_on`, and its booked balances.

    `number` is the bank's own, "" where there is none. A balance is None where the format has none; otherwise
    `opening` and the lines sum up to `closing`, or the file is Unreadable. The lines of a notice come again in a
    statement of the account: nothing is booked by it.
    """

    format: str
    account: Party
    currency: str
    opened_on: date
    closed_on: date
    lines: Sequence[StatementLine]
    number: str = ""
    opening: Decimal | None = None
    closing: Decimal | None = None
    is_notice: bool = False


Document = PaymentReturn | CollectionReturn | Statement
"""One thing that a file says; a file may hold several."""


class UnwritableOrder(Exception):
    """An order that the format cannot carry. `number` is the order's, "" if it is the payer that is incomplete."""

    def __init__(self, reason: str, number: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.number = number


class UnreadableFile(Exception):
    """A file that is damaged, does not add up, or is of no known format. `line` counts from 1; 0: the whole file.

    The sentence is marked for translation; its placeholders are named as the facts.
    """

    def __init__(self, sentence: str, line: int = 0, /, **facts: object) -> None:
        self.reason = Remark(sentence, facts)
        self.line = line
        super().__init__(self.reason)
