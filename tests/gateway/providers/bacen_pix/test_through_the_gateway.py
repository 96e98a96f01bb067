"""Real money through the API of the gateway and a bank's own: charged, paid, refunded, canceled, and lost answers."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F

from accounts.audit import Actor
from gateway.payments.models import Payment
from gateway.providers import accounts, notices
from gateway.providers.bacen_pix.rail import number_of
from gateway.providers.models import ProviderAccount
from gateway.providers.provider import Message
from gateway.providers.selectors import provider_of
from gateway.refunds import due as due_refunds
from gateway.refunds.models import Refund
from gateway.suspense.models import SuspenseItem
from gateway.suspense.recovery import recover
from ledger.models import Balance
from tests.support.bacen_pix.bank import Bank
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, pass_time
from tests.support.providers import NOTE, confirms, enters
from tests.support.suspense import balances, wait

pytestmark = pytest.mark.django_db(transaction=True)


def create(shop: Shop) -> Payment:
    answer = api_of(shop).post("/payments", PIX)
    assert answer.status_code == 201, answer.json()
    return Payment.objects.get()


def txid(payment: Payment) -> str:
    return payment.pk.removeprefix("pay_")


def later() -> Refund:
    Refund.objects.update(**{name: F(name) - timedelta(minutes=2) for name in ("ask_at", "leased_until")})
    due_refunds.run_due()
    return Refund.objects.get()


def available() -> int:
    return sum(Balance.objects.filter(account__kind="AVAILABLE").values_list("amount", flat=True))


def test_a_payment_is_charged_paid_and_refunded_in_part(shop: Shop, bank: Bank) -> None:
    payment = create(shop)
    shown = api_of(shop).get(f"/payments/{payment.pk}").json()["data"]
    assert (shown["status"], shown["pixTxid"]) == ("PENDING", txid(payment))
    assert shown["pixCopyPaste"] == bank.books.charges[txid(payment)]["pixCopiaECola"]
    assert pass_time(payment.pk, minutes=1).status == "PENDING"

    money = bank.books.pay(txid(payment))
    paid = pass_time(payment.pk, minutes=1)
    assert (paid.status, paid.rail_reference, available()) == ("PAID", money, paid.net)

    answer = api_of(shop).post(f"/payments/{payment.pk}/refunds", {"amount": 50.00})
    number = answer.json()["data"]["id"].removeprefix("ref_")
    assert later().status == "PROCESSING"
    bank.books.settle(money, number, "DEVOLVIDO")
    refunded = later()

    reference = bank.books.pix[money]["devolucoes"][0]["rtrId"]
    assert (refunded.status, refunded.end_to_end_id) == ("COMPLETED", reference)
    assert (bank.books.received(), bank.books.returned()) == (Decimal("150.00"), Decimal("50.00"))
    assert available() == paid.net - 5000


def test_what_nobody_pays_is_removed_at_the_bank_before_it_expires(shop: Shop, bank: Bank) -> None:
    payment = create(shop)

    assert pass_time(payment.pk, days=1, minutes=1).status == "EXPIRED"

    assert bank.books.charges[txid(payment)]["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert available() == 0


def test_what_is_paid_in_the_last_second_is_paid(shop: Shop, bank: Bank) -> None:
    payment = create(shop)
    bank.books.pay(txid(payment))

    assert pass_time(payment.pk, days=1, minutes=1).status == "PAID"
    assert bank.books.charges[txid(payment)]["status"] == "CONCLUIDA"


@pytest.mark.parametrize("amount", ["149.99", "151.00"])
def test_a_wrong_amount_goes_back_by_a_return_of_all_of_it(shop: Shop, bank: Bank, amount: str) -> None:
    payment = create(shop)
    money = bank.books.pay(txid(payment), amount)

    for _ in range(5):
        assert pass_time(payment.pk, minutes=1).status == "PENDING"
    assert balances(shop) == {"CLEARING": -int(Decimal(amount) * 100), "SUSPENSE": int(Decimal(amount) * 100)}
    wait(hours=1)
    bank.books.settle(money, number_of(SuspenseItem.objects.get().return_id), "DEVOLVIDO")
    wait(minutes=1)

    item = SuspenseItem.objects.get()
    assert (item.state, item.return_reference) == ("RETURNED", bank.books.pix[money]["devolucoes"][0]["rtrId"])
    assert bank.books.received() == bank.books.returned() == Decimal(amount)
    assert balances(shop) == {}
    assert pass_time(payment.pk, days=1).status == "EXPIRED"


def test_paid_twice_one_pays_and_the_other_goes_back(shop: Shop, bank: Bank) -> None:
    payment = create(shop)
    first, second = (bank.books.pay(txid(payment)) for _ in range(2))

    paid = pass_time(payment.pk, minutes=1)
    assert (paid.status, paid.rail_reference, available()) == ("PAID", first, paid.net)
    wait(hours=1)
    bank.books.settle(second, number_of(SuspenseItem.objects.get().return_id), "DEVOLVIDO")
    wait(minutes=1)

    assert (SuspenseItem.objects.get().state, bank.books.returned()) == ("RETURNED", Decimal("150.00"))
    assert balances(shop) == {"AVAILABLE": paid.net, "FEE_INCOME": paid.fee, "CLEARING": -paid.amount}


def test_a_callback_about_a_return_is_told_apart_from_one_about_a_refund(
    shop: Shop, account: ProviderAccount, bank: Bank
) -> None:
    payment = create(shop)
    own, second = (bank.books.pay(txid(payment)) for _ in range(2))
    pass_time(payment.pk, minutes=1)
    refunded = api_of(shop).post(f"/payments/{payment.pk}/refunds", {"amount": 1})
    assert refunded.status_code == 201, refunded.json()
    later()
    wait(hours=1)
    assert (SuspenseItem.objects.get().state, Refund.objects.get().status) == ("RETURNING", "PROCESSING")
    bank.books.settle(second, number_of(SuspenseItem.objects.get().return_id), "DEVOLVIDO")
    body = json.dumps(bank.books.callback(own, second)).encode()

    told = provider_of(account).read(Message("pix", {}, body))
    heard = [(one.object_id.partition("_")[0], notices.apply(one, account)) for one in told]

    assert sorted(heard) == [("pay", True), ("pay", True), ("ref", True), ("sus", True)]
    assert (SuspenseItem.objects.get().state, Refund.objects.get().status) == ("RETURNED", "PROCESSING")
    assert bank.books.returned() == Decimal("150.00")


def test_what_no_message_told_of_is_found_in_the_banks_list_and_once(shop: Shop, bank: Bank) -> None:
    payment = create(shop)
    bank.books.pay(txid(payment))
    unknown = bank.books.pay(None, "7.00")
    nobodys = bank.books.pay("01JD3K5V8M0000000000000000", "8.00")

    for _ in range(3):
        recover()

    payment.refresh_from_db()
    assert (payment.status, available()) == ("PAID", payment.net)
    held = {(one.reference, one.cause, one.amount, one.merchant) for one in SuspenseItem.objects.all()}
    assert held == {(unknown, "UNKNOWN_CHARGE", 700, None), (nobodys, "UNKNOWN_CHARGE", 800, None)}
    late = bank.books.pay(txid(payment))
    recover()
    assert SuspenseItem.objects.get(reference=late).cause == "PAID_TWICE"
    assert balances(shop)["SUSPENSE"] == payment.amount


def test_a_companys_own_account_has_business_of_its_own(shop: Shop, account: ProviderAccount, bank: Bank) -> None:
    ProviderAccount.objects.update(merchant=shop.production)
    bank.books.pay(None, "7.00")
    odd = bank.books.pay("01JD3K5V8M0000000000000000", "8.00")

    recover()

    item = SuspenseItem.objects.get()
    assert (item.reference, item.merchant, item.return_at) == (odd, shop.production, None)
    assert balances(shop) == {"CLEARING": -800, "SUSPENSE": 800}


@pytest.mark.parametrize("failure", ["500", "HTML", "nothing"])
def test_a_list_that_cannot_be_read_is_read_the_next_time(shop: Shop, bank: Bank, failure: str) -> None:
    payment = create(shop)
    bank.books.pay(txid(payment))
    bank.will(failure, on="^GET .*/pix")

    recover()
    assert Payment.objects.get().status == "PENDING"
    bank.will()
    recover()

    assert Payment.objects.get().status == "PAID"


@pytest.mark.parametrize(("failure", "charged"), [("500", 0), ("HTML", 1), ("nothing", 1), ("403 after", 1)])
def test_a_lost_answer_is_queried_and_there_is_one_charge(shop: Shop, bank: Bank, failure: str, charged: int) -> None:
    bank.will(failure, failure, on="^PUT")
    api_of(shop).post("/payments", PIX)
    assert len(bank.books.charges) == charged
    bank.will()

    payment = Payment.objects.get()
    for _ in range(3):
        payment = pass_time(payment.pk, minutes=2)

    assert payment.details["pixTxid"] == txid(payment)
    bank.books.pay(txid(payment))
    assert pass_time(payment.pk, minutes=1).status == "PAID"
    assert list(bank.books.charges) == [txid(payment)]


def test_a_sandbox_key_reaches_no_bank(shop: Shop, bank: Bank, api: Any) -> None:
    before = list(bank.calls)

    assert api.post("/payments", PIX).status_code == 201

    assert bank.calls == before


def test_money_that_another_account_at_the_same_bank_has_taken_is_not_held_again(
    shop: Shop, account: ProviderAccount, bank: Bank, entered: dict[str, Any]
) -> None:
    payment = create(shop)
    bank.books.pay(txid(payment))
    paid = pass_time(payment.pk, minutes=1)
    bank.books.pay(None, "10.00")  # for nobody
    recover()
    new = accounts.NewAccount("bacen-pix", "Banco do Teste again", "PRODUCTION")
    again = accounts.check(Actor(enters()), accounts.enter(Actor(enters()), new, entered, NOTE))
    accounts.activate(Actor(confirms()), again, NOTE)

    recover()

    assert SuspenseItem.objects.get().account == account
    assert available() == paid.net
