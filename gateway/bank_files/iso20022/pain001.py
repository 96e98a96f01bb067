"""Payment orders: pain.001.001.09. SEPA credit transfers in euros, and transfers inside Latin American countries.

Each order stands in the file under its own number twice, as InstrId and EndToEndId: answers and statements repeat
one of them.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from xml.etree.ElementTree import Element, SubElement, tostring  # nosec B405

from django.utils.translation import gettext
from stdnum import iban as ibans

from gateway.bank_files.iso20022.words import identifier, latin
from gateway.bank_files.money import fits
from gateway.bank_files.shapes import Order, Party, PaymentFile, UnwritableOrder, Way

NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"
NAME_LENGTH = 70
TEXT_LENGTH = 140
LARGEST = Decimal("999999999.99")
"""Of one order, by the rules of SEPA; the others take it, too."""
_NO_ACCOUNT = "NOTPROVIDED"
_PIX_KEYS = {"CPF": "PVTX", "CNPJ": "COTX", "EMAIL": "EMAL", "PHONE": "MBNO", "EVP": "CUST"}
_ACCOUNT_TYPES = {"CHECKING": "CACC", "SAVINGS": "SVGS", "PAYMENT": "EWAL"}


def write(file: PaymentFile) -> bytes:
    """The file in UTF-8 with characters that every bank takes. The same file is written the same each time.

    Raises UnwritableOrder.
    """
    if not file.orders:
        raise UnwritableOrder(gettext("A payment file needs at least one order."))
    twice = [number for number, times in Counter(order.number for order in file.orders).items() if times > 1]
    if twice:
        raise UnwritableOrder(gettext("The number stands in the file twice."), twice[0])
    if file.currency not in _ACCOUNTS:
        raise UnwritableOrder(
            gettext("No account is known to be written for %(currency)s.") % {"currency": file.currency}
        )
    document = Element("Document", xmlns=NAMESPACE)
    body = SubElement(document, "CstmrCdtTrfInitn")
    count, total = str(len(file.orders)), f"{sum((order.amount for order in file.orders), Decimal(0)):.2f}"
    header = SubElement(body, "GrpHdr")
    _put(header, "MsgId", message_id(file.agreement, file.sequence))
    _put(header, "CreDtTm", file.made_at.replace(microsecond=0).isoformat())
    _put(header, "NbOfTxs", count)
    _put(header, "CtrlSum", total)
    _put(header, "InitgPty/Nm", _name(file.payer, ""))
    _put(header, "InitgPty/Id/OrgId/Othr/Id", identifier(file.agreement))
    _payment(SubElement(body, "PmtInf"), file, count, total)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(document, encoding="unicode")}\n'.encode()


def message_id(agreement: str, sequence: int) -> str:
    """The MsgId of a file, which answers name. Unique for each agreement and sequence."""
    return f"{identifier(agreement)[:24].rstrip('/ ')}-{sequence:010d}".lstrip("-")


def _payment(payment: Element, file: PaymentFile, count: str, total: str) -> None:
    _put(payment, "PmtInfId", message_id(file.agreement, file.sequence))
    _put(payment, "PmtMtd", "TRF")
    _put(payment, "BtchBookg", "false")  # each order is a line of the statement
    _put(payment, "NbOfTxs", count)
    _put(payment, "CtrlSum", total)
    if file.currency == "EUR":
        _put(payment, "PmtTpInf/SvcLvl/Cd", "SEPA")
    _put(payment, "ReqdExctnDt/Dt", file.pay_on.isoformat())
    _put(payment, "Dbtr/Nm", _name(file.payer, ""))
    _tax_id(payment, "Dbtr", file.payer, file.currency)
    number = SubElement(payment, "DbtrAcct")
    _ACCOUNTS[file.currency](number, file.payer, "")
    _put(number, "Ccy", file.currency)
    if not _agent(payment, "DbtrAgt", file.payer):
        _put(payment, "DbtrAgt/FinInstnId/Othr/Id", _NO_ACCOUNT)
    _put(payment, "ChrgBr", "SLEV" if file.currency == "EUR" else "SHAR")
    for order in file.orders:
        _order(SubElement(payment, "CdtTrfTxInf"), order, file.currency)


def _order(transfer: Element, order: Order, currency: str) -> None:
    if identifier(order.number) != order.number or not order.number:
        raise UnwritableOrder(gettext("The number has characters that banks change."), order.number)
    if not 0 < order.amount <= LARGEST or not fits(order.amount, currency):
        raise UnwritableOrder(gettext("The amount is not one that can be transferred."), order.number)
    _put(transfer, "PmtId/InstrId", order.number)
    _put(transfer, "PmtId/EndToEndId", order.number)
    if currency == "BRL":
        _put(transfer, "PmtTpInf/LclInstrm/Prtry", "TED" if order.way is Way.TED else "PIX")
    _put(transfer, "Amt/InstdAmt", f"{order.amount:.2f}").set("Ccy", currency)
    _agent(transfer, "CdtrAgt", order.beneficiary)
    _put(transfer, "Cdtr/Nm", _name(order.beneficiary, order.number))
    _tax_id(transfer, "Cdtr", order.beneficiary, currency)
    number = SubElement(transfer, "CdtrAcct")
    (_pix_key if order.way is Way.PIX_KEY else _ACCOUNTS[currency])(number, order.beneficiary, order.number)
    if text := latin(order.text, TEXT_LENGTH):
        _put(transfer, "RmtInf/Ustrd", text)


def _put(parent: Element, path: str, text: str) -> Element:
    """The element at the path with this text; what is missing above it is made."""
    *above, last = path.split("/")
    for tag in above:
        found = parent.find(tag)
        parent = SubElement(parent, tag) if found is None else found
    made = SubElement(parent, last)
    made.text = text
    return made


def _name(holder: Party, number: str) -> str:
    name = latin(holder.name, NAME_LENGTH)
    if not name:
        raise UnwritableOrder(gettext("The holder of an account has no name in Latin letters."), number)
    return name


def _tax_id(parent: Element, tag: str, holder: Party, currency: str) -> None:
    """SEPA banks do not forward it; Latin American ones check it against the account."""
    if not holder.tax_id or currency == "EUR":
        return
    kind = "OrgId" if currency == "BRL" and len(holder.tax_id) == 14 else "PrvtId"
    _put(parent, f"{tag}/Id/{kind}/Othr/Id", identifier(holder.tax_id))
    _put(parent, f"{tag}/Id/{kind}/Othr/SchmeNm/Cd", "TXID")


def _agent(parent: Element, tag: str, holder: Party) -> bool:
    """The bank of an account, by BIC, by Brazil's ISPB or by the country's code. Whether there is any."""
    if holder.bic:
        _put(parent, f"{tag}/FinInstnId/BICFI", holder.bic)
    elif holder.ispb:
        _put(parent, f"{tag}/FinInstnId/ClrSysMmbId/ClrSysId/Cd", "BRISP")
        _put(parent, f"{tag}/FinInstnId/ClrSysMmbId/MmbId", holder.ispb)
    elif holder.bank:
        _put(parent, f"{tag}/FinInstnId/ClrSysMmbId/MmbId", holder.bank)
    else:
        return False
    if holder.branch:
        _put(parent, f"{tag}/BrnchId/Id", holder.branch + holder.branch_digit)
    return True


# ── Accounts, as each country writes them ─────────────────────────────────────────────────────────────────────────────
def _iban(account: Element, holder: Party, number: str) -> None:
    iban = "".join(holder.iban.split()).upper()
    if not ibans.is_valid(iban):
        raise UnwritableOrder(gettext("The account has no valid IBAN."), number)
    _put(account, "Id/IBAN", iban)


def _mexican(account: Element, holder: Party, number: str) -> None:
    _domestic(account, holder.clabe, 18, "CLABE", number)


def _argentine(account: Element, holder: Party, number: str) -> None:
    if holder.cbu or not holder.account:
        _domestic(account, holder.cbu, 22, "CBU", number)
    else:
        _other(account, holder.account, "ALIAS")


def _colombian(account: Element, holder: Party, number: str) -> None:
    if not holder.account.isdigit() or not (holder.bank or holder.bic):
        raise UnwritableOrder(gettext("The account has no number or no bank."), number)
    _other(account, holder.account, "BBAN")
    _type(account, holder)


def _brazilian(account: Element, holder: Party, number: str) -> None:
    if not (holder.account.isdigit() and holder.branch and (holder.bank or holder.ispb or holder.bic)):
        raise UnwritableOrder(gettext("The account lacks its number, its branch or its bank."), number)
    _other(account, holder.account + holder.account_digit, "BBAN")
    _type(account, holder)


def _pix_key(account: Element, holder: Party, number: str) -> None:
    if not holder.pix_key or holder.pix_key_type not in _PIX_KEYS:
        raise UnwritableOrder(gettext("The order has no PIX key."), number)
    _put(account, "Id/Othr/Id", _NO_ACCOUNT)
    _put(account, "Prxy/Tp/Cd", _PIX_KEYS[holder.pix_key_type])
    _put(account, "Prxy/Id", holder.pix_key)


def _domestic(account: Element, digits: str, length: int, scheme: str, number: str) -> None:
    if not (digits.isdigit() and digits.isascii() and len(digits) == length):
        raise UnwritableOrder(
            gettext("The account has no %(scheme)s of %(length)s digits.") % {"scheme": scheme, "length": length},
            number,
        )
    _other(account, digits, scheme)


def _other(account: Element, digits: str, scheme: str) -> None:
    _put(account, "Id/Othr/Id", digits)
    _put(account, f"Id/Othr/SchmeNm/{'Cd' if scheme == 'BBAN' else 'Prtry'}", scheme)


def _type(account: Element, holder: Party) -> None:
    if holder.account_type in _ACCOUNT_TYPES:
        _put(account, "Tp/Cd", _ACCOUNT_TYPES[holder.account_type])


_ACCOUNTS: Mapping[str, Callable[[Element, Party, str], None]] = {
    "EUR": _iban, "MXN": _mexican, "ARS": _argentine, "COP": _colombian, "BRL": _brazilian,
}  # fmt: skip
