"""MT940, SWIFT's statement, in the dialects of its banks, and MT942, its notice of a day's movements."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from django.utils.translation import gettext_noop as _

from gateway.bank_files.checks import checked
from gateway.bank_files.money import Malformed, with_some_mark
from gateway.bank_files.mt940_details import Details, details
from gateway.bank_files.shapes import Document, Party, Statement, StatementLine, UnreadableFile
from gateway.bank_files.texts import decoded, joined

_FIELD = re.compile(r":(\d\d[A-Z]?):(.*)")
_START = re.compile(r"^:20:", re.MULTILINE)
_SIGNATURE = re.compile(r"^:(60[FM]|62[FM]|34F|61):", re.MULTILINE)
_BALANCE = re.compile(r"([CD])(\d{6})([A-Z]{3})([\d.,]+)", re.ASCII)
_MOVEMENT = re.compile(
    r"(?P<value>\d{6})(?P<entry>\d{4})?\s*(?P<mark>[RE]?[CD])(?P<funds>[A-Z])?\s*(?P<amount>[\d.,]+)"
    r"(?P<code>[A-Z][A-Z0-9]{3})?(?P<ours>[^\n]*?)(?://(?P<banks>[^\n]*))?(?:\n(?P<more>.*))?",
    re.ASCII | re.DOTALL,
)
_SIGNS = {"C": 1, "D": -1, "RC": -1, "RD": 1}
"""R: an entry is taken back, so that the money goes the other way."""
_RETURNED = {"NRTI"}
_COLLECTED = {"NDDT"}
_NO_REFERENCE = {"NONREF", "NOTPROVIDED", "NOREF"}
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{10,30}", re.ASCII)


@dataclass(slots=True)
class _Found:
    """One message: its fields with the line where each stands, and the movements with their details."""

    line: int
    fields: dict[str, tuple[int, str]] = field(default_factory=dict)
    movements: list[tuple[int, list[str], list[str]]] = field(default_factory=list)


def recognises(content: bytes) -> bool:
    start = decoded(content[:16384].replace(b"\0", b""), "latin-1")
    start = "\n".join(line.strip() for line in start.split("\n"))
    return bool(_SIGNATURE.search(start)) and (bool(_START.search(start)) or start.lstrip().startswith((":", "{1:")))


def read(content: bytes) -> list[Document]:
    """Each message of the file. Raises UnreadableFile."""
    found: list[Document] = [_statement(one) for one in _messages(decoded(content))]
    if not found:
        raise UnreadableFile(_("The file holds no message."))
    return found


def _messages(text: str) -> Iterator[_Found]:
    found: _Found | None = None
    open_tag = ""
    for number, written in enumerate(text.split("\n"), 1):
        line = written.rstrip()
        if line.startswith("{"):
            line = line.rpartition("{4:")[2] if "{4:" in line else ""
        if not line or line.startswith("-}") or line == "-":
            continue
        match = _FIELD.match(line)
        if not match:
            _continue(found, open_tag, line)
            continue
        open_tag = match[1]
        if found is None or _begins(open_tag, found):
            if found:
                yield found
            found = _Found(number)
        _put(found, open_tag, number, match[2])
    if found:
        yield found


def _begins(tag: str, found: _Found) -> bool:
    """Some banks leave out :20: from the second statement on."""
    return tag == "20" or (tag in {"25", "60F", "60M"} and bool({"62F", "62M"} & found.fields.keys()))


def _put(found: _Found, tag: str, number: int, value: str) -> None:
    if tag == "61":
        found.movements.append((number, [value], []))
    elif tag == "86" and found.movements and not {"62F", "62M"} & found.fields.keys():
        found.movements[-1][2].append(value)
    elif tag in found.fields and tag in {"60F", "60M", "62F", "62M"}:
        raise UnreadableFile(_("Field %(tag)s stands twice in a message."), number, tag=tag)
    else:
        found.fields.setdefault(tag, (number, value))


def _continue(found: _Found | None, tag: str, line: str) -> None:
    if found is None:
        return
    if tag == "86" and found.movements and found.movements[-1][2]:
        found.movements[-1][2].append(line)
    elif tag == "61":
        found.movements[-1][1].append(line)


def _statement(found: _Found) -> Statement:
    fields = found.fields
    first, last = fields.get("60F") or fields.get("60M"), fields.get("62F") or fields.get("62M")
    is_notice = first is None and last is None
    if not is_notice and (first is None or last is None):
        raise UnreadableFile(_("A statement lacks its opening or its closing balance."), found.line)
    opening, closing = _balance(first), _balance(last)
    currency = opening[2] if opening else _currency_of_notice(fields)
    if closing and closing[2] != currency:
        raise UnreadableFile(_("The balances are in two currencies."), last[0] if last else 0)
    lines = [line for movement in found.movements if (line := _line(*movement)) is not None]
    days = [line.booked_on for line in lines] + ([closing[1]] if closing else [])
    if not days:
        raise UnreadableFile(_("The message names no day."), found.line)
    return checked(
        Statement(
            format="MT942" if is_notice else "MT940",
            account=_account(fields, currency),
            currency=currency,
            opened_on=min(days),
            closed_on=closing[1] if closing else max(days),
            lines=lines,
            number=_number(fields),
            opening=opening[0] if opening else None,
            closing=closing[0] if closing else None,
            is_notice=is_notice,
        ),
        last[0] if last else found.line,
    )


def _balance(written: tuple[int, str] | None) -> tuple[Decimal, date, str] | None:
    if written is None:
        return None
    line, value = written
    match = _BALANCE.fullmatch(value.strip())
    if not match:
        raise UnreadableFile(_("A balance is not readable."), line)
    return _amount(match[4], line) * _SIGNS[match[1]], _date(match[2], line), match[3]


def _number(fields: dict[str, tuple[int, str]]) -> str:
    """The bank's own. Zero stands for a bank that does not count."""
    written = (fields.get("28C") or fields.get("28") or (0, ""))[1].strip()
    return written if written.partition("/")[0].strip("0") else ""


def _currency_of_notice(fields: dict[str, tuple[int, str]]) -> str:
    """From the smallest amount that a notice tells of, which is mandatory there, or from its sums."""
    if "34F" in fields:
        return fields["34F"][1].strip()[:3]
    sums = next((fields[tag][1] for tag in ("90D", "90C") if tag in fields), "")
    return "".join(letter for letter in sums if letter.isalpha())[:3]


def _line(number: int, value: list[str], told: list[str]) -> StatementLine | None:
    """None for what a notice only expects."""
    match = _MOVEMENT.fullmatch("\n".join(value))
    if not match:
        raise UnreadableFile(_("A movement is not readable."), number)
    if match["mark"].startswith("E"):
        return None
    valued_on = _date(match["value"], number)
    amount = _amount(match["amount"], number) * _SIGNS[match["mark"]]
    ours, code = (match["ours"] or "").strip(), match["code"] or ""
    ours = "" if ours.upper() in _NO_REFERENCE else ours
    more = details(told)
    end_to_end_id = "" if more.end_to_end_id.upper() in _NO_REFERENCE else more.end_to_end_id
    is_back = match["mark"].startswith("R") or code in _RETURNED or more.is_return
    # Who starts a payment names it: only payments that we started, and what comes back of them, name orders of ours.
    is_ours = amount < 0 and code not in _COLLECTED and not more.is_collected
    return StatementLine(
        amount=amount,
        booked_on=_entry_date(match["entry"], valued_on, number),
        reference=(match["banks"] or "").strip() or ours,
        order_number=(end_to_end_id or ours) if is_back or is_ours else "",
        end_to_end_id=end_to_end_id,
        code=joined(code, more.code).replace(" ", "-"),
        text=joined(more.text, end_to_end_id, ours, match["more"] or ""),
        counterparty=_counterparty(more),
        is_reversal=is_back,
    )


def _amount(written: str, line: int) -> Decimal:
    try:
        return with_some_mark(written)
    except Malformed:
        raise UnreadableFile(_("An amount is no number."), line) from None


def _date(written: str, line: int) -> date:
    year, month, day = 2000 + int(written[:2]), int(written[2:4]), int(written[4:])
    try:
        return date(year, month, min(day, monthrange(year, month)[1]))  # for interest February has 30 days
    except ValueError:
        raise UnreadableFile(_("A date is none."), line) from None


def _entry_date(written: str | None, valued_on: date, line: int) -> date:
    """The day of booking has no year: it is the one that is closest to the value date."""
    if not written:
        return valued_on
    month, day = int(written[:2]), int(written[2:])
    near = []
    for year in (valued_on.year, valued_on.year - 1, valued_on.year + 1):
        try:
            near.append(date(year, month, day))
        except ValueError:
            continue
    if not near:
        raise UnreadableFile(_("A date of booking is none."), line)
    return min(near, key=lambda one: abs(one - valued_on))


def _account(fields: dict[str, tuple[int, str]], currency: str) -> Party:
    """An IBAN, or bank and account between a slash, with the currency behind it or not."""
    written = (fields.get("25") or fields.get("25P") or (0, ""))[1].strip().removesuffix(currency).strip()
    bank, _, number = written.rpartition("/")
    number = number.replace(" ", "")
    if _IBAN.fullmatch(number):
        return Party("", iban=number, bank=bank)
    is_clabe = len(number) == 18 and number.isdigit()
    return Party("", bank=bank, account=number, clabe=number if is_clabe else "")


def _counterparty(more: Details) -> Party | None:
    if not (more.name or more.account):
        return None
    is_iban = bool(_IBAN.fullmatch(more.account))
    return Party(
        more.name, iban=more.account if is_iban else "", account="" if is_iban else more.account, bic=more.bank
    )
