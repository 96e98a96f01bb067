"""What does not fit: waited for, told once with its cause, ended by a later line, and never booked by guess."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import F
from structlog.testing import capture_logs

from accounts.base.clock import utcnow
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.refunds.models import Refund
from gateway.settlements import missing
from gateway.settlements.models import SettlementDay, SettlementDifference, SettlementLine
from gateway.suspense.models import SuspenseItem
from ledger.models import Transfer
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.settlements import Batch
from tests.support.adyen.webhooks import delivered, told
from tests.support.companies import Shop
from tests.support.settlements import (
    a_day_later,
    available,
    held,
    ordered,
    paid,
    read,
    refunded,
    sweep,
)

pytestmark = pytest.mark.django_db(transaction=True)


def causes() -> list[tuple[str, str]]:
    return list(SettlementDifference.objects.order_by("pk").values_list("cause", "state"))


def booked() -> bool:
    return Transfer.objects.filter(kind__startswith="settlement.").exists()


def test_paid_there_first_waits_for_the_webhook_and_is_booked_with_it(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = ordered(acme, acquirer)
    batch = Batch()
    batch.settled(money, "1.00")
    batch.pay_out()
    read(account, acquirer, batch)
    line = SettlementLine.objects.get(kind="PAYMENT")
    assert (line.state, causes(), booked()) == ("WAITING", [], False)

    told(account, "AUTHORISATION", money)
    SettlementLine.objects.update(due_at=utcnow())
    sweep()

    line.refresh_from_db()
    assert (line.state, line.payment_id, held("CLEARING")) == ("MATCHED", payment.pk, 0)


def test_paid_there_and_never_here_rings_after_a_day(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> None:
    payment, money = ordered(acme, acquirer)
    batch = Batch()
    batch.settled(money)
    read(account, acquirer, batch)

    with capture_logs() as logs:
        a_day_later()

    assert causes() == [("PAID_THERE", "OPEN")]
    assert SettlementDifference.objects.get().object_id == payment.pk
    assert [one["cause"] for one in logs if one["event"] == "settlement.differs"] == ["PAID_THERE"]
    assert (booked(), SuspenseItem.objects.count(), Payment.objects.get().status) == (False, 0, "PENDING")


@pytest.mark.parametrize(
    ("cells", "cause"),
    [
        ({"Gross_Credit_(GC)": "149.99", "Net_Credit_(NC)": "149.99"}, "OTHER_AMOUNT"),
        ({"Gross_Currency": "EUR"}, "OTHER_AMOUNT"),
        ({"Net_Currency": "EUR", "Net_Credit_(NC)": "", "Net_Debit_(NC)": "25.00"}, "OTHER_CURRENCY"),
        ({"Type": "SettledInInstallments"}, "UNEXPLAINED"),
        ({"Type": "Chargeback", "Gross_Credit_(GC)": "", "Gross_Debit_(GC)": "150.00"}, "DISPUTED_THERE"),
    ],
)
def test_a_line_that_is_not_the_payment_is_a_difference_of_its_cause(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer, cells: dict[str, str], cause: str
) -> None:
    _, money = paid(acme, account, acquirer)
    batch = Batch()
    batch.settled(money)
    if "Gross_Debit_(GC)" in cells:
        cells = cells | {"Net_Credit_(NC)": "", "Net_Debit_(NC)": "150.00"}
    acquirer.reports[batch.name] = batch.file(**cells)
    delivered(account, available(batch))
    sweep()
    a_day_later()

    assert (causes(), booked()) == ([(cause, "OPEN")], False)
    assert held("CLEARING") == -15000


def test_a_second_line_for_a_payment_is_a_duplicate(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> None:
    _, money = paid(acme, account, acquirer)
    batch = Batch()
    batch.settled(money, "1.00")
    batch.add("Settled", Decimal("150.00"), Decimal(0), money, "PSPANOTHERCAPTUR")
    batch.pay_out()

    read(account, acquirer, batch)

    assert causes() == [("DUPLICATE", "OPEN")]
    assert (held("CLEARING"), held("BANK")) == (0, -14900)


def test_a_refund_made_elsewhere_is_told_and_one_that_failed_here_and_there_is_not(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = paid(acme, account, acquirer)
    refund, change = refunded(acme, payment, account, acquirer)
    batch = Batch()
    batch.settled(money)
    batch.refunded(change)
    batch.add("Refunded", Decimal("-10.00"), Decimal(0), money, "PSPOFADASHBOARD1", "by hand")
    batch.refunded(change, kind="RefundedReversed")
    read(account, acquirer, batch)
    assert causes() == [("REFUNDED_THERE", "OPEN")]

    a_day_later()

    assert sorted(causes()) == [("FAILED_THERE", "OPEN"), ("REFUNDED_THERE", "OPEN")]
    assert Refund.objects.get(pk=refund.pk).status == "COMPLETED"


def test_a_payout_that_is_not_its_lines_is_told(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> None:
    _, money = paid(acme, account, acquirer)
    batch = Batch()
    batch.settled(money)
    batch.balance -= 10
    batch.pay_out()
    read(account, acquirer, batch)
    a_day_later()

    assert causes() == [("PAYOUT", "OPEN")]


def test_what_no_report_names_is_missing_until_then(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> None:
    _, first = paid(acme, account, acquirer)
    payment, money = paid(acme, account, acquirer, "order-2")
    batch, late = Batch(1, created=f"{utcnow() - timedelta(days=60):%Y-%m-%d %H:%M:%S}"), Batch(2)
    batch.settled(first)
    read(account, acquirer, batch)
    missing.look()
    assert causes() == []

    Payment.objects.filter(pk=payment.pk).update(paid_at=F("paid_at") - timedelta(days=46))
    for _ in range(2):
        missing.look()
    sweep()

    assert causes() == [("PAID_HERE", "OPEN")]
    difference = SettlementDifference.objects.get()
    assert (difference.object_id, difference.amount) == (payment.pk, -15000)
    assert SettlementDay.objects.get(day=difference.day).difference == -15000
    late.settled(money)
    read(account, acquirer, late)
    assert causes() == [("PAID_HERE", "EXPLAINED")]
    assert SettlementDay.objects.get(day=difference.day).difference == 0


def test_a_report_that_cannot_be_read_stores_nothing_and_rings(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    _, money = paid(acme, account, acquirer)
    batch = Batch()
    batch.settled(money)
    acquirer.reports[batch.name] = batch.file() + b"1,2\r\n"

    with capture_logs() as logs:
        delivered(account, available(batch))
        sweep()

    assert [one["reason"] for one in logs if one["event"] == "settlement.unreadable"]
    assert (SettlementLine.objects.count(), SettlementDay.objects.count()) == (0, 0)


def test_a_download_that_fails_is_tried_again(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> None:
    _, money = paid(acme, account, acquirer)
    batch = Batch()
    batch.settled(money)
    acquirer.will("500", on="reports")
    with capture_logs() as logs:
        report = read(account, acquirer, batch)
    assert (report.state, report.failure) == ("WAITING", "HTTP 500")
    assert [one["kind"] for one in logs if one["event"] == "sweep.stuck"] == ["settlement.read"]
