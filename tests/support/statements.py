"""Statements as banks write them, made by the tests: CNAB, camt, OFX and MT940 of chosen movements."""

from tests.support.bank_lines import put

CAMT = "urn:iso:std:iso:20022:tech:xsd:"


def entry(amount: str, inside: str = "", *, reference: str = "BANK-1", status: str = "<Cd>BOOK</Cd>") -> str:
    """An entry of 2 October 2026; - in front is a debit."""
    return (
        f"<Ntry><Amt Ccy='EUR'>{amount.removeprefix('-')}</Amt><CdtDbtInd>{_side(amount)}</CdtDbtInd>"
        f"<Sts>{status}</Sts><BookgDt><Dt>2026-10-02</Dt></BookgDt><ValDt><Dt>2026-10-02</Dt></ValDt>"
        f"<AcctSvcrRef>{reference}</AcctSvcrRef>"
        "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>"
        f"{inside}</Ntry>"
    )


def transaction(inside: str) -> str:
    return f"<NtryDtls><TxDtls>{inside}</TxDtls></NtryDtls>"


def balance(kind: str, amount: str, on: str = "2026-10-02") -> str:
    return (
        f"<Bal><Tp><CdOrPrtry><Cd>{kind}</Cd></CdOrPrtry></Tp><Amt Ccy='EUR'>{amount.removeprefix('-')}</Amt>"
        f"<CdtDbtInd>{_side(amount)}</CdtDbtInd><Dt><Dt>{on}</Dt></Dt></Bal>"
    )


def camt053(opening: str, closing: str, *entries: str, version: str = "08", balances: str = "") -> bytes:
    """A statement of one account in euros."""
    both = balances or balance("OPBD", opening) + balance("CLBD", closing)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><Document xmlns="{CAMT}camt.053.001.{version}"><BkToCstmrStmt>'
        "<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-10-02T23:00:00Z</CreDtTm></GrpHdr><Stmt><Id>S1</Id>"
        "<ElctrncSeqNb>7</ElctrncSeqNb><CreDtTm>2026-10-02T23:00:00Z</CreDtTm>"
        "<Acct><Id><IBAN>NL41MOCK0000000001</IBAN></Id><Ccy>EUR</Ccy></Acct>"
        f"{both}{''.join(entries)}</Stmt></BkToCstmrStmt></Document>"
    ).encode()


def ofx(
    *transactions: str, closing: str = "", as_of: str = "20261031", header: str = "ENCODING:USASCII\nCHARSET:1252\n"
) -> str:
    """OFX 1.x without closing tags of values, as Brazilian banks write it."""
    ledger = f"<LEDGERBAL>\n<BALAMT>{closing}\n<DTASOF>{as_of}\n</LEDGERBAL>\n" if closing else ""
    return (
        f"OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\n{header}COMPRESSION:NONE\nOLDFILEUID:NONE\n"
        "NEWFILEUID:NONE\n\n<OFX>\n<SIGNONMSGSRSV1>\n<SONRS>\n<STATUS>\n<CODE>0\n<SEVERITY>INFO\n</STATUS>\n"
        "<DTSERVER>20261031120000[-3:BRT]\n<LANGUAGE>POR\n</SONRS>\n</SIGNONMSGSRSV1>\n<BANKMSGSRSV1>\n<STMTTRNRS>\n"
        "<TRNUID>1\n<STATUS>\n<CODE>0\n<SEVERITY>INFO\n</STATUS>\n<STMTRS>\n<CURDEF>BRL\n<BANKACCTFROM>\n<BANKID>0341\n"
        "<ACCTID>1234567\n<ACCTTYPE>CHECKING\n</BANKACCTFROM>\n<BANKTRANLIST>\n<DTSTART>20261001100000[-3:BRT]\n"
        f"<DTEND>20261031100000[-3:BRT]\n{''.join(transactions)}</BANKTRANLIST>\n{ledger}"
        "</STMTRS>\n</STMTTRNRS>\n</BANKMSGSRSV1>\n</OFX>\n"
    )


def moved(amount: str, reference: str, memo: str = "", kind: str = "", on: str = "20261005120000[-3:BRT]") -> str:
    """One transaction of OFX."""
    kind = kind or ("DEBIT" if amount.startswith("-") else "CREDIT")
    return (
        f"<STMTTRN>\n<TRNTYPE>{kind}\n<DTPOSTED>{on}\n<TRNAMT>{amount}\n<FITID>{reference}\n<MEMO>{memo}\n</STMTTRN>\n"
    )


def mt940(opening: str, closing: str, *movements: str, account: str = "20041010/1234567") -> str:
    """A statement of October 2026 in euros; movements with their tags."""
    return (
        f":20:STARTUMS\n:25:{account}\n:28C:5/1\n:60F:{_mt_balance(opening)}\n"
        + "".join(one + "\n" for one in movements)
        + f":62F:{_mt_balance(closing)}\n-\n"
    )


def _mt_balance(amount: str) -> str:
    return f"{'D' if amount.startswith('-') else 'C'}261031EUR{amount.removeprefix('-')}"


def _side(amount: str) -> str:
    return "DBIT" if amount.startswith("-") else "CRDT"


CENTS = 18


def extract(
    opening: str,
    closing: str,
    *movements: str,
    debits: str = "0",
    credits: str = "0",
    bank: str = "001",
    texts: tuple[str, ...] = (),
    on: str = "23112026",
) -> list[str]:
    """The lines of a statement in CNAB 240. Amounts in cents, with C or D behind them; `texts` in place of `DOC1`."""
    account = ((53, "01234"), (59, "000000056789"), (71, "0"), (73, "ACME"))
    lines = [
        put(240, (1, f"{bank}00000"), *account, (143, "2"), (144, "24112026"), (158, "000007")),
        put(240, (1, f"{bank}00011E0440030"), *account, (143, "22112026"), (151, opening[:-1].zfill(CENTS)),
            (169, opening[-1]), (171, "BRL00012")),
    ]  # fmt: skip
    for number, amount in enumerate(movements, 1):
        place = (1, f"{bank}00013{number:05d}E"), (143, on), (151, amount[:-1].zfill(CENTS)), (169, amount[-1])
        document = texts[number - 1] if texts else f"DOC{number}"
        lines.append(put(240, *place, (173, "0470"), (177, "PIX ENVIADO"), (202, document)))
    end = (143, on), (151, closing[:-1].zfill(CENTS)), (169, closing[-1])
    sums = (171, f"{len(movements) + 2:06d}"), (177, debits.zfill(CENTS)), (195, credits.zfill(CENTS))
    lines.append(put(240, (1, f"{bank}00015"), (18, "2"), (19, "12924343000121"), *end, *sums))
    return [*lines, put(240, (1, f"{bank}99999"), (18, f"000001{len(movements) + 4:06d}"))]
