"""Lines that mean more or less than they say."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from structlog.testing import capture_logs

from accounts.base.clock import utcnow
from accounts.models import StuckWork
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.settlements import differences, lines, margins, missing
from gateway.settlements.models import SettlementDay, SettlementDifference, SettlementLine
from gateway.suspense.models import SuspenseItem
from ledger.models import Transfer
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import Payment as Money
from tests.support.adyen.books import psp
from tests.support.adyen.settlements import Batch
from tests.support.adyen.webhooks import disputed, told
from tests.support.companies import Shop
from tests.support.settlements import a_day_later, held, ordered, paid, read, refunded, sweep

pytestmark = pytest.mark.django_db(transaction=True)


def causes() -> list[tuple[str, str]]:
    return list(SettlementDifference.objects.order_by("pk").values_list("cause", "state"))


def test_a_fee_of_a_payment_explains_not_that_it_is_missing(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    _, first = paid(acme, account, acquirer)
    payment, money = paid(acme, account, acquirer, "order-2")
    batch = Batch(1, created=f"{utcnow() - timedelta(days=60):%Y-%m-%d %H:%M:%S}")
    batch.settled(first)
    read(account, acquirer, batch)
    Payment.objects.filter(pk=payment.pk).update(paid_at=F("paid_at") - timedelta(days=46))
    missing.look()
    assert causes() == [("PAID_HERE", "OPEN")]

    late = Batch(2)
    late.add("Fee", Decimal(0), Decimal("0.50"), money)
    read(account, acquirer, late)

    assert SettlementLine.objects.filter(kind="FEE", payment=payment, state="MATCHED").exists()
    assert causes() == [("PAID_HERE", "OPEN")]


def test_money_in_suspense_is_settled_with_its_own_amount_only(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    money = Money(psp(), "unreadable", {"value": 15000, "currency": "BRL"}, "pix", {})
    first, second = Batch(1), Batch(2)
    first.settled(money)
    read(account, acquirer, first)
    second.add("Settled", Decimal("149.00"), Decimal(0), money, "CORRECTED")
    read(account, acquirer, second)

    third = Batch(3)
    third.add("Settled", Decimal("150.00"), Decimal(0), money, "AGAIN")
    read(account, acquirer, third)

    assert causes() == [("OTHER_AMOUNT", "OPEN"), ("DUPLICATE", "OPEN")]
    assert (SuspenseItem.objects.get().amount, Transfer.objects.count()) == (15000, 0)


def test_a_dispute_that_is_taken_twice_is_a_duplicate(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> None:
    _, money = paid(acme, account, acquirer)
    dispute = disputed(money)
    told(account, "CHARGEBACK", dispute)
    batch = Batch()
    batch.settled(money)
    batch.disputed(money, "15.00", dispute.psp)
    batch.disputed(money, "16.00", dispute.psp)
    read(account, acquirer, batch)
    a_day_later()

    assert causes() == [("DUPLICATE", "OPEN")]
    assert held("ACQUIRER_FEES") == -1500


def test_a_line_that_raises_delays_no_other_of_its_batch(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    _, money = paid(acme, account, acquirer)
    other = Money(psp(), "unreadable", {"value": 100, "currency": "BRL"}, "pix", {})
    first, second = Batch(1), Batch(2)
    first.settled(other)
    read(account, acquirer, first)
    broken = SettlementLine.objects.get()
    SettlementLine.objects.update(object_id="sus_gone", due_at=utcnow())
    second.settled(money, "1.00")

    with capture_logs() as logs:
        read(account, acquirer, second)

    assert held("ACQUIRER_FEES") == -100
    assert StuckWork.objects.get().object_id == broken.pk
    assert "sweep.one_by_one" in {one["event"] for one in logs}


def test_more_lines_take_no_more_statements(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> None:
    moneys = [paid(acme, account, acquirer, f"order-{n}")[1] for n in range(4)]
    asked = []
    for number, some in enumerate((moneys[:1], moneys[1:]), 1):
        batch = Batch(number)
        for money in some:
            batch.settled(money, "1.00")
        with CaptureQueriesContext(connection) as queries:
            read(account, acquirer, batch)
        asked.append(len(queries))

    assert held("ACQUIRER_FEES") == -400
    assert asked[0] == asked[1]


def test_what_is_settled_in_another_currency_is_exchanged_in_the_books(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = paid(acme, account, acquirer)
    _, change = refunded(acme, payment, account, acquirer)
    batch = Batch(currency="EUR")
    batch.settled(money, "1.00")
    batch.refunded(change, "0.20")
    batch.rows[0] |= {"Gross Currency": "BRL", "Net Credit (NC)": "23.10"}
    batch.rows[1] |= {"Gross Currency": "BRL", "Net Debit (NC)": "12.25"}
    batch.balance = Decimal("10.85")
    batch.pay_out()
    report = read(account, acquirer, batch)

    assert margins.of_payment(payment) is None
    assert (report.lines, causes()) == (3, [])
    assert set(SettlementLine.objects.values_list("state", flat=True)) == {"MATCHED"}
    assert (held("CLEARING"), held("ACQUIRER_FEES"), held("BANK")) == (0, -120, -1085)
    assert held("FX_POSITION") == -7500 + 2410 - 1205
    assert Transfer.objects.filter(kind="settlement.exchanged").count() == 2


def test_a_difference_that_our_books_explain_later_ends_and_is_booked(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    _, money = ordered(acme, acquirer)
    _, accepted = ordered(acme, acquirer, "order-2")
    batch = Batch()
    batch.settled(money, "1.00")
    batch.settled(accepted, "1.00")
    batch.pay_out()
    read(account, acquirer, batch)
    a_day_later()
    assert causes() == [("PAID_THERE", "OPEN")] * 2
    with transaction.atomic():
        differences.accept(SettlementDifference.objects.select_for_update().order_by("pk")[1], "They wrote on Monday")

    for one in (money, accepted):
        told(account, "AUTHORISATION", one)
    for _ in range(2):
        lines.look_again()
        sweep()

    assert sorted(causes()) == [("PAID_THERE", "ACCEPTED"), ("PAID_THERE", "EXPLAINED")]
    assert (held("CLEARING"), held("BANK"), held("ACQUIRER_FEES")) == (-15000, -14900, -100)
    assert SettlementDay.objects.get(method="PIX").difference == 14900
