"""From payments to the payout: the books are those of the acquirer to the cent, and companies see nothing of it."""

import re
from decimal import Decimal

import pytest
from django.db import transaction
from django.urls import reverse

from gateway.providers.models import ProviderAccount
from gateway.settlements import lines, margins
from gateway.settlements.models import SettlementDay, SettlementDifference, SettlementLine
from gateway.suspense.models import SuspenseItem
from gateway.suspense.provider import lock
from gateway.suspense.services import attribute
from ledger.models import Transfer
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import Payment as Money
from tests.support.adyen.books import psp
from tests.support.adyen.settlements import Batch
from tests.support.companies import Shop
from tests.support.pages import text_of
from tests.support.people import a_member, signed_in
from tests.support.production import api_of
from tests.support.settlements import held, ordered, paid, read, refunded, states, sweep
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)


def seen_by(shop: Shop, *paths: str) -> list[bytes]:
    """What the company reads of its money."""
    company = f"/companies/{shop.company.pk}"
    own = (
        "/balance",
        "/balance/explain?currency=BRL",
        "/balances/releasing",
        "/statement?currency=BRL&bucket=AVAILABLE",
    )
    answers = [api_of(shop).get(path) for path in (*(company + path for path in own), "/events", *paths)]
    assert {answer.status_code for answer in answers} == {200}
    return [re.sub(rb'"at":"[^"]+"', b"", answer.content) for answer in answers]  # the time of the question


def cents(amount: Decimal) -> int:
    return int(amount * 100)


def test_the_books_are_those_of_the_acquirer_and_no_company_sees_it(
    acme: Shop, globex: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = paid(acme, account, acquirer)
    _, other = paid(globex, account, acquirer)
    refund, change = refunded(acme, payment, account, acquirer)
    before = seen_by(acme, f"/payments/{payment.pk}", f"/refunds/{refund.pk}")
    events = Event.objects.count()
    first, second = Batch(1), Batch(2)
    first.settled(money, "3.35")
    first.refunded(change, "0.20")
    first.charged("9.90")
    first.pay_out()
    second.settled(other, "2.71")

    read(account, acquirer, first)

    assert set(states()) == {(kind, "MATCHED") for kind in ("PAYMENT", "REFUND", "FEE", "PAYOUT")}
    assert (held("CLEARING", acme), held("BANK", acme), held("ACQUIRER_FEES", acme)) == (0, -(7500 - 355), -355)
    assert held("CLEARING") == -15000
    read(account, acquirer, second)
    assert held("CLEARING") == -cents(first.balance + second.balance)
    second.pay_out()
    second.number = 3  # another file of the batch, now with its payout
    read(account, acquirer, second)
    assert (held("CLEARING"), held("BANK")) == (0, -(7500 - 355) - (15000 - 271))
    assert seen_by(acme, f"/payments/{payment.pk}", f"/refunds/{refund.pk}") == before
    assert Event.objects.count() == events


def test_a_report_read_twice_is_booked_once(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> None:
    _, money = paid(acme, account, acquirer)
    batch = Batch()
    batch.settled(money, "3.35")
    batch.pay_out()
    read(account, acquirer, batch)
    posted = Transfer.objects.count()

    batch.number, batch.rows = 2, [*batch.rows, batch.rows[0]]
    report = read(account, acquirer, batch)

    assert (report.state, report.lines, Transfer.objects.count()) == ("READ", 0, posted)


def test_money_for_nobody_is_held_once_and_nobodys_book_moves(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    batch = Batch()
    batch.settled(Money(psp(), "order-of-somebody", {"value": 9900, "currency": "BRL"}, "pix", {}), "1.00")
    batch.pay_out()

    read(account, acquirer, batch)
    read(account, acquirer, batch)

    item = SuspenseItem.objects.get()
    assert (item.amount, item.currency, item.cause, item.merchant) == (9900, "BRL", "UNKNOWN_CHARGE", None)
    line = SettlementLine.objects.get(kind="PAYMENT")
    assert (line.state, line.object_id, line.booked_at) == ("HELD", item.pk, None)
    assert not Transfer.objects.exists()


def test_the_margin_of_a_payment_and_of_a_month(
    acme: Shop, globex: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = paid(acme, account, acquirer)
    _, change = refunded(acme, payment, account, acquirer)
    assert margins.of_payment(payment) is None
    batch = Batch()
    batch.settled(money, "0.35")
    batch.refunded(change, "0.20")
    batch.charged("9.90")
    batch.pay_out()
    read(account, acquirer, batch)

    margin = margins.of_payment(payment)

    assert margin and (margin.our_fee, margin.acquirer_fee) == (payment.fee, 55)
    day = SettlementDay.objects.get(method="PIX")
    assert (day.lines, day.gross, day.net, day.difference) == (2, 7500, 7445, 0)
    rows = margins.of_period(day.day, day.day)
    assert [(row.method, row.our_fee, row.acquirer_fee, row.margin) for row in rows] == [
        ("", 0, 990, -990),
        ("PIX", payment.fee, 55, payment.fee - 55),
    ]
    assert not SettlementDifference.objects.exists()


def test_held_money_that_is_attributed_is_booked_for_its_company(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, _ = ordered(acme, acquirer)
    batch = Batch()
    batch.settled(Money(psp(), "unreadable", {"value": 15000, "currency": "BRL"}, "pix", {}), "1.00")
    batch.pay_out()
    read(account, acquirer, batch)
    item = SuspenseItem.objects.get()

    with transaction.atomic():
        attribute(lock(item.pk), payment, "The payer sent a proof")
    lines.follow_suspense()
    sweep()

    line = SettlementLine.objects.get(kind="PAYMENT")
    assert (line.state, line.merchant, line.payment) == ("HELD", acme.production, payment)
    assert (held("CLEARING"), held("SUSPENSE"), held("ACQUIRER_FEES"), held("BANK")) == (0, 15000, -100, -14900)
    assert held("AVAILABLE") == held("RELEASING") == 0


def test_people_of_the_company_read_the_same_pages_as_before(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = paid(acme, account, acquirer)
    owner, of = signed_in(a_member(acme.company)), (acme.company.pk, "production")
    pages = [reverse("dashboard:payment", args=(*of, payment.pk)), reverse("dashboard:balance", args=of)]
    pages += [reverse("dashboard:statement", args=of), reverse("dashboard:payments", args=of)]
    before = [text_of(owner.get(page)) for page in pages]
    batch = Batch()
    batch.settled(money, "3.35")
    batch.pay_out()

    read(account, acquirer, batch)

    assert held("ACQUIRER_FEES") == -335
    assert [text_of(owner.get(page)) for page in pages] == before
