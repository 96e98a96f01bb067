"""Answers to payments: segments A and J of a file from the bank, with the codes that say what became of each.

Segments O and N, bills of utilities and taxes, are none of our orders: they are read, and their sums are not checked.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from gateway.bank_files.cnab.envelope import Envelope, Line, Lot
from gateway.bank_files.cnab.payment_dialects import PaymentDialect, dialect_of
from gateway.bank_files.cnab.payment_orders import check_sum
from gateway.bank_files.cnab.records import codes
from gateway.bank_files.shapes import OrderAnswer, OrderOutcome, PaymentReturn

_ZERO = Decimal(0)
_OURS = frozenset("AJ")
_COMPATIBLE = (
    {OrderOutcome.ACCEPTED, OrderOutcome.PAID},
    {OrderOutcome.PAID, OrderOutcome.RETURNED},
)
"""Outcomes that one answer may name together; the later one counts."""
_LATER = (OrderOutcome.RETURNED, OrderOutcome.PAID)


def payment_return(file: Envelope, lots: Sequence[Lot]) -> PaymentReturn:
    dialect = dialect_of(file.bank)
    return PaymentReturn(
        format="CNAB 240",
        account=file.account,
        sequence=file.sequence,
        made_at=file.made_at,
        currency="BRL",
        answers=tuple(answer for lot in lots for answer in _answers(dialect, lot)),
        doubts=tuple(file.doubts),
    )


def outcome_of(dialect: PaymentDialect, said: Sequence[str]) -> OrderOutcome:
    """UNCERTAIN unless all codes are known and agree."""
    deciding = [code for code in said if code not in dialect.notes]
    found = {dialect.occurrences.get(code, OrderOutcome.UNCERTAIN) for code in deciding}
    if len(found) == 1:
        return found.pop()
    if found in _COMPATIBLE:
        return next(outcome for outcome in _LATER if outcome in found)
    return OrderOutcome.UNCERTAIN


def _answers(dialect: PaymentDialect, lot: Lot) -> Iterator[OrderAnswer]:
    header = dialect.lines["lot_header"].read(lot.header.text, lot.header.number)
    of_lot = codes(header["occurrences"], 2, keep_zeros=True)
    ordered, paid = _ZERO, _ZERO
    for line in lot.details:
        if line.segment in "ANO" or _is_boleto(line):
            answer, amount = _answer(dialect, line, of_lot)
            ordered += amount
            paid += answer.amount or _ZERO
            yield answer
    if lot.segments & _OURS:
        check_sum(dialect, lot, ordered, paid, _ZERO)


def _is_boleto(line: Line) -> bool:
    """A J with its barcode; J-52 and the like carry names, and no payment."""
    return line.segment == "J" and line.text[17:61].isdigit()


def _answer(dialect: PaymentDialect, line: Line, of_lot: tuple[str, ...]) -> tuple[OrderAnswer, Decimal]:
    """The answer, and what the order was over. A line without codes has those of its lot."""
    found = dialect.lines[line.segment.lower()].read(line.text, line.number)
    said = codes(found["occurrences"], 2, keep_zeros=True) or of_lot
    outcome = outcome_of(dialect, said)
    paid: Decimal = found.get("paid", _ZERO)
    amount: Decimal = found.get("amount", _ZERO)
    day: date | None = found.get("paid_on") or found.get("pay_on")
    answer = OrderAnswer(
        number=found["number"],
        outcome=outcome,
        amount=paid or amount or None,
        codes=said,
        reference=found["reference"],
        paid_on=day if outcome in (OrderOutcome.PAID, OrderOutcome.RETURNED) else None,
    )
    return answer, amount
