"""Settlements before staff: a report uploaded, days and lines looked through, a difference accepted by two people."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, User
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.serving.limits import FILES, largest_body
from gateway.settlements.errors import ReportKnown, ReportUnreadable
from gateway.settlements.models import SettlementDay, SettlementDifference, SettlementLine, SettlementReport
from gateway.staff.kit.columns import address as page_at
from tests.support.adyen.acquirer import Acquirer, open_acquirer
from tests.support.adyen.settlements import Batch
from tests.support.companies import Shop
from tests.support.people import browser_of
from tests.support.proposals import confirmed, nothing_moves, proposed, refusal
from tests.support.settlements import an_account, an_adjustment, paid, sweep
from tests.support.staff import support

pytestmark = pytest.mark.django_db(transaction=True)
UPLOAD = "admin:gateway_settlementreport_upload"


@pytest.fixture
def acquirer() -> Iterator[Acquirer]:
    with open_acquirer() as acquirer:
        yield acquirer


@pytest.fixture
def account(acme: Shop, acquirer: Acquirer) -> ProviderAccount:
    return an_account(acme, acquirer=acquirer)


def uploaded(browser: Client, account: ProviderAccount, content: bytes, name: str = "batch.csv") -> str:
    file = SimpleUploadedFile(name, content, "text/csv")
    sent = {"account": account.pk, "file": file, "note": "From the Customer Area"}
    answer = browser.post(reverse(UPLOAD), sent, follow=True)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_an_uploaded_report_is_booked_and_its_margin_is_for_treasury_alone(
    staff: Client, acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = paid(acme, account, acquirer)
    batch = Batch()
    batch.settled(money, "0.35")
    batch.pay_out()

    assert "is read within a minute" in uploaded(staff, account, batch.file())
    sweep()

    report = SettlementReport.objects.get()
    assert (report.state, report.lines, bytes(report.sealed_content)) == ("READ", 2, b"")
    assert AuditEntry.objects.filter(action="settlement_report.uploaded", object_id=report.pk).exists()
    day = SettlementDay.objects.get(method="PIX")
    listed = staff.get(page_at(SettlementDay, "changelist")).content.decode()
    assert "149.65 BRL" in listed
    line = SettlementLine.objects.get(kind="PAYMENT")
    assert (
        page_at(SettlementLine, "change", line.pk)
        in staff.get(page_at(SettlementDay, "change", day.pk)).content.decode()
    )
    exported = b"".join(staff.get(reverse("admin:gateway_settlementline_export")).streaming_content)  # type: ignore[attr-defined]
    assert money.psp.encode() not in exported and payment.pk.encode() in exported
    margins = staff.get(reverse("admin:gateway_settlementday_margins"), {"since": day.day, "until": day.day})
    assert "1.15 BRL" in margins.content.decode()
    assert "1.15 BRL" in staff.get(page_at(Payment, "change", payment.pk)).content.decode()
    helper = browser_of(support())
    assert "Margin" not in helper.get(page_at(Payment, "change", payment.pk)).content.decode()
    assert helper.get(page_at(SettlementDay, "changelist")).status_code == 403


def test_what_is_no_report_or_is_known_is_refused_and_stores_nothing(
    staff: Client, acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    _, money = paid(acme, account, acquirer)
    batch = Batch()
    batch.settled(money)
    with nothing_moves():
        for wrong in (b"", b"a,b\r\n", batch.file(Merchant_Account="OnpayES"), b"\x00\xff"):
            page = uploaded(staff, account, wrong)
            assert ReportUnreadable.message in page or "empty" in page
    assert not SettlementReport.objects.exists()
    uploaded(staff, account, batch.file())
    for name in ("batch.csv", "again.csv"):
        assert ReportKnown.message in uploaded(staff, account, batch.file(), name)
        sweep()
    assert SettlementLine.objects.count() == 1
    assert browser_of(support()).get(reverse(UPLOAD)).status_code == 403
    assert largest_body("POST", reverse(UPLOAD)) == FILES


def test_two_people_accept_a_difference_and_nothing_is_booked(
    staff: Client, colleague: Client, account: ProviderAccount
) -> None:
    an_adjustment(account)
    difference = SettlementDifference.objects.get()
    assert (difference.cause, difference.amount, difference.state) == ("UNEXPLAINED", -100, "OPEN")
    day = SettlementDay.objects.get()
    assert (day.net, day.booked, day.difference) == (-100, 0, -100)

    with nothing_moves():
        proposal = proposed(staff, difference, "accept")
        assert confirmed(staff, proposal).status_code == 403
        assert confirmed(colleague, proposal).status_code == 200

    difference.refresh_from_db()
    assert (difference.state, difference.note) == ("ACCEPTED", "They wrote on Monday / Seen it, too")
    assert "has ended" in refusal(staff, difference, "accept")


def test_who_may_not_decide_accepts_nothing(account: ProviderAccount) -> None:
    an_adjustment(account)
    auditor = User.objects.create_user("auditor@onpay.example", is_staff=True)
    auditor.groups.add(Group.objects.get(name="Auditor"))
    browser = browser_of(auditor)
    difference = SettlementDifference.objects.get()

    page = browser.get(page_at(SettlementDifference, "change", difference.pk))

    assert page.status_code == 200 and "/accept/" not in page.content.decode()
    assert (
        browser.post(page_at(SettlementDifference, "change", difference.pk).replace("change", "accept")).status_code
        == 403
    )
