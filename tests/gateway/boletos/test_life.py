"""Boletos with real money by files: made at once, registered, paid, withdrawn, and never paid twice."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.audit import Actor
from accounts.base.clock import utcnow
from gateway.bank_files.cnab.envelope import opened
from gateway.boletos import due as boletos_due
from gateway.boletos import files
from gateway.boletos.models import RegistrationFile, SlipLine
from gateway.methods.boleto.numbers import barcode_of
from gateway.payments.due import run_due
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.reconciliation import files as bank_files
from gateway.reconciliation.handlers import DocumentRefused
from gateway.reconciliation.models import CollectionCredit
from gateway.slips.models import Slip
from gateway.suspense.models import SuspenseItem
from tests.support.api import Api
from tests.support.bad_orders import in_days
from tests.support.bank_accounts import sweep
from tests.support.boleto_bank import PAID, REFUSED, REGISTERED, WITHDRAWN, Bank, Said, connected, ordered, returned
from tests.support.boletos import ADDRESS
from tests.support.companies import Shop
from tests.support.manual_provider import live
from tests.support.payments import a_reference
from tests.support.providers import NOTE, enters
from webhooks.models import Event

CENTS = 15000


@pytest.fixture
def bank(acme: Shop) -> Bank:
    return Bank(connected(acme))


@pytest.fixture
def shop(acme: Shop, bank: Bank, address: str) -> Api:
    return live(acme, address)


def now(shop: Api, payment: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = shop.get(f"/payments/{payment['id']}").json()["data"]
    return found


def told(payment: dict[str, Any]) -> list[str]:
    found = Event.objects.filter(object_id=payment["id"]).order_by("occurred_at", "created_at", "id")
    return list(found.values_list("type", flat=True))


def end_the_time_of(payment: dict[str, Any]) -> None:
    past = utcnow() - timedelta(seconds=1)
    Payment.objects.filter(pk=payment["id"]).update(expires_at=past, ask_at=past)
    run_due()


def test_a_boleto_is_made_registered_and_paid(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    assert (created["status"], created["payableFrom"], created["beneficiary"]) == ("PENDING", None, "ACME LTDA")
    bars = barcode_of(created["digitableLine"])
    assert bars == created["barcode"]
    assert bars[:4] + bars[19:30] == "3419" + "10900001000"
    assert created["documentNumber"] == "00001000"

    sent = bank.given()
    assert sent is not None
    assert (sent.sequence, sent.registered, sent.withdrawn) == (1, 1, 0)
    assert bank.given() is None
    assert now(shop, created)["payableFrom"] is None

    bank.says(Said(created["id"], REGISTERED))
    registered = now(shop, created)
    assert registered["status"] == "PENDING"
    assert registered["payableFrom"] > registered["createdAt"]
    assert told(created) == ["payment.updated", "payment.updated"]

    bank.says(Said(created["id"], PAID, CENTS, fee=210))
    paid = now(shop, created)
    assert (paid["status"], paid["payableFrom"]) == ("PAID", registered["payableFrom"])
    assert told(created) == ["payment.updated", "payment.updated", "payment.paid"]
    credit = CollectionCredit.objects.get(object_id=created["id"])
    assert (credit.paid, credit.credited) == (CENTS, CENTS - 210)


def test_the_file_says_what_the_boleto_says(shop: Api, bank: Bank) -> None:
    created = [ordered(shop), ordered(shop)]
    sent = bank.given()
    assert sent is not None
    content = files.unseal(bytes(sent.sealed_content))
    (lot,) = opened(content).lots
    titles = [line.text for line in lot.details if line.segment == "P"]
    assert [text[40:48] for text in titles] == [one["documentNumber"] for one in created]
    assert [text[48] for text in titles] == [one["barcode"][30] for one in created]
    assert {text[85:100] for text in titles} == {f"{CENTS:015d}"}
    assert lot.trailer is not None
    assert lot.trailer.text[23:46] == f"000002{2 * CENTS:017d}"
    payers = [line.text for line in lot.details if line.segment == "Q"]
    assert {text[33:63].strip() for text in payers} == {"MARIA DA CONCEICAO"}
    assert {text[128:136] for text in payers} == {"01310100"}


def test_the_same_money_is_told_twice_and_booked_once(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    bank.given()
    bank.says(Said(created["id"], PAID, CENTS))
    assert now(shop, created)["payableFrom"] is not None

    again = Said(created["id"], PAID, CENTS), Said("77", PAID, 100)  # the file was made again, with one more line
    bank.says(*again, sequence=1)
    assert told(created) == ["payment.updated", "payment.paid"]
    assert [(item.cause, item.amount) for item in SuspenseItem.objects.all()] == [("UNKNOWN_CHARGE", 100)]
    assert SlipLine.objects.filter(slip=None).count() == 1

    bank.says(Said(created["id"], PAID, CENTS), sequence=2)
    assert told(created) == ["payment.updated", "payment.paid"]
    assert SuspenseItem.objects.get(payment=created["id"]).cause == "PAID_TWICE"


def test_other_money_than_asked_for_is_held(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    bank.given()
    bank.says(Said(created["id"], REGISTERED))
    bank.says(Said(created["id"], PAID, CENTS - 1))
    assert now(shop, created)["status"] == "PENDING"
    assert [(item.cause, item.amount) for item in SuspenseItem.objects.all()] == [("OTHER_AMOUNT", CENTS - 1)]
    assert CollectionCredit.objects.get().object_id == SuspenseItem.objects.get().pk

    end_the_time_of(created)
    assert now(shop, created)["status"] == "EXPIRED"
    assert bank.given() is None


def test_a_boleto_that_the_bank_refuses_has_failed(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    bank.given()
    bank.says(Said(created["id"], REFUSED))
    failed = now(shop, created)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "REGISTRATION_REFUSED")
    assert told(created) == ["payment.updated", "payment.failed"]

    bank.says(Said(created["id"], REGISTERED))
    assert now(shop, created)["status"] == "FAILED"


def test_a_boleto_expires_when_the_bank_has_withdrawn_it(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    bank.given()
    bank.says(Said(created["id"], REGISTERED))

    end_the_time_of(created)
    assert now(shop, created)["status"] == "PENDING"
    sent = bank.given()
    assert sent is not None
    assert (sent.sequence, sent.registered, sent.withdrawn) == (2, 0, 1)
    assert bank.given() is None
    assert now(shop, created)["status"] == "PENDING"

    bank.says(Said(created["id"], WITHDRAWN))
    assert now(shop, created)["status"] == "EXPIRED"
    assert told(created)[-1] == "payment.expired"


def test_a_boleto_that_its_company_ended_and_that_was_paid_before_its_withdrawal_is_paid(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    bank.given()
    ended = shop.post(f"/payments/{created['id']}/expire").json()
    assert (ended["onpayCode"], ended["data"]["status"]) == ("ONP202_EXPIRING", "PENDING")
    sent = bank.given()
    assert sent is not None
    assert (sent.registered, sent.withdrawn) == (0, 1)
    bank.says(Said(created["id"], PAID, CENTS))
    assert now(shop, created)["status"] == "PAID"


def test_a_boleto_that_no_bank_heard_of_expires_at_once(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    end_the_time_of(created)
    assert now(shop, created)["status"] == "EXPIRED"
    assert bank.given() is None
    assert Slip.objects.get(pk=created["id"]).state == Slip.State.WITHDRAWN


def test_numbers_are_used_once_and_end_with_their_range(acme: Shop, address: str) -> None:
    bank = Bank(connected(acme, first_number=1, last_number=2))
    shop = live(acme, address)
    assert [ordered(shop)["documentNumber"] for _ in range(2)] == ["00000001", "00000002"]
    body = {"method": "BOLETO", "amount": 150.00, "currency": "BRL", "reference": a_reference(), "dueDate": in_days(5)}
    payer = {"name": "Maria", "taxId": "52998224725", "email": "maria@example.com", "address": ADDRESS}
    assert shop.post("/payments", body | {"payer": payer}).status_code == 503
    assert Slip.objects.count() == 2
    assert files.write_due() == 1
    assert files.write_due() == 0
    assert RegistrationFile.objects.get().account == bank.provider_account


def test_an_agreement_that_cannot_be_written_stops_no_other(shop: Api, bank: Bank, acme: Shop, globex: Shop) -> None:
    ordered(shop)
    others = [connected(globex, account="99999"), connected(acme, wallet="112")]
    ProviderAccount.objects.filter(pk__in=[one.pk for one in others]).update(sealed_credentials=b"of a lost key")
    assert files.write_due() == 1
    assert RegistrationFile.objects.get().account == bank.provider_account


def test_a_return_for_an_account_that_collects_nothing_is_refused(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    bank.account.provider_accounts.clear()
    content = returned([Said(created["id"], PAID, CENTS)], 1)
    with pytest.raises(DocumentRefused):
        bank_files.check(bank.account, bank_files.documents_of(bank.account, content))
    assert now(shop, created)["status"] == "PENDING"


def test_who_confirms_a_return_sees_what_it_will_change(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    content = returned([Said(created["id"], PAID, CENTS), Said("77", PAID, 100)], 1)
    shown = dict(bank_files.summary(bank.account, bank_files.documents_of(bank.account, content)))
    assert shown["Boletos of ours"] == "Paid: 1"
    assert (shown["Paid"], shown["Boletos that are none of ours"]) == ("150.00 BRL", "1")


def test_a_fetched_return_that_lacks_lines_waits_for_two_people(shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    whole = returned([Said("77", PAID, 100), Said(created["id"], PAID, CENTS)], 1).split(b"\n")
    content = b"\n".join(whole[:2] + whole[4:])

    refused = bank_files.fetched(bank.account, "1.ret", content)

    assert refused and (refused.state, refused.cause) == ("REFUSED", "INCOMPLETE")
    assert refused.reason.startswith("Line 3 is numbered '00003', and should be 00001.")
    assert now(shop, created)["status"] == "PENDING"
    uploaded = bank_files.upload(Actor(enters()), bank.account.code, "1.ret", content, NOTE)
    shown = dict(bank_files.summary(bank.account, bank_files.require_confirmable(uploaded)))
    assert "Line 3 is numbered" in shown["LINES SEEM TO BE MISSING"]
    bank_files.confirm(uploaded)
    sweep()
    boletos_due.run_due()
    assert now(shop, created)["status"] == "PAID"


def test_the_same_number_of_another_wallet_is_another_boleto(acme: Shop, shop: Api, bank: Bank) -> None:
    created = ordered(shop)
    bank.given()
    of_109 = returned([Said(created["id"], PAID, CENTS)], 1)
    bank_files.fetched(bank.account, "1.ret", of_109.replace(b"109000010000", b"112000010000"))
    boletos_due.run_due()
    assert now(shop, created)["status"] == "PENDING"
    assert [item.cause for item in SuspenseItem.objects.all()] == ["UNKNOWN_CHARGE"]

    bank.account.provider_accounts.add(connected(acme, wallet="112"))
    bank_files.fetched(bank.account, "2.ret", of_109)
    boletos_due.run_due()
    assert now(shop, created)["status"] == "PAID"
