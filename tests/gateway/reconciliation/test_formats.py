"""Files in each format, as they come to a bank account of ours: whose they are, and what they change."""

from typing import Any

import pytest

from gateway.reconciliation import files
from gateway.reconciliation.handlers import DocumentRefused
from gateway.reconciliation.models import BankAccount, BankStatement, ImportedFile
from tests.support.bank_accounts import NUMBERS, a_bank_account, lines_of, sweep
from tests.support.statements import camt053, entry, moved, mt940, ofx

pytestmark = pytest.mark.django_db

EUROS = {"currency": "EUR", "numbers": {"iban": "NL41MOCK0000000001"}}
MAPPING = {"currency": "BRL", "booked_on": "1", "amount": "2", "balance": "3", "has_titles": False}
REPORT = (
    b'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>1</MsgId>'
    b"<CreDtTm>2026-10-01T10:00:00Z</CreDtTm></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>2</OrgnlMsgId><GrpSts>ACTC"
    b"</GrpSts></OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>"
)


def moved_at(account: BankAccount) -> int:
    """The sum of the lines that are stored."""
    return sum(line.amount for line in lines_of(account))


def taken(account: BankAccount, content: bytes) -> ImportedFile:
    """As from the bank's own folder."""
    file = files.fetched(account, "file", content)
    assert file is not None
    sweep()
    return file


FILES: dict[str, tuple[dict[str, Any], bytes]] = {
    "camt.053": (EUROS, camt053("0.00", "12.50", entry("12.50"))),
    "MT940": (EUROS, mt940("0,00", "12,50", ":61:261001C12,50NTRFA", account="NL41MOCK0000000001").encode()),
    "OFX": (
        {"numbers": {"account": "123456", "account_digit": "7"}}, ofx(moved("12,50", "1"), closing="12,50").encode()
    ),
    "OFX with a branch": (
        {"numbers": NUMBERS}, ofx(moved("12,50", "1"), closing="12,50").replace("1234567", "1234/56789-0").encode()
    ),
    "OFX with a branch in front": (
        {"numbers": NUMBERS}, ofx(moved("12,50", "1"), closing="12,50").replace("1234567", "1234567890").encode()
    ),
    "CSV": ({"mapping": MAPPING}, b"05/10/2026;12,50;12,50\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_each_format_is_stored_to_the_cent(name: str) -> None:
    members, content = FILES[name]
    account = a_bank_account("BANK-1", **members)

    assert taken(account, content).state == "TAKEN"

    assert BankStatement.objects.get().closing == moved_at(account) == 1250


@pytest.mark.parametrize("name", ["camt.053", "MT940", "OFX"])
def test_a_file_of_another_account_changes_nothing(name: str) -> None:
    account = a_bank_account("BANK-1", **FILES[name][0] | {"numbers": {"account": "999"}})

    file = taken(account, FILES[name][1])

    assert (file.state, file.cause) == ("REFUSED", "OTHER_ACCOUNT")
    assert (BankStatement.objects.count(), moved_at(account)) == (0, 0)


def test_a_notice_is_taken_and_books_nothing_before_its_statement() -> None:
    account = a_bank_account("BANK-1", **EUROS)
    statement = camt053("0.00", "12.50", entry("12.50"))
    notice = statement.decode()
    for theirs, ours in {"camt.053": "camt.054", "BkToCstmrStmt": "BkToCstmrDbtCdtNtfctn", "Stmt>": "Ntfctn>"}.items():
        notice = notice.replace(theirs, ours)

    file = taken(account, notice.encode())
    assert (file.state, BankStatement.objects.count(), moved_at(account)) == ("TAKEN", 0, 0)
    documents = files.documents_of(account, notice.encode())
    assert ("Notice", "1 movements: the account's statement will book them") in files.summary(account, documents)

    assert taken(account, statement).state == "TAKEN"
    assert moved_at(account) == 1250


def test_a_bank_with_a_mapping_sends_other_formats_too() -> None:
    account = a_bank_account("BANK-1", mapping=MAPPING, **EUROS)

    assert taken(account, FILES["camt.053"][1]).format == "camt.053.001.08"


def test_a_report_that_names_no_account_is_read_for_the_account_that_it_came_for() -> None:
    (found,) = files.documents_of(a_bank_account("BANK-1", **EUROS), REPORT)

    assert found.format == "pain.002.001.10"


def test_a_csv_that_does_not_fit_its_mapping_is_refused_with_its_line() -> None:
    account = a_bank_account("BANK-1", mapping=MAPPING)

    with pytest.raises(DocumentRefused) as refused:
        files.documents_of(account, b"05/10/2026;12,50;12,50\n06/10/2026;1,00;13,49\n")

    assert (refused.value.cause, refused.value.line) == ("UNREADABLE", 2)
