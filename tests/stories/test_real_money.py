"""The first real money of a company: two banks that follow API Pix, and one account that people watch."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F

from accounts.audit import Actor
from accounts.models import Company
from gateway.methods.models import MethodRule
from gateway.payments import due as payments
from gateway.payments.models import Payment
from gateway.providers import accounts
from gateway.providers.models import ProviderAccount
from gateway.refunds import due as refunds
from gateway.refunds.models import Refund
from gateway.suspense.models import SuspenseItem
from gateway.suspense.recovery import recover
from ledger.models import Balance
from tests.support.api import Api
from tests.support.bacen_pix.bank import KEY, Bank, Papers, authority, open_bank
from tests.support.bad_orders import in_days
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.production import TIMES
from tests.support.providers import NOTE, confirms, enters, routed
from tests.support.suspense import balances, wait

ASKED = ("ask_at", "leased_until", "unclear_since", "certain_by")


@pytest.fixture
def first_bank() -> Iterator[ExitStack]:
    """Closed, the first bank can no longer be reached."""
    with ExitStack() as door:
        yield door


@pytest.fixture
def banks(first_bank: ExitStack) -> Iterator[list[Bank]]:
    with open_bank() as second:
        yield [first_bank.enter_context(open_bank()), second]


@pytest.fixture
def live(acme: Shop, banks: list[Bank], settings: Any) -> Api:
    """The company takes PIX at the first bank, and at the second if the first cannot be reached."""
    settings.PROVIDER_TIMEOUT_S = 1
    Company.objects.filter(pk=acme.company.pk).update(status=Company.Status.ACTIVE)
    MethodRule.objects.filter(environment="PRODUCTION", method="PIX").update(enabled=True)
    routed(*(an_account(bank, acme) for bank in banks), merchant=acme.production)
    return Api(acme.production_key)


def an_account(bank: Bank, shop: Shop) -> ProviderAccount:
    """Entered by one person, whose connection check passes, and confirmed by another."""
    papers = Papers.of("onpay.test")
    given = {
        "base_url": bank.url, "token_url": bank.token_url, "client_id": bank.client_id,
        "client_secret": bank.client_secret, "certificate": papers.certificate, "private_key": papers.private_key,
        "ca_certificates": authority().cert_pem.bytes().decode(), "pix_key": KEY,
    }  # fmt: skip
    new = accounts.NewAccount("bacen-pix", f"Bank at {bank.url}", "PRODUCTION", shop.production)
    account = accounts.check(Actor(enters()), accounts.enter(Actor(enters()), new, given, NOTE))
    assert account.passed_check, account.check_failure
    accounts.activate(Actor(confirms()), account, NOTE)
    return account


def sweep(**earlier: int) -> None:
    """So much later, by all that waits."""
    later = timedelta(**earlier)
    Payment.objects.update(**{name: F(name) - later for name in TIMES})
    Refund.objects.update(**{name: F(name) - later for name in ASKED})
    payments.run_due()
    refunds.run_due()


def now(live: Api, path: str) -> dict[str, Any]:
    return dict(live.get(path).json()["data"])


def owed_by_the_banks(shop: Shop) -> Decimal:
    """What our books say that they hold for the company."""
    clearing = Balance.objects.get(account__merchant=shop.production, account__kind="CLEARING")
    return Decimal(-clearing.amount) / 100


def hold(banks: list[Bank]) -> Decimal:
    """The same by their own books."""
    return sum((bank.books.received() - bank.books.returned() for bank in banks), Decimal(0))


def test_it_is_charged_paid_and_partly_given_back_and_both_books_agree(
    acme: Shop, live: Api, banks: list[Bank]
) -> None:
    created = live.post("/payments", pix(amount=150)).json()["data"]
    first, _ = banks
    assert created["pixCopyPaste"] == first.books.charges[created["pixTxid"]]["pixCopiaECola"]

    money = first.books.pay(created["pixTxid"])
    sweep(minutes=1)
    paid = now(live, f"/payments/{created['id']}")
    assert (paid["status"], paid["pixEndToEndId"]) == ("PAID", money)

    refund = live.post(f"/payments/{created['id']}/refunds", {"amount": 50.00}).json()["data"]
    sweep(minutes=1)
    assert now(live, f"/refunds/{refund['id']}")["resolution"]["provider"] == "PIX (API Pix of Banco Central)"
    first.books.settle(money, refund["id"].removeprefix("ref_"), "DEVOLVIDO")
    sweep(minutes=1)

    done = now(live, f"/refunds/{refund['id']}")
    assert (done["status"], done["resolution"]) == ("COMPLETED", None)
    assert owed_by_the_banks(acme) == hold(banks) == 100
    assert first.calls.count(f"PUT /pix/{money}/devolucao/{refund['id'].removeprefix('ref_')}") == 1


def test_a_lost_answer_resolves_itself_at_the_same_bank(live: Api, banks: list[Bank]) -> None:
    first, second = banks
    first.will("timeout after", on="PUT /cob")

    unclear = live.post("/payments", pix(amount=150))

    assert (unclear.status_code, unclear.json()["onpayCode"]) == (503, "ONP503_PIX_TEMPORARILY_UNAVAILABLE")
    payment_id = unclear.json()["error"]["paymentId"]
    assert now(live, f"/payments/{payment_id}")["resolution"]["askedTimes"] == 1
    sweep(minutes=1)
    known = now(live, f"/payments/{payment_id}")
    assert known["resolution"] is None
    assert list(first.books.charges) == [known["pixTxid"]]
    assert not second.books.charges


def test_a_bank_that_cannot_be_reached_leaves_the_payment_to_the_next(
    live: Api, banks: list[Bank], first_bank: ExitStack
) -> None:
    _, second = banks
    first_bank.close()

    created = live.post("/payments", pix(amount=150))

    assert created.status_code == 201, created.content
    assert list(second.books.charges) == [created.json()["data"]["pixTxid"]]


def test_unpaid_it_expires_once_the_bank_has_withdrawn_the_charge(live: Api, banks: list[Bank]) -> None:
    first, _ = banks
    created = live.post("/payments", pix(amount=150, expiresIn=600)).json()["data"]
    first.will("500", on="PATCH")

    sweep(minutes=11)
    kept = now(live, f"/payments/{created['id']}")
    assert (kept["status"], kept["resolution"]["askedTimes"]) == ("PENDING", 1)
    sweep(minutes=5)
    assert now(live, f"/payments/{created['id']}")["status"] == "EXPIRED"
    assert first.books.charges[created["pixTxid"]]["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"


@pytest.mark.parametrize("narrows", [True, False], ids=["403", "no token"])
def test_a_bank_without_due_dates_leaves_such_a_payment_to_the_next(
    live: Api, banks: list[Bank], narrows: bool
) -> None:
    first, second = banks
    first.scopes, first.narrows = first.scopes - {"cobv.read", "cobv.write"}, narrows

    invoice = live.post("/payments", pix(amount=150, dueDate=in_days(7))).json()["data"]
    at_once = live.post("/payments", pix(amount=150)).json()["data"]

    assert (list(first.books.charges), list(second.books.charges)) == ([at_once["pixTxid"]], [invoice["pixTxid"]])
    charge = second.books.charges[invoice["pixTxid"]]
    assert charge["calendario"]["dataDeVencimento"] == invoice["dueDate"] == in_days(7)
    assert (charge["calendario"]["validadeAposVencimento"], set(charge["valor"])) == (0, {"original"})
    assert invoice["pixCopyPaste"] == charge["pixCopiaECola"]
    money = second.books.pay(invoice["pixTxid"])
    sweep(days=7)
    paid = now(live, f"/payments/{invoice['id']}")
    assert (paid["status"], paid["pixEndToEndId"]) == ("PAID", money)


def test_without_a_bank_that_takes_due_dates_the_payment_has_failed(acme: Shop, live: Api, banks: list[Bank]) -> None:
    for bank in banks:
        bank.scopes = bank.scopes - {"cobv.read", "cobv.write"}

    refused = live.post("/payments", pix(amount=150, dueDate=in_days(7)))

    assert (refused.status_code, refused.json()["onpayCode"]) == (422, "ONP422_PIX_REJECTED")
    failed = now(live, f"/payments/{refused.json()['error']['paymentId']}")
    assert (failed["status"], failed["failure"]["code"], failed["dueDate"]) == ("FAILED", "AcessoNegado", in_days(7))
    assert [bank.books.charges for bank in banks] == [{}, {}]
    assert balances(acme) == {}


@pytest.mark.parametrize("amount", ["150.00", "151.37"])
def test_money_after_the_due_date_goes_back(acme: Shop, live: Api, banks: list[Bank], amount: str) -> None:
    """Also with interest, which nobody asked for."""
    first, _ = banks
    created = live.post("/payments", pix(amount=150, dueDate=in_days(7))).json()["data"]
    sweep(days=8)
    assert now(live, f"/payments/{created['id']}")["status"] == "EXPIRED"
    assert first.books.charges[created["pixTxid"]]["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"

    first.books.pay(created["pixTxid"], amount)
    recover()
    minor = int(Decimal(amount) * 100)
    assert balances(acme) == {"CLEARING": -minor, "SUSPENSE": minor}
    first.books.settles = "DEVOLVIDO"
    wait(hours=1)

    assert SuspenseItem.objects.get().state == "RETURNED"
    assert (balances(acme), hold(banks)) == ({}, 0)
    assert now(live, f"/payments/{created['id']}")["status"] == "EXPIRED"
