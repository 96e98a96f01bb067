"""Answers to payment orders: status reports (pain.002) and payments that come back (pacs.004)."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from django.utils.translation import gettext_noop as _

from gateway.bank_files.iso20022.messages import Message, account, code, day, moment, money, reference, text
from gateway.bank_files.iso20022.tree import Node
from gateway.bank_files.shapes import OrderAnswer, OrderOutcome, Party, PaymentReturn, UnreadableFile

_OUTCOMES = {
    **dict.fromkeys(("ACSC", "ACCC"), OrderOutcome.PAID),
    **dict.fromkeys(
        ("ACCP", "ACFC", "ACPD", "ACSP", "ACTC", "ACWC", "PATC", "PDNG", "RCVD", "RCVC"), OrderOutcome.ACCEPTED
    ),
    "RJCT": OrderOutcome.REJECTED,
}
"""Of the status codes of ISO 20022; all others promise nothing. ACWP and BLCK are among them: the money left us, and
whether the beneficiary gets it is open."""
DUPLICATE = {"AM05", "DUPL", "DU01", "DU02", "DU03", "DU04", "DU05"}
"""Reasons of a rejection that say that the bank has the same order already: that one may be paid."""


def status_report(message: Message) -> Iterator[PaymentReturn]:
    """The answer to one payment file. Raises UnreadableFile.

    `of_file` is the MsgId of our file. An order that a report of single rejections does not list stays as it is; if the
    report says as well that the whole file was rejected, that is its `file_outcome`.
    """
    header, group = _header(message), message.body.find("OrgnlGrpInfAndSts")
    payments = message.body.all("OrgnlPmtInfAndSts")
    transactions = [one for part in [message.body, *payments] for one in part.all("TxInfAndSts")]
    answers = [_answer(one) for one in transactions]
    yield PaymentReturn(
        format=message.name,
        account=_account(transactions),
        sequence=text(header, "MsgId"),
        made_at=moment(header, "CreDtTm"),
        currency=_currency(transactions),
        answers=answers,
        of_file=reference(group, "OrgnlMsgId") if group is not None else "",
        file_outcome=_of_file(group, payments) if not answers or _is_rejected(group) else None,
    )


def payment_return(message: Message) -> Iterator[PaymentReturn]:
    """Payments that the beneficiary's bank sent back after they had settled. Raises UnreadableFile."""
    header = _header(message)
    transactions = message.body.all("TxInf")
    yield PaymentReturn(
        format=message.name,
        account=_account(transactions),
        sequence=text(header, "MsgId"),
        made_at=moment(header, "CreDtTm"),
        currency=_only(money(one, "RtrdIntrBkSttlmAmt")[1] for one in transactions),
        answers=[_returned(one, header) for one in transactions],
        of_file=reference(message.body, "OrgnlGrpInf/OrgnlMsgId") or _original_file(transactions),
    )


def _header(message: Message) -> Node:
    header = message.body.find("GrpHdr")
    if header is None:
        raise UnreadableFile(_("The message has no header."))
    return header


def _answer(transaction: Node) -> OrderAnswer:
    status = text(transaction, "TxSts")
    reasons = _reasons(transaction)
    amount = _original_amount(transaction)
    return OrderAnswer(
        number=_number(transaction),
        outcome=_outcome(status, reasons),
        amount=amount[0] if amount else None,
        codes=(status, *reasons) if status else reasons,
        text=_information(transaction),
        reference=reference(transaction, "AcctSvcrRef"),
        end_to_end_id=reference(transaction, "OrgnlEndToEndId"),
        paid_on=day(transaction, "FctvIntrBkSttlmDt/Dt", "FctvIntrBkSttlmDt/DtTm", "AccptncDtTm"),
    )


def _returned(transaction: Node, header: Node) -> OrderAnswer:
    return OrderAnswer(
        number=_number(transaction),
        outcome=OrderOutcome.RETURNED,
        amount=money(transaction, "RtrdIntrBkSttlmAmt")[0],
        codes=tuple(code(one, "Rsn") for one in transaction.all("RtrRsnInf")),
        text=" ".join(text(one, "AddtlInf") for one in transaction.all("RtrRsnInf")).strip(),
        reference=reference(transaction, "RtrId"),
        end_to_end_id=reference(transaction, "OrgnlEndToEndId"),
        paid_on=day(transaction, "IntrBkSttlmDt") or day(header, "IntrBkSttlmDt"),
    )


def _is_rejected(group: Node | None) -> bool:
    return group is not None and text(group, "GrpSts") == "RJCT"


def _of_file(group: Node | None, payments: Sequence[Node]) -> OrderOutcome:
    """What the whole file came to: the group's word, or that of its payments if they agree."""
    if group is not None and (status := text(group, "GrpSts")):
        found = {_outcome(status, _reasons(group))}
    else:
        found = {_outcome(text(one, "PmtInfSts"), _reasons(one)) for one in payments}
    return found.pop() if len(found) == 1 else OrderOutcome.UNCERTAIN


def _outcome(status: str, reasons: tuple[str, ...]) -> OrderOutcome:
    found = _OUTCOMES.get(status, OrderOutcome.UNCERTAIN)
    if found is OrderOutcome.REJECTED and DUPLICATE & set(reasons):
        return OrderOutcome.UNCERTAIN
    return found


def _reasons(element: Node) -> tuple[str, ...]:
    return tuple(found for one in element.all("StsRsnInf") if (found := code(one, "Rsn")))


def _information(element: Node) -> str:
    found = (" ".join(one.text.split()) for one in element.all("StsRsnInf/AddtlInf"))
    return " ".join(part for part in found if part)


def _number(transaction: Node) -> str:
    return reference(transaction, "OrgnlInstrId") or reference(transaction, "OrgnlEndToEndId")


def _original_amount(transaction: Node) -> tuple[Decimal, str] | None:
    found = transaction.find("OrgnlTxRef/Amt/InstdAmt")
    return None if found is None else money(found)


def _currency(transactions: Sequence[Node]) -> str:
    return _only(amount[1] for one in transactions if (amount := _original_amount(one)))


def _only(currencies: Iterable[str]) -> str:
    """Raises UnreadableFile for several: all orders of a file are in one."""
    found = {one for one in currencies if one}
    if len(found) > 1:
        raise UnreadableFile(
            _("Its amounts are in several currencies: %(currencies)s."), currencies=", ".join(sorted(found))
        )
    return found.pop() if found else ""


def _account(transactions: Sequence[Node]) -> Party:
    """Ours, as far as a transaction repeats it."""
    found = (one.find("OrgnlTxRef/DbtrAcct") for one in transactions)
    return next((account(one) for one in found if one is not None), Party(""))


def _original_file(transactions: Sequence[Node]) -> str:
    return next((found for one in transactions if (found := reference(one, "OrgnlGrpInf/OrgnlMsgId"))), "")
