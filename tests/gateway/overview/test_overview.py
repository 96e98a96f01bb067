"""What a company looks at first: what came and went, what comes next, and what waits for it."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from accounts.base import clock
from accounts.models import User
from gateway.overview.attention import SHOWN, attention
from gateway.payments import services as payments
from gateway.refunds import services as refunds
from ledger.holds import services as holds
from ledger.holds.models import Reason
from ledger.receivables import advances
from ledger.receivables.calendar import next_days
from ledger.receivables.models import Receivable
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.orders import order
from tests.support.sales import MARIA, card, later, sale
from tests.support.withdrawals import decide, fund, register, withdrawn
from webhooks import services as webhooks
from webhooks.models import Endpoint

SAO_PAULO = ZoneInfo("America/Sao_Paulo")


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("staff@onpay.example", "not a secret")


def test_the_next_money_is_told_by_currency(acme: Shop, globex: Shop) -> None:
    later(acme.sandbox, seconds=(datetime(2027, 3, 1, 12, tzinfo=UTC) - clock.now(acme.sandbox)).total_seconds())
    card(acme.sandbox, "100.00", method="DEBIT_CARD")
    card(acme.sandbox, "300.00", method="DEBIT_CARD")
    card(acme.sandbox, "500.00")
    card(acme.sandbox, "700.00", currency="MXN")
    card(globex.sandbox)

    tomorrow, in_a_month = next_days(acme.sandbox, SAO_PAULO)

    assert (tomorrow.currency, tomorrow.day.isoformat(), tomorrow.count) == ("BRL", "2027-03-02", 2)
    assert (tomorrow.gross, tomorrow.net) == (40_000, 40_000 - tomorrow.fee)
    assert (in_a_month.currency, in_a_month.day.isoformat(), in_a_month.count) == ("MXN", "2027-03-31", 1)


def test_nothing_waits_for_a_new_company(acme: Shop) -> None:
    found = attention(acme.sandbox)
    assert (found.count, found.to_answer.first, found.boletos.more) == (0, [], 0)


def test_payers_are_answered_by_their_deadline(acme: Shop, globex: Shop) -> None:
    now = clock.now(acme.sandbox)
    for days in (5, 2, 9, 7, 3, 8, 4):
        refunds.dispute(acme.sandbox, sale(acme.sandbox).pk, response_due_at=now + timedelta(days=days))

    waiting = attention(acme.sandbox).to_answer

    assert [one.response_due_at - now for one in waiting.first if one.response_due_at] == [
        timedelta(days=days) for days in (2, 3, 4, 5, 7)
    ]
    assert (waiting.count, waiting.more) == (7, 7 - SHOWN)
    assert attention(globex.sandbox).count == 0


def test_what_fails_and_what_was_decided_is_told(acme: Shop, globex: Shop, api: Api, address: str, staff: User) -> None:
    register(acme, address)
    fund(api, amount=5000)
    failed, _ = withdrawn(api, acme), withdrawn(api, acme)
    decide(api, failed, "FAILED")
    card(acme.sandbox, "200.00")
    asked = advances.request(acme.sandbox, [Receivable.objects.get().pk], None)
    advances.refuse(asked.pk, staff)
    broken, _ = webhooks.register(acme.sandbox, "https://shop.example/a", ["*"], None)
    webhooks.register(acme.sandbox, "https://shop.example/b", ["*"], None)
    Endpoint.objects.filter(pk=broken.pk).update(status="DISABLED", disabled_reason="GONE")
    block = holds.place(acme.sandbox, "BRL", 100, Reason.LEGAL_ORDER, by=staff, note="Order 1/26", case_number="1/26")

    found = attention(acme.sandbox)

    assert [one.pk for one in found.came_back.first] == [failed["id"]]
    assert [one.pk for one in found.decided.first] == [asked.pk]
    assert [one.pk for one in found.endpoints.first] == [broken.pk]
    assert [one.pk for one in found.blocked.first] == [block.pk]
    assert (found.count, attention(globex.sandbox).count) == (4, 0)
    later(acme.sandbox, days=8)
    late = attention(acme.sandbox)
    assert (late.came_back.count, late.decided.count, late.endpoints.count, late.blocked.count) == (0, 0, 1, 1)


def test_boletos_that_nobody_pays_are_told_before_their_end(acme: Shop, api: Api) -> None:
    [made] = [answer.json()["data"]["id"] for answer in [api.post("/payments", order("BOLETO"))]]
    later(acme.sandbox, days=2)
    assert attention(acme.sandbox).boletos.count == 0

    [boleto] = [payments.lock(acme.sandbox, made)]
    assert boleto.expires_at
    later(acme.sandbox, seconds=(boleto.expires_at - clock.now(acme.sandbox)).total_seconds() - 3600)

    assert [one.pk for one in attention(acme.sandbox).boletos.first] == [made]


def test_refunds_without_money_are_told(acme: Shop, api: Api, address: str) -> None:
    wanted: Any = sale(acme.sandbox, "1000.00", payer=MARIA)
    register(acme, address)
    withdrawn(api, acme, amount=900)
    refunds.dispute(acme.sandbox, wanted.pk)

    found = attention(acme.sandbox)

    assert [one.payment_id for one in found.short_of_money.first] == [wanted.pk]
    assert found.short_of_money.first[0].shortfall > 0
