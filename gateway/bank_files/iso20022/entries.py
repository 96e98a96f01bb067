"""Entries of camt messages: one movement of the account each, or the movements that a batch of them consists of."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from django.utils.translation import gettext_noop as _

from gateway.bank_files.iso20022.messages import code, day, money, party, reference, text
from gateway.bank_files.iso20022.tree import Node
from gateway.bank_files.shapes import Party, StatementLine, UnreadableFile
from gateway.bank_files.texts import joined

BOOKED = {"BOOK", ""}
CHARGES = "CHARGES"
"""The code of a line for what the bank kept of an entry."""
_SIGNS = {"CRDT": 1, "DBIT": -1}
_IDS = ("Refs/EndToEndId", "Refs/MsgId", "Refs/PmtInfId", "NtryDtls/Btch/MsgId", "NtryDtls/Btch/PmtInfId")
_ROLES = {1: ("Dbtr", "DbtrAcct", "DbtrAgt"), -1: ("Cdtr", "CdtrAcct", "CdtrAgt")}


def is_booked(entry: Node) -> bool:
    """Whether it is part of the booked balance. Pending and informative ones are not."""
    return code(entry, "Sts").upper() in BOOKED


def lines(entry: Node, currency: str, made_on: date | None) -> list[StatementLine]:
    """The movements of an entry: its transactions with what the bank kept, if they sum up to it, else the entry as one.

    An entry without a date is of the day on which the message was made. Raises UnreadableFile.
    """
    amount = signed(entry, currency)
    booked_on = day(entry, "BookgDt/Dt", "BookgDt/DtTm", "ValDt/Dt", "ValDt/DtTm") or made_on
    if booked_on is None:
        raise UnreadableFile(_("An entry has no date."))
    transactions = entry.all("NtryDtls/TxDtls")
    if len(transactions) > 1 or any(one.find("Chrgs") for one in [entry, *transactions]):
        parts = _parts(entry, transactions, amount, currency, booked_on)
        if parts is not None:
            return parts
    if len(transactions) == 1:
        return [_line(entry, transactions[0], amount, booked_on)]
    whole = _line(entry, None, amount, booked_on)
    return (
        [replace(whole, text=joined(whole.text, *(_all_of(one) for one in transactions)))] if transactions else [whole]
    )


def signed(element: Node, currency: str) -> Decimal:
    """The amount of an entry or a balance, - if it is a debit. Raises UnreadableFile for another currency."""
    amount, named = money(element, "Amt")
    if named and named != currency:
        raise UnreadableFile(
            _("An amount in %(named)s is in a statement in %(currency)s."), named=named, currency=currency
        )
    if amount < 0:
        raise UnreadableFile(_("An amount is negative; the direction says so, not the amount."))
    try:
        return amount * _SIGNS[text(element, "CdtDbtInd")]
    except KeyError:
        raise UnreadableFile(_("An amount is neither a credit nor a debit.")) from None


def _parts(
    entry: Node, transactions: Sequence[Node], amount: Decimal, currency: str, booked_on: date
) -> list[StatementLine] | None:
    """A line a transaction, and one for charges. None where they do not sum up to the entry."""
    amounts = [_own_amount(one, amount, currency) for one in transactions]
    if any(one is None for one in amounts):
        return None
    found = [_line(entry, one, own or Decimal(0), booked_on) for one, own in zip(transactions, amounts, strict=True)]
    rest = amount - sum((line.amount for line in found), Decimal(0))
    if not rest:
        return found
    if rest != -_charges(entry, transactions, currency):
        return None
    return [*found, StatementLine(rest, booked_on, _reference(entry, None), code=CHARGES, text="Charges")]


def _own_amount(transaction: Node, of_entry: Decimal, currency: str) -> Decimal | None:
    """In the account's currency, or None if it has none of its own. Older versions have it only among the details."""
    for path in ("Amt", "AmtDtls/TxAmt/Amt"):
        found = transaction.find(path)
        if found is not None:
            amount, named = money(found)
            if named not in {currency, ""}:
                continue
            sign = _SIGNS.get(text(transaction, "CdtDbtInd"), 1 if of_entry >= 0 else -1)
            return amount * sign
    return None


def _charges(entry: Node, transactions: Sequence[Node], currency: str) -> Decimal:
    """What the bank kept, + if it did: of the entry, or of each of its transactions where the entry says nothing."""
    of_entry = _charges_of(entry, currency)
    if of_entry is not None:
        return of_entry
    return sum((found for one in transactions if (found := _charges_of(one, currency))), Decimal(0))


def _charges_of(element: Node, currency: str) -> Decimal | None:
    kept = [
        record
        for record in [*element.all("Chrgs"), *element.all("Chrgs/Rcrd")]
        if record.find("Amt") is not None and record.find("Amt").currency in {currency, ""}  # type: ignore[union-attr]
    ]
    if not kept:
        return None
    amounts = (money(record, "Amt")[0] * -_SIGNS.get(text(record, "CdtDbtInd"), -1) for record in kept)
    return sum(amounts, Decimal(0))


def _is_collected(entry: Node) -> bool:
    """Whether somebody else has collected it from our account."""
    return text(entry, "BkTxCd/Domn/Fmly/Cd") == "RDDT"


def _line(entry: Node, transaction: Node | None, amount: Decimal, booked_on: date) -> StatementLine:
    """What the transaction says, and where it is silent the entry.

    Who starts a payment names it: only payments that we started, and what comes back of them, name orders of ours.
    """
    details = entry if transaction is None else transaction
    returned = text(details, "RtrInf/Rsn/Cd") or text(details, "RtrInf/Rsn/Prtry")
    is_back = text(entry, "RvslInd") in {"true", "1"} or details.find("RtrInf") is not None or _is_return(entry)
    end_to_end_id = reference(details, "Refs/EndToEndId")
    ours = reference(details, "Refs/InstrId") or end_to_end_id
    return StatementLine(
        amount=amount,
        booked_on=booked_on,
        reference=_reference(entry, transaction),
        order_number=ours if is_back or (amount < 0 and not _is_collected(entry)) else "",
        end_to_end_id=end_to_end_id or reference(details, "Refs/TxId"),
        code=_kind(details) or _kind(entry),
        text=joined(f"Return {returned}" if returned else "", _all_of(details), text(entry, "AddtlNtryInf")),
        counterparty=_counterparty(details, amount, is_back=is_back),
        is_reversal=is_back,
    )


def _reference(entry: Node, transaction: Node | None) -> str:
    own = reference(transaction, "Refs/AcctSvcrRef") if transaction is not None else ""
    return own or reference(entry, "AcctSvcrRef") or reference(entry, "NtryRef")


def _is_return(entry: Node) -> bool:
    """Whether the entry's kind is a returned credit transfer."""
    return text(entry, "BkTxCd/Domn/Fmly/SubFmlyCd") in {"RRTN", "RPCR", "ARET"}


def _kind(details: Node) -> str:
    domain = details.find("BkTxCd/Domn")
    if domain is None:
        return text(details, "BkTxCd/Prtry/Cd")
    found = (text(domain, path) for path in ("Cd", "Fmly/Cd", "Fmly/SubFmlyCd"))
    return "-".join(part for part in found if part)


def _counterparty(details: Node, amount: Decimal, *, is_back: bool) -> Party | None:
    """Who paid us or whom we paid. What comes back keeps the roles of the payment, so the other side is taken."""
    parties, agents = details.find("RltdPties"), details.find("RltdAgts")
    if parties is None:
        return None
    sign = 1 if amount >= 0 else -1
    for holder, number, agent in (_ROLES[-sign], _ROLES[sign]) if is_back else (_ROLES[sign],):
        found = party(parties.find(holder), parties.find(number), agents.find(agent) if agents is not None else None)
        if found != Party(""):
            return found
    return None


def _all_of(details: Node) -> str:
    """What a person, or a reference of ours in it, is found by."""
    texts = [element.text for element in details.all("RmtInf/Ustrd")]
    texts += [element.text for element in details.all("RmtInf/Strd/CdtrRefInf/Ref")]
    texts += [element.text for element in details.all("RmtInf/Strd/RfrdDocInf/Nb")]
    ids = [reference(details, path) for path in _IDS]
    return joined(*texts, *ids, text(details, "AddtlTxInf"))
