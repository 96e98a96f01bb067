"""A bank executes MED itself, whatever we do at the same time: the payer gets the money once."""

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import F

from gateway.models import Payment, Refund, SuspenseItem
from gateway.providers import due as due_messages
from gateway.providers import messages
from gateway.providers.models import ProviderAccount, ProviderMessage
from gateway.providers.provider import Message
from gateway.refunds import due, services
from gateway.refunds.recovery import recover
from tests.support.bacen_pix.bank import Bank
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, pass_time
from tests.support.suspense import balances

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def money(shop: Shop, bank: Bank) -> str:
    """A payment of 150 reais that was paid, and another one whose money is there."""
    for reference in ("order-1", "order-2"):
        answer = api_of(shop).post("/payments", PIX | {"reference": reference})
        payment = answer.json()["data"]["id"]
        money = bank.books.pay(payment.removeprefix("pay_"))
        assert pass_time(payment, minutes=1).status == "PAID"
    return money


def accepted(shop: Shop) -> Refund:
    """A claim of the second payment that the company has accepted; nothing was sent yet."""
    payment = Payment.objects.latest("created_at")
    claim = services.claim(shop.production, payment.pk, claim_id="claim-1", reason_code="SCAM")
    return services.respond(shop.production, claim.pk, "ACCEPT")


def send() -> None:
    times = ("ask_at", "leased_until")
    Refund.objects.update(**{name: F(name) - timedelta(minutes=2) for name in times})
    due.run_due()


def told(account: ProviderAccount, bank: Bank, money: str) -> str:
    """The bank calls back about the money; what the message led to."""
    body = json.dumps(bank.books.callback(money)).encode()
    assert messages.take(account.pk, Message("/pix", {}, body, "ab" * 32))
    due_messages.run_due(10)
    return ProviderMessage.objects.filter(account=account).latest("read_at").outcome


def sent(bank: Bank) -> list[str]:
    """The returns that we ordered."""
    return [call for call in bank.calls if call.startswith("PUT /pix/")]


def outcomes() -> list[tuple[str, int, str | None]]:
    return list(Refund.objects.order_by("id").values_list("status", "amount", "end_to_end_id"))


def test_an_accepted_claim_is_not_sent_once_the_bank_has_taken_the_money(shop: Shop, bank: Bank, money: str) -> None:
    accepted(shop)
    reference = bank.books.take_back(money)

    send()

    assert outcomes() == [("COMPLETED", 15_000, reference)]
    assert sent(bank) == []
    assert bank.books.returned() == Decimal("150.00")
    assert balances(shop)["CLEARING"] == -15_000


def test_a_part_leaves_only_the_rest_to_be_sent(shop: Shop, bank: Bank, money: str) -> None:
    bank.books.settles = "DEVOLVIDO"
    accepted(shop)
    bank.books.take_back(money, "60.00")

    send()
    assert sent(bank) == []
    send()

    assert sorted(amount for status, amount, _ in outcomes() if status == "COMPLETED") == [6_000, 9_000]
    assert bank.books.returned() == Decimal("150.00")
    assert Payment.objects.latest("created_at").status == "REFUNDED"


@pytest.mark.parametrize(("becomes", "ours"), [("DEVOLVIDO", 0), ("NAO_REALIZADO", 1)])
def test_while_the_bank_is_at_it_nothing_is_sent(shop: Shop, bank: Bank, money: str, becomes: str, ours: int) -> None:
    bank.books.settles = "DEVOLVIDO"
    accepted(shop)
    bank.books.take_back(money, status="EM_PROCESSAMENTO")
    send()
    send()
    assert (sent(bank), Refund.objects.get().status) == ([], "PROCESSING")

    bank.books.settle(money, bank.books.pix[money]["devolucoes"][0]["id"], becomes)
    send()

    assert (Refund.objects.get().status, len(sent(bank))) == ("COMPLETED", ours)
    assert bank.books.returned() == Decimal("150.00")


def test_taken_back_between_our_look_and_our_order(shop: Shop, bank: Bank, money: str) -> None:
    accepted(shop)
    bank.books.meanwhile = lambda: bank.books.take_back(money)

    send()

    assert outcomes() == [("COMPLETED", 15_000, bank.books.pix[money]["devolucoes"][0]["rtrId"])]
    assert (bank.books.returned(), len(sent(bank))) == (Decimal("150.00"), 1)


def test_a_notice_while_our_order_is_on_its_way(shop: Shop, bank: Bank, money: str, account: ProviderAccount) -> None:
    accepted(shop)

    def taken_back() -> None:
        bank.books.take_back(money)
        told(account, bank, money)

    bank.books.meanwhile = taken_back
    send()

    assert outcomes() == [("COMPLETED", 15_000, bank.books.pix[money]["devolucoes"][0]["rtrId"])]
    assert bank.books.returned() == Decimal("150.00")


def test_a_notice_while_our_order_is_out_waits_for_its_answer(
    shop: Shop, bank: Bank, money: str, account: ProviderAccount
) -> None:
    accepted(shop)
    bank.will("timeout before", on="^PUT")  # the order never takes effect
    bank.stalls_s = 0.1
    send()
    assert Refund.objects.get().unclear_since
    reference = bank.books.take_back(money)

    assert "queried" in told(account, bank, money)
    assert Refund.objects.get().status == "PROCESSING"
    for _ in range(2):
        send()

    assert outcomes() == [("COMPLETED", 15_000, reference)]
    assert bank.books.returned() == Decimal("150.00")


def test_what_we_returned_ourselves_is_not_taken_for_a_second_one(
    shop: Shop, bank: Bank, money: str, account: ProviderAccount
) -> None:
    bank.books.settles = "DEVOLVIDO"
    accepted(shop)
    send()

    told(account, bank, money)
    recover()

    assert [status for status, *_ in outcomes()] == ["COMPLETED"]


@pytest.mark.parametrize("by", ["notice", "list"])
def test_without_a_claim_it_is_found_once(
    shop: Shop, bank: Bank, money: str, account: ProviderAccount, by: str
) -> None:
    reference = bank.books.take_back(money)

    for _ in range(2):
        told(account, bank, money) if by == "notice" else recover()
    told(account, bank, money)
    recover()

    assert outcomes() == [("COMPLETED", 15_000, reference)]
    found = Refund.objects.get()
    assert (found.dispute_kind, found.claim_id, found.reason_code) == ("MED", reference, "FRAUD")
    assert balances(shop)["CLEARING"] == -15_000
    assert (Payment.objects.latest("created_at").status, sent(bank)) == ("REFUNDED", [])


def test_what_the_bank_could_not_take_back_is_nothing(
    shop: Shop, bank: Bank, money: str, account: ProviderAccount
) -> None:
    bank.books.take_back(money, status="NAO_REALIZADO")
    before = balances(shop)

    told(account, bank, money)
    recover()

    assert (outcomes(), balances(shop)) == ([], before)


def test_a_refund_of_the_company_that_the_bank_refuses_for_it_fails(shop: Shop, bank: Bank, money: str) -> None:
    payment = Payment.objects.latest("created_at")
    services.create(shop.production, payment.pk)
    reference = bank.books.take_back(money)

    send()

    assert [(status, named) for status, _, named in outcomes()] == [("FAILED", None), ("COMPLETED", reference)]
    assert bank.books.returned() == Decimal("150.00")
    assert balances(shop)["CLEARING"] == -15_000


def test_money_in_suspense_that_is_taken_back_is_neither_returned_nor_assigned(
    shop: Shop, bank: Bank, account: ProviderAccount, money: str
) -> None:
    payment = Payment.objects.latest("created_at").pk
    again = bank.books.pay(payment.removeprefix("pay_"))
    told(account, bank, again)
    assert SuspenseItem.objects.get().state == "HELD"
    reference = bank.books.take_back(again)

    told(account, bank, again)

    item = SuspenseItem.objects.get()
    assert (item.state, item.return_reference, item.return_at) == ("RETURNED", reference, None)
    assert balances(shop).get("SUSPENSE", 0) == 0
    assert sent(bank) == []
