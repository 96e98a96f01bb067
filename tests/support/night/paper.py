"""The bank's files, put together by hand: CNAB 240 of Itaú, and camt.053."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from tests.support.bank_lines import put
from tests.support.night.bank import Movement, Numbers, Slip, Told

_WALLET = "109"


@dataclass(frozen=True, slots=True)
class Event:
    """What the bank says of a boleto: a code, and cents that were paid; `fee` is what it keeps of them."""

    slip: Slip
    code: str
    paid: int = 0
    fee: int = 0


def collection_return(numbers: Numbers, day: date, sequence: int, events: Sequence[Event]) -> bytes:
    """Segments T and U."""
    lines = []
    for index, one in enumerate(events):
        kept, credited = f"{one.fee:015d}", f"{one.paid - one.fee:015d}"
        days = (138, f"{day:%d%m%Y}"), (146, f"{day:%d%m%Y}")
        title = (16, one.code), (38, f"{_WALLET}{one.slip.number:>08}0"), (82, f"{one.slip.cents:015d}"), (199, kept)
        lines.append(put(240, (1, "34100013"), (9, f"{_counted(2 * index + 1)}T"), *title))
        money = (16, one.code), (78, f"{one.paid:015d}"), (93, credited), *days
        lines.append(put(240, (1, "34100013"), (9, f"{_counted(2 * index + 2)}U"), *money))
    head = put(240, (1, "34100011T0100030"))
    return _file(numbers, day, sequence, [head, *lines, put(240, (1, "34100015"), (18, f"{len(lines) + 2:06d}"))])


def payment_return(file: bytes, codes: Mapping[str, str], paid: Mapping[str, int]) -> bytes:
    """The payment file with the bank's codes in it, by the numbers of orders. Those without a code are left out."""
    found: list[str] = []
    of_lot: list[str] = []
    total = 0
    for line in file.decode().splitlines():
        kind, number = line[7], line[73:93].strip()
        if kind == "1":
            of_lot, total = [line], 0
        elif kind == "3" and line[13] == "A" and number in codes:
            cents = paid.get(number, int(line[119:134]))
            line = _over(line, (9, _counted(len(of_lot))), (135, f"B{number}"[:15].ljust(15)))
            line = _over(line, (155, line[93:101]), (163, f"{cents:015d}"), (231, codes[number].ljust(10)))
            of_lot.append(line)
            total += cents
        elif kind == "5" and len(of_lot) > 1:
            found += [*of_lot, _over(line, (18, f"{len(of_lot) + 1:06d}"), (24, f"{total:018d}"))]
        elif kind == "0":
            found.append(_over(line, (143, "2")))
        elif kind == "9":
            lots = sum(one[7] == "1" for one in found)
            found.append(_over(line, (18, f"{lots:06d}"), (24, f"{len(found) + 1:06d}")))
    return "".join(f"{line}\r\n" for line in found).encode()


def statement_240(told: Told) -> bytes:
    """Segment E."""
    heads = (_of(told.numbers), (143, f"{told.day:%d%m%Y}"), (151, f"{abs(told.opening):018d}"))
    head = put(240, (1, "34100011E0440033"), *heads[0], *heads[1:], (169, _side(told.opening)), (171, told.currency))
    lines = [_movement(told, one, index) for index, one in enumerate(told.movements, 1)]
    debits, credits_ = (sum(abs(one.cents) for one in told.movements if one.cents * sign > 0) for sign in (-1, 1))
    sums = (171, f"{len(lines) + 2:06d}"), (177, f"{debits:018d}"), (195, f"{credits_:018d}")
    closing = (143, f"{told.day:%d%m%Y}"), (151, f"{abs(told.closing):018d}"), (169, _side(told.closing))
    trailer = put(240, (1, "34100015"), (18, f"{len(lines) + 2:06d}"), *closing, *sums)
    head = _over(head, (174, f"{told.count:05d}"))
    return _file(told.numbers, told.day, told.count, [head, *lines, trailer])


def _movement(told: Told, one: Movement, index: int) -> str:
    days = (135, f"{one.value_on or told.day:%d%m%Y}"), (143, f"{told.day:%d%m%Y}")
    money = (151, f"{abs(one.cents):018d}"), (169, _side(one.cents)), (170, "213"), (173, one.code[:4])
    said = (177, one.text[:25]), (202, one.number or one.reference)
    return put(240, (1, "34100013"), (9, f"{_counted(index)}E"), *days, *money, *said)


def camt053(told: Told) -> bytes:
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>'
        f"<GrpHdr><MsgId>M{told.count}</MsgId><CreDtTm>{told.day}T23:00:00-03:00</CreDtTm></GrpHdr><Stmt>"
        f"<Id>S{told.count}</Id><ElctrncSeqNb>{told.count}</ElctrncSeqNb><CreDtTm>{told.day}T23:00:00-03:00</CreDtTm>"
        f"<Acct>{_id(told.numbers)}<Ccy>{told.currency}</Ccy><Svcr>{_agent(told.numbers)}</Svcr></Acct>"
    ]
    parts += [_balance(told, "OPBD", told.opening), _balance(told, "CLBD", told.closing)]
    parts += [_entry(told, one) for one in told.movements]
    return "".join([*parts, "</Stmt></BkToCstmrStmt></Document>"]).encode()


def _entry(told: Told, one: Movement) -> str:
    kind = dict(zip(("Cd", "Fmly", "Sub"), one.code.split("-"), strict=False))
    code = (
        f"<BkTxCd><Domn><Cd>{kind['Cd']}</Cd><Fmly><Cd>{kind['Fmly']}</Cd><SubFmlyCd>{kind['Sub']}</SubFmlyCd></Fmly>"
        "</Domn></BkTxCd>"
        if "Sub" in kind
        else f"<BkTxCd><Prtry><Cd>{one.code}</Cd></Prtry></BkTxCd>"
    )
    refs = f"<Refs><EndToEndId>{one.number}</EndToEndId></Refs>" if one.number else ""
    role = "Cdtr" if one.cents < 0 else "Dbtr"
    other = (
        f"<RltdPties><{role}Acct>{_id(one.other)}</{role}Acct></RltdPties>"
        f"<RltdAgts><{role}Agt>{_agent(one.other)}</{role}Agt></RltdAgts>"
        if one.other
        else ""
    )
    return (
        f"<Ntry>{_amount(told, one.cents)}{'<RvslInd>true</RvslInd>' if one.is_reversed else ''}"
        f"<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>{told.day}</Dt></BookgDt>"
        f"<ValDt><Dt>{one.value_on or told.day}</Dt></ValDt>"
        f"<AcctSvcrRef>{one.reference}</AcctSvcrRef>{code}"
        f"<NtryDtls><TxDtls>{refs}{other}<RmtInf><Ustrd>{one.text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>"
    )


def _amount(told: Told, cents: int) -> str:
    side = "DBIT" if cents < 0 else "CRDT"
    return f"<Amt Ccy='{told.currency}'>{abs(cents) // 100}.{abs(cents) % 100:02d}</Amt><CdtDbtInd>{side}</CdtDbtInd>"


def _balance(told: Told, kind: str, cents: int) -> str:
    day = f"<Dt><Dt>{told.day}</Dt></Dt>"
    return f"<Bal><Tp><CdOrPrtry><Cd>{kind}</Cd></CdOrPrtry></Tp>{_amount(told, cents)}{day}</Bal>"


def _id(numbers: Numbers) -> str:
    return f"<Id><Othr><Id>{numbers['account']}{numbers['account_digit']}</Id></Othr></Id>"


def _agent(numbers: Numbers) -> str:
    bank = f"<ClrSysMmbId><MmbId>{numbers['bank']}</MmbId></ClrSysMmbId>"
    return f"<FinInstnId>{bank}</FinInstnId><BrnchId><Id>{numbers['branch']}</Id></BrnchId>"


def _file(numbers: Numbers, day: date, sequence: int, lot: Sequence[str]) -> bytes:
    head = put(240, (1, "34100000"), *_of(numbers), (143, "2"), (144, f"{day:%d%m%Y}"), (158, f"{sequence:06d}"))
    end = put(240, (1, "34199999"), (18, f"000001{len(lot) + 2:06d}"))
    return "".join(f"{line}\r\n" for line in _lines(head, lot, end)).encode()


def _lines(head: str, lot: Sequence[str], end: str) -> Iterator[str]:
    yield head
    yield from lot
    yield end


def _of(numbers: Numbers) -> tuple[tuple[int, str], ...]:
    place = (53, f"{numbers['branch']:>05}"), (59, f"{numbers['account']:>012}"), (72, numbers["account_digit"])
    return (*place, (73, "ONPAY PAGAMENTOS LTDA"))


def _counted(number: int) -> str:
    return f"{number % 100_000:05d}"


def _side(cents: int) -> str:
    return "D" if cents < 0 else "C"


def _over(line: str, *parts: tuple[int, str]) -> str:
    """The line with texts at positions that are counted from 1."""
    for start, text in parts:
        line = line[: start - 1] + text + line[start - 1 + len(text) :]
    return line
