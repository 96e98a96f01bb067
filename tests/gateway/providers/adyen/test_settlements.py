"""The Settlement details report: read to the cent, or refused with the place; fetched from Adyen alone."""

import io
import time
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from gateway.providers.adyen.provider import AdyenCredentials, AdyenProvider
from gateway.providers.adyen.settlements import COLUMNS, lines_of
from gateway.providers.errors import CallFailed, NotSent, Unclear, Unreadable
from gateway.providers.provider import Message
from gateway.providers.settlements import ReportedLine
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import Change, Payment
from tests.support.adyen.settlements import HEADER, Batch
from tests.support.settlements import available

PAY, REF = f"pay_{'0' * 26}", f"ref_{'0' * 26}"
PAID = Payment("PSP0000000000001", PAY, {"value": 15000, "currency": "BRL"}, "visa", {})
REFUND = Change("PSP0000000000002", PAID, "refunds", REF, {"value": 5000, "currency": "BRL"})


def batch() -> Batch:
    """A payment, half a refund, a dispute lost and one won, a monthly fee, and the payout."""
    written = Batch()
    written.settled(PAID, "3.35")
    written.refunded(REFUND, "0.20")
    number = written.disputed(PAID, "15.00", "PSP0000000000003")
    written.disputed(PAID, number=number, kind="ChargebackReversed")
    written.charged("9.90")
    written.pay_out()
    return written


def read(file: bytes, account: str = "OnpayPT") -> list[ReportedLine]:
    return list(lines_of(io.BytesIO(file), account))


def refusal(file: bytes, account: str = "OnpayPT") -> str:
    with pytest.raises(Unreadable) as refused:
        read(file, account)
    return refused.value.reason


def test_every_line_is_read_to_the_cent() -> None:
    payment, refund, dispute, won, fee, payout = read(batch().file())

    assert (payment.kind, payment.object_id, payment.reference) == ("PAYMENT", PAY, PAID.psp)
    assert (payment.gross, payment.fee, payment.net) == (Decimal("150.00"), Decimal("3.35"), Decimal("146.65"))
    assert (payment.at, payment.method) == (datetime(2026, 11, 22, 8, 30, tzinfo=UTC), "CREDIT_CARD")
    assert (refund.kind, refund.object_id, refund.reference) == ("REFUND", REF, REFUND.psp)
    assert (refund.gross, refund.fee, refund.net) == (Decimal("-50.00"), Decimal("0.20"), Decimal("-50.20"))
    assert (dispute.kind, dispute.fee, dispute.payment_reference) == ("DISPUTE", Decimal("15.00"), PAID.psp)
    assert (won.kind, won.reference, won.gross) == ("DISPUTE_WON", dispute.reference, Decimal("150.00"))
    assert (fee.kind, fee.gross, fee.fee, fee.net) == ("FEE", 0, Decimal("9.90"), Decimal("-9.90"))
    assert (payout.kind, payout.net) == ("PAYOUT", -sum(one.net for one in (payment, refund, dispute, won, fee)))
    assert {one.payout for one in (payment, payout)} == {"1"}
    assert len({one.id for one in (payment, refund, dispute, won, fee, payout)}) == 6


@pytest.mark.parametrize(
    "other",
    [
        lambda file: b"\xef\xbb\xbf" + file,
        lambda file: file.replace(b"\r\n", b"\n"),
        lambda file: batch().file(tuple(reversed(HEADER))),
        lambda file: file.replace(b"Onpay,OnpayPT", b'"On\npay",OnpayPT'),
        lambda file: file + file.split(b"\r\n", 2)[1].replace(b"OnpayPT", b"OnpayES") + b"\r\n",
    ],
)
def test_the_form_of_the_file_does_not_matter(other: Any) -> None:
    assert read(other(batch().file())) == read(batch().file())


def test_a_line_that_stands_there_twice_is_the_same_line() -> None:
    file = batch().file()
    twice = file + file.split(b"\r\n", 2)[1] + b"\r\n"

    assert {one.id for one in read(twice)} == {one.id for one in read(file)}
    assert len(read(twice)) == len(read(file)) + 1


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (b"", "the file is empty"),
        (b"a,b\r\n1,2\r\n", "columns are missing: Merchant Account"),
        (batch().file([*HEADER, "Type"]), "columns stand there twice: Type"),
        (batch().file(**{"Net_Credit_(NC)": "1,50"}), "line 2: Net Credit (NC) is no amount"),
        (batch().file(**{"Net_Credit_(NC)": "1e3"}), "line 2: Net Credit (NC) is no amount"),
        (batch().file(**{"Net_Credit_(NC)": "0.001"}), "line 2: BRL has 2 decimals"),
        (batch().file(**{"Net_Credit_(NC)": "140.00"}), "line 2: gross less fees is not net"),
        (batch().file(Net_Currency="GBP"), "line 2: GBP is none of our currencies"),
        (batch().file(TimeZone="XYZ"), "line 2: the time zone XYZ is not known"),
        (batch().file(Creation_Date="22/11/2026"), "line 2: Creation Date is no time"),
        (batch().file() + b"1,2\r\n", "line 8 has 2 cells, and the header 25"),
        (batch().file() + b'"', "not a CSV file in UTF-8"),
        (b"\xff\xfe" + batch().file(), "not a CSV file in UTF-8"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(file: bytes, reason: str) -> None:
    assert reason in refusal(file)


def test_a_report_of_another_merchant_account_is_refused_and_an_empty_one_is_not() -> None:
    assert refusal(batch().file(), "OnpayES") == "no line is of the merchant account OnpayES"
    assert read(Batch().file(COLUMNS)) == []


def test_another_currency_than_charged_keeps_both_amounts() -> None:
    told = Batch()
    told.settled(PAID, "3.35")
    converted = {"Net_Currency": "EUR", "Net_Credit_(NC)": "23.10"}

    (line,) = read(told.file(**converted))

    assert (line.gross, line.gross_currency) == (Decimal("150.00"), "BRL")
    assert (line.fee, line.net, line.currency) == (Decimal("3.35"), Decimal("23.10"), "EUR")


def test_what_is_not_paid_out_names_no_payout() -> None:
    told = Batch()
    told.settled(PAID)

    assert [one.payout for one in read(told.file())] == [""]


def test_a_hundred_thousand_lines_take_less_than_a_minute() -> None:
    told = Batch()
    told.settled(PAID, "3.35")
    file = told.file()
    header, line = file.split(b"\r\n")[:2]
    many = b"\r\n".join([header, *[line] * 10_000])

    begun = time.monotonic()
    assert sum(1 for _ in lines_of(io.BytesIO(many), "OnpayPT")) == 10_000
    assert time.monotonic() - begun < 6


def names(provider: AdyenProvider, body: bytes) -> list[str]:
    told = Message("", {}, body)
    assert provider.verify(told)
    return [notice.object_id for notice in provider.read(told)]


def test_a_signed_notification_names_the_file_and_no_address(provider: AdyenProvider) -> None:
    told = Batch()
    assert names(provider, available(told)) == ["report_settlement_detail_report_batch_1.csv"]
    for other in ("payments_accounting_report_2026_11_22.csv", "settlement_detail_report_../../secret.csv"):
        assert names(provider, available(told, pspReference=other)) == []
    assert names(provider, available(told, merchantAccountCode="OnpayES")) == []
    forged = available(told).replace(b"batch_1", b"batch_2")
    assert not provider.verify(Message("", {}, forged))


def test_the_file_is_downloaded_from_adyen_with_the_key_of_the_report_user(
    acquirer: Acquirer, provider: AdyenProvider
) -> None:
    told = batch()
    acquirer.reports[told.name] = told.file()

    assert list(provider.settlement_lines(told.name)) == read(told.file())
    for name, failure in ((told.name.replace("1", "9"), Unclear), ("../../etc/passwd", NotSent)):
        with pytest.raises(failure):
            list(provider.settlement_lines(name))
    keyless = AdyenProvider(AdyenCredentials.model_validate(acquirer.credentials(report_api_key=None)))
    with pytest.raises(NotSent):
        list(keyless.settlement_lines(told.name))
    assert [call for call in acquirer.calls if "reports" in call] == [
        f"GET /reports/download/MerchantAccount/OnpayPT/settlement_detail_report_batch_{n}.csv" for n in (1, 9)
    ]


def test_a_redirect_is_not_followed(acquirer: Acquirer, provider: AdyenProvider) -> None:
    told = batch()
    acquirer.reports[told.name] = told.file()
    acquirer.will("redirect", on="reports")
    with pytest.raises(CallFailed):
        list(provider.settlement_lines(told.name))
    assert acquirer.elsewhere == []


def test_live_and_test_accounts_have_reports_of_their_own(acquirer: Acquirer) -> None:
    given = acquirer.credentials(reports_url=None)
    live, test = (AdyenCredentials.model_validate(given | {"client_key": f"{of}_ABC"}) for of in ("live", "test"))
    assert (live.reports, test.reports) == ("https://ca-live.adyen.com", "https://ca-test.adyen.com")
