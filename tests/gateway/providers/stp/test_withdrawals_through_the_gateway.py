"""Withdrawals of real pesos through the API of the gateway and STP: sent, settled, returned, told by anybody."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from django.db import connections
from django.db.models import F
from django.urls import reverse
from django.utils import translation
from django.utils.formats import date_format
from structlog.testing import capture_logs

from accounts.cells import in_cell_of
from accounts.models import Merchant, User
from gateway.providers.models import ProviderAccount
from gateway.staff.kit.columns import address as staff_page
from gateway.withdrawals import due
from gateway.withdrawals.models import Withdrawal
from ledger.wallets.selectors import holdings
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.paying_out import swept
from tests.support.people import a_member, browser_of
from tests.support.providers import paid_out_by
from tests.support.stp.books import deposit_message, state_message
from tests.support.stp.service import Stp
from tests.support.stp.telling import create, tell
from tests.support.suspense import balances

from .conftest import BENEFICIARY

pytestmark = pytest.mark.django_db(transaction=True)

ASKED = {"clabe": BENEFICIARY, "beneficiaryName": "José Núñez", "amount": 99.5, "currency": "MXN"}


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


def test_the_receipt_is_linked_for_the_company_and_for_staff(
    api: Api, shop: Shop, account: ProviderAccount, stp: Stp
) -> None:
    withdrawal = withdraw(api, shop)
    swept(withdrawal.pk)
    member = a_member(shop.company)
    staff = browser_of(User.objects.create_superuser("root@onpay.example", "a long password"))
    address = reverse("dashboard:withdrawal", args=(shop.company.pk, "production", withdrawal.pk))
    ours = staff_page(Withdrawal, "change", withdrawal.pk)
    assert all("banxico" not in page.content.decode() for page in (browser_of(member).get(address), staff.get(ours)))
    stp.books.settle()
    tell(account, state_message(stp.books.sent[0]))

    cep = shown(api, withdrawal)["cep"]
    for language, word in {"en": "Receipt", "es": "Comprobante", "pt-br": "Comprovante"}.items():
        User.objects.filter(pk=member.pk).update(language=language)
        page = browser_of(member).get(address).content.decode()
        with translation.override(language):
            day = date_format(date.fromisoformat(cep["operationDate"]), "SHORT_DATE_FORMAT")
        assert f"{word} (CEP)" in page and f'href="{cep["url"]}"' in page and f"{day}," in page
    page = staff.get(ours).content.decode()
    assert f'href="{cep["url"]}"' in page and "90646 → 40072" in page and "&#x27;url" not in page


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


def processes(*works: Callable[[], object]) -> None:
    """Each does its work at the same moment."""
    start = Barrier(len(works), timeout=20)

    def one(work: Callable[[], object]) -> None:
        try:
            start.wait()
            work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as threads:
        list(threads.map(one, works))


def test_many_processes_at_one_withdrawal_send_one_order(
    api: Api, shop: Shop, account: ProviderAccount, stp: Stp
) -> None:
    withdrawal = withdraw(api, shop)
    key = withdrawal.pk.replace("wdr_", "WDR")
    early = {"id": 1, "empresa": "ONPAY", "estado": "LQ", "folioOrigen": key}

    processes(
        *[due.run_due] * 4,
        *[lambda: due.query_now(withdrawal.merchant, withdrawal.pk)] * 4,
        *[lambda: tell(account, early)] * 2,
    )

    assert [one["claveRastreo"] for one in stp.books.sent] == [key]
    assert stp.calls.count("PUT /registra") == 1


def test_an_order_that_arrives_after_another_process_gave_it_up_is_one_order(
    api: Api, shop: Shop, account: ProviderAccount, stp: Stp
) -> None:
    """The first request is on its way for longer than a lease, and than STP may take to list an order."""
    withdrawal = withdraw(api, shop)

    def meanwhile() -> None:
        with in_cell_of(withdrawal.merchant):
            rows = Withdrawal.objects.filter(pk=withdrawal.pk)
            rows.update(sent_at=F("sent_at") - timedelta(minutes=11))
            asked = swept(withdrawal.pk, minutes=10)
            assert (asked.sent_at, stp.books.sent) == (None, [])
            assert swept(withdrawal.pk, hours=1).sent_times == 2

    stp.books.meanwhile = partial(copy_context().run, processes, meanwhile)
    due.run_due()
    stp.books.settle()

    assert swept(withdrawal.pk, hours=1).status == "COMPLETED"
    assert [one["claveRastreo"] for one in stp.books.sent] == [withdrawal.pk.replace("wdr_", "WDR")]
    assert stp.calls.count("PUT /registra") == 2
