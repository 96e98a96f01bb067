"""Real pesos through the API of the gateway and STP: paid, refunded, held, withdrawn, returned, told by anybody."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from structlog.testing import capture_logs

from accounts.models import Merchant
from gateway.payments.models import Payment
from gateway.providers import due as messages_due
from gateway.providers.models import ProviderAccount, ProviderMessage
from gateway.refunds import due as due_refunds
from gateway.refunds.models import Refund
from gateway.suspense.models import SuspenseItem
from gateway.suspense.recovery import recover
from gateway.withdrawals.models import Withdrawal
from ledger.wallets.selectors import holdings
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.paying_out import swept
from tests.support.production import api_of, pass_time
from tests.support.providers import paid_out_by
from tests.support.stp.books import PAYER, deposit_message, state_message
from tests.support.stp.service import ADDRESS, Stp
from tests.support.suspense import balances, wait

from .conftest import BENEFICIARY

pytestmark = pytest.mark.django_db(transaction=True)

SPEI = {"method": "SPEI", "amount": 150.00, "currency": "MXN", "reference": "order-1", "payer": {"name": "María Silva"}}
ASKED = {"clabe": BENEFICIARY, "beneficiaryName": "José Núñez", "amount": 99.5, "currency": "MXN"}


def create(shop: Shop, **members: Any) -> tuple[Payment, str]:
    """The payment and its CLABE."""
    answer = api_of(shop).post("/payments", SPEI | members)
    assert answer.status_code == 201, answer.json()
    shown = answer.json()["data"]
    return Payment.objects.get(pk=shown["id"]), shown["bankDetails"]["clabe"]


def tell(account: ProviderAccount | str, told: dict[str, Any], peer: str = ADDRESS) -> tuple[int, Any]:
    """A callback; its status and answer. What was taken in is read at once."""
    address = account if isinstance(account, str) else account.pk
    body = json.dumps(told, default=float)
    answer = Client(REMOTE_ADDR=peer).post(f"/callbacks/{address}/abono", body, content_type="application/json")
    messages_due.run_due(100)
    return answer.status_code, json.loads(answer.content) if answer.content else None


def test_money_that_stp_tells_of_pays_at_once_and_once(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    _, clabe = create(shop)
    told = deposit_message(stp.books.deposit(clabe, "150.00"))

    assert [tell(account, told) for _ in range(2)] == [(200, {"mensaje": "confirmar"})] * 2

    paid = Payment.objects.get()
    assert paid.status == "PAID"
    assert balances(shop) == {"AVAILABLE": paid.net, "FEE_INCOME": paid.fee, "CLEARING": -15_000}
    assert ProviderMessage.objects.get().repeats == 1


@pytest.mark.parametrize(
    ("other", "peer", "status"),
    [
        ({}, "203.0.113.99", 401),
        ({"empresa": "GLOBEX"}, ADDRESS, 401),
        ({}, ADDRESS, 200),
        ({"monto": 1_000_000}, ADDRESS, 200),
    ],
)
def test_a_forged_deposit_pays_nothing(
    shop: Shop, account: ProviderAccount, stp: Stp, other: dict[str, Any], peer: str, status: int
) -> None:
    """Even from STP's own address: STP lists no such money."""
    _, clabe = create(shop)
    told = deposit_message(stp.books.deposit(clabe, "150.00"), **other)
    stp.books.received.clear()

    assert tell(account, told, peer)[0] == status

    assert Payment.objects.get().status == "PENDING"
    assert balances(shop) == {}


def test_what_a_message_says_of_the_amount_does_not_count(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    _, clabe = create(shop)
    tell(account, deposit_message(stp.books.deposit(clabe, "1.00"), monto=150))

    assert Payment.objects.get().status == "PENDING"
    assert balances(shop) == {"CLEARING": -100, "SUSPENSE": 100}


def test_another_amount_is_held_and_goes_back_to_its_sender(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    _, clabe = create(shop)
    tell(account, deposit_message(stp.books.deposit(clabe, "149.99")))

    wait(hours=1)
    stp.books.settle()
    wait(minutes=2)

    assert (SuspenseItem.objects.get().state, stp.books.paid(PAYER)) == ("RETURNED", Decimal("149.99"))
    assert balances(shop) == {}


def test_late_money_and_money_of_no_payment_are_held(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    payment, clabe = create(shop)
    assert pass_time(payment.pk, days=4).status == "EXPIRED"
    stp.books.deposit(clabe, "150.00")
    unissued = deposit_message(stp.books.deposit(account.shown["clabe"], "7.00"))

    assert tell(account, unissued) == (200, {"mensaje": "confirmar"})
    recover()
    recover()

    assert sorted(SuspenseItem.objects.values_list("cause", flat=True)) == ["LATE", "UNKNOWN_CHARGE"]
    assert Payment.objects.get().status == "EXPIRED"


def test_a_deposit_that_nobody_told_of_is_found_and_pays(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    _, clabe = create(shop)
    stp.books.deposit(clabe, "150.00")

    recover()

    assert Payment.objects.get().status == "PAID"


def test_a_refund_goes_to_the_payers_account(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    payment, clabe = create(shop)
    tell(account, deposit_message(stp.books.deposit(clabe, "150.00")))
    answer = api_of(shop).post(f"/payments/{payment.pk}/refunds", {"amount": 50})
    assert answer.status_code == 201, answer.json()
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    due_refunds.run_due()
    assert Refund.objects.get().status == "PROCESSING"
    stp.books.settle()

    assert tell(account, state_message(stp.books.sent[0])) == (200, {"mensaje": "recibido"})

    assert (Refund.objects.get().status, stp.books.paid(PAYER)) == ("COMPLETED", Decimal("50.00"))


@pytest.fixture
def api(shop: Shop, account: ProviderAccount, stp: Stp, address: str) -> Api:
    """The company's backend, with 492.50 MXN, that may withdraw."""
    w.register(shop, address)
    Merchant.objects.filter(pk=shop.production.pk).update(withdrawal_enabled=True)
    paid_out_by(account, rail="SPEI", currency="MXN")
    _, clabe = create(shop, amount=500.00, reference="pays-in")
    tell(account, deposit_message(stp.books.deposit(clabe, "500.00")))
    return Api(shop.production_key, address)


def withdraw(api: Api, shop: Shop) -> Withdrawal:
    answer = api.post("/withdrawals/spei", ASKED | {"companyId": shop.company.pk, "reference": "w-1"})
    assert answer.status_code == 201, answer.json()
    return Withdrawal.objects.get()


def shown(api: Api, withdrawal: Withdrawal) -> dict[str, Any]:
    return dict(api.get(f"/withdrawals/{withdrawal.pk}").json()["data"])


def total(shop: Shop) -> Decimal:
    one = holdings(shop.production, "MXN").currencies["MXN"]
    return Decimal(one.available)


def test_a_withdrawal_is_sent_settled_and_returned_days_later(
    api: Api, shop: Shop, account: ProviderAccount, stp: Stp
) -> None:
    before = total(shop)
    withdrawal = withdraw(api, shop)
    assert "cep" not in shown(api, withdrawal)
    assert swept(withdrawal.pk).status == "PROCESSING"
    stp.books.settle()
    tell(account, state_message(stp.books.sent[0]))

    completed = shown(api, withdrawal)
    assert (completed["status"], completed["trackingKey"]) == ("COMPLETED", withdrawal.pk.replace("wdr_", "WDR"))
    assert completed["cep"]["receiverBank"] == "40072"
    stp.books.send_back(stp.books.sent[0], cause=1)
    for _ in range(2):
        tell(account, state_message(stp.books.sent[0]))

    returned = shown(api, withdrawal)
    assert (returned["status"], returned["failure"]["code"]) == ("RETURNED", "RETURNED_BY_BANK")
    assert len(stp.books.sent) == 1
    assert total(shop) <= before


def test_a_return_that_nobody_told_of_is_found_by_asking(
    api: Api, shop: Shop, account: ProviderAccount, stp: Stp
) -> None:
    withdrawal = withdraw(api, shop)
    swept(withdrawal.pk)
    stp.books.settle()
    assert swept(withdrawal.pk, minutes=1).status == "COMPLETED"
    stp.books.send_back(stp.books.sent[0])
    stp.will("500", on="/consOrdEnvRastreo")
    assert swept(withdrawal.pk, days=1).status == "COMPLETED"

    assert swept(withdrawal.pk, hours=2).status == "RETURNED"


@pytest.mark.parametrize("state", ["LQ", "D", "CN", "LIQUIDACION"])
def test_a_forged_change_of_state_moves_nothing(
    api: Api, shop: Shop, account: ProviderAccount, stp: Stp, state: str
) -> None:
    withdrawal = withdraw(api, shop)
    swept(withdrawal.pk)

    before = balances(shop)

    assert tell(account, state_message(stp.books.sent[0], estado=state))[0] == 200
    assert tell(account, state_message(stp.books.sent[0], estado=state), "203.0.113.99")[0] == 401

    assert (Withdrawal.objects.get().status, balances(shop)) == ("PROCESSING", before)


def test_a_message_before_the_order_was_sent_sends_nothing(
    api: Api, shop: Shop, account: ProviderAccount, stp: Stp
) -> None:
    withdrawal = withdraw(api, shop)
    early = {"id": 1, "empresa": "ONPAY", "estado": "LQ", "folioOrigen": withdrawal.pk.replace("wdr_", "WDR")}

    assert tell(account, early)[0] == 200

    assert (stp.books.sent, Withdrawal.objects.get().status) == ([], "PROCESSING")


def test_an_order_that_was_canceled_and_settled_afterwards_is_an_alarm(
    api: Api, shop: Shop, account: ProviderAccount, stp: Stp
) -> None:
    withdrawal = withdraw(api, shop)
    swept(withdrawal.pk)
    stp.books.settle("CN")
    tell(account, state_message(stp.books.sent[0]))
    assert Withdrawal.objects.get().status == "FAILED"
    stp.books.sent[0]["estado"] = "LQ"

    with w.nothing_moves(shop), capture_logs() as logs:
        tell(account, state_message(stp.books.sent[0]))

    assert any(one["event"] == "withdrawal.answered_unforeseen" for one in logs)


def test_an_answer_that_is_lost_is_found_by_its_key(api: Api, shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    withdrawal = withdraw(api, shop)
    stp.will("nothing", on="/registra")
    unclear = swept(withdrawal.pk)
    assert (unclear.status, unclear.unclear_since is not None) == ("PROCESSING", True)
    assert shown(api, withdrawal)["resolution"]
    stp.books.settle()

    assert swept(withdrawal.pk, minutes=1).status == "COMPLETED"
    assert len(stp.books.sent) == 1


def test_an_order_that_never_arrived_is_sent_again_under_its_key(
    api: Api, shop: Shop, account: ProviderAccount, stp: Stp
) -> None:
    withdrawal = withdraw(api, shop)
    stp.will("500", on="/registra")
    swept(withdrawal.pk)
    Withdrawal.objects.update(sent_at=F("sent_at") - timedelta(minutes=11))
    asked = swept(withdrawal.pk, minutes=1)
    assert (asked.sent_at, asked.status, stp.books.sent) == (None, "PROCESSING", [])

    swept(withdrawal.pk, hours=1)

    assert [one["claveRastreo"] for one in stp.books.sent] == [withdrawal.pk.replace("wdr_", "WDR")]


def test_a_refusal_frees_the_money(api: Api, shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    before = total(shop)
    withdrawal = withdraw(api, shop)
    stp.books.refuses = [-7]

    failed = swept(withdrawal.pk)

    assert (failed.status, failed.failure_code) == ("FAILED", "INVALID_DESTINATION")
    assert (total(shop), stp.books.sent) == (before, [])
