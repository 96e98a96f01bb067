"""Real money without any integration: the company's own account, a proposal, a second person, and the books."""

import json
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry, Proposal, User
from gateway.payments.due import run_due
from gateway.payments.models import Payment
from gateway.refunds.due import run_due as refund_sweep
from gateway.refunds.models import Refund
from tests.support.api import Api, used
from tests.support.bad_orders import in_days
from tests.support.checkout import Checkout, spoken
from tests.support.companies import Shop
from tests.support.manual_provider import CLABE, MEXICO, connected, live, ordered
from tests.support.people import a_person, browser_of
from tests.support.proposals import NOTE, confirmed, proposed
from tests.support.threads import at_once
from webhooks.models import Event

E2E = "E00000000202611201200abcdefghijk"
REFERENCES = {"SPEI": "MBAN01002611200012345678", "PSE": "1234567", "PIX": E2E}
NETS = {"SPEI": 1470.15, "PSE": 1470.15, "PIX": 1485.14}
WALLETS = {"SPEI": ("SPEI", "MXN"), "PSE": ("BANK_TRANSFER", "COP"), "PIX": ("PIX", "BRL")}


@pytest.fixture
def one(db: None) -> Client:
    return browser_of(_superuser("one@onpay.example"))


@pytest.fixture
def two(db: None) -> Client:
    return browser_of(_superuser("two@onpay.example"))


def _superuser(email: str) -> User:
    return a_person(email, is_staff=True, is_superuser=True)


@pytest.fixture
def acme_live(acme: Shop, address: str) -> Api:
    for currency in ("MXN", "COP", "BRL"):
        connected(acme, currency)
    return live(acme, address)


def of(payment: dict[str, Any]) -> Payment:
    return Payment.objects.get(pk=payment["id"])


def told(payment: dict[str, Any]) -> list[str]:
    """The events of a payment, in order."""
    found = Event.objects.filter(object_id=payment["id"]).order_by("occurred_at", "created_at", "id")
    return list(found.values_list("type", flat=True))


@pytest.mark.parametrize("method", ["SPEI", "PSE", "PIX"])
def test_a_payment_is_instructed_proposed_confirmed_paid_announced_and_booked(
    acme_live: Api, acme: Shop, globex: Shop, address: str, one: Client, two: Client, method: str
) -> None:
    created = ordered(acme_live, method)
    assert (created["status"], created["environment"], created["resolution"]) == ("PENDING", "PRODUCTION", None)
    run_due()  # nobody is asked
    assert of(created).ask_at is None

    paid = {"amount": "1500.00", "reference": REFERENCES[method]}
    proposal = proposed(one, of(created), "paid", **paid)
    assert of(created).status == "PENDING"
    assert told(created) == (["payment.updated"] if method == "PSE" else [])
    assert confirmed(one, proposal).status_code == 403
    assert of(created).status == "PENDING"
    assert confirmed(two, proposal).status_code == 200

    now = acme_live.get(f"/payments/{created['id']}").json()["data"]
    assert (now["status"], "nextAction" in now) == ("PAID", False)
    assert of(created).rail_reference == REFERENCES[method]
    assert now.get("pixEndToEndId") == (E2E if method == "PIX" else None)
    assert told(created)[-1] == "payment.paid"
    announced = Event.objects.get(object_id=created["id"], type="payment.paid")
    assert json.loads(bytes(announced.body))["data"] == now
    [wallet] = used(acme_live.get(f"/companies/{acme.company.id}/balance").json()["data"]["wallets"])
    assert (wallet["method"], wallet["currency"], wallet["available"]) == (*WALLETS[method], NETS[method])
    assert live(globex, address).get(f"/payments/{created['id']}").status_code == 404
    entry = AuditEntry.objects.get(action="payment.done", object_id=created["id"])
    assert (entry.company, entry.by_staff) == (acme.company, True)
    assert (entry.before, entry.after) == ({"status": "PENDING"}, {"status": "PAID", "reference": REFERENCES[method]})
    assert NOTE["note"] in entry.note


def test_spei_shows_the_companys_own_account(acme_live: Api) -> None:
    details = ordered(acme_live, "SPEI")["bankDetails"]

    assert (details["clabe"], details["beneficiaryName"]) == (CLABE, MEXICO["holder"])
    assert (details["beneficiaryTaxId"], details["amount"], details["currency"]) == (MEXICO["tax_id"], 1500, "MXN")


def test_pix_pays_to_the_key_with_a_txid_of_ours_until_the_company_ends_it(acme_live: Api) -> None:
    created = ordered(acme_live, "PIX")

    assert created["pixTxid"] == created["id"].removeprefix("pay_")[1:]
    assert len(created["pixTxid"]) == 25
    assert f"05{25}{created['pixTxid']}" in created["pixCopyPaste"]
    assert "0123pagamentos@acme.example" in created["pixCopyPaste"]
    assert created["pixEndToEndId"] is None
    assert "dueDate" not in created
    ended = acme_live.post(f"/payments/{created['id']}/expire")
    assert (ended.status_code, ended.json()["data"]["status"]) == (200, "EXPIRED"), "nobody can be told"


def test_pix_with_a_due_date_waits_for_its_last_day(acme_live: Api) -> None:
    created = ordered(acme_live, "PIX", dueDate=in_days(3))

    assert (created["dueDate"], created["expiresAt"]) == (in_days(3), f"{in_days(4)}T02:59:59.999Z")


def test_a_redirect_method_has_our_page_until_the_accounts_own_deadline(acme_live: Api) -> None:
    created = ordered(acme_live, "PSE", returnUrl="https://shop.example/thanks")
    begun, ends = (datetime.fromisoformat(created[name]) for name in ("createdAt", "expiresAt"))

    assert (ends - begun).total_seconds() == 7200
    assert created["nextAction"]["expiresAt"] == created["expiresAt"]
    page = Checkout(created)
    reference = of(created).details["payTo"]["reference"]
    for shown in (reference, "COP 1,500", "Acme SAS", "Send the receipt to pagos@acme.example."):
        assert shown in page.text().replace("\xa0", " ")
    assert 'href="https://pagos.acme.example/pse"' in page.open().content.decode()


@pytest.mark.parametrize("method", ["SPEI", "PSE", "PIX"])
def test_a_payment_that_nobody_records_expires_by_time(acme_live: Api, method: str) -> None:
    created = ordered(acme_live, method)
    Payment.objects.filter(pk=created["id"]).update(expires_at=of(created).created_at)

    run_due()

    now = acme_live.get(f"/payments/{created['id']}").json()["data"]
    assert (now["status"], now["resolution"]) == ("EXPIRED", None)
    assert told(created)[-1] == "payment.expired"
    if method == "PSE":
        assert "If you have already paid, contact Acme." in spoken(Checkout(created).open())


def test_a_payment_that_was_not_paid_fails_with_the_reason(acme_live: Api, one: Client, two: Client) -> None:
    created = ordered(acme_live, "SPEI")

    confirmed(two, proposed(one, of(created), "not_paid", failure_code="NOT_PAID"))

    now = acme_live.get(f"/payments/{created['id']}").json()["data"]
    assert (now["status"], now["failure"]) == ("FAILED", {"code": "NOT_PAID", "message": "The payer did not pay."})
    assert told(created) == ["payment.failed"]
    assert Proposal.objects.get().state == "CONFIRMED"


def test_without_a_connected_account_it_is_refused_by_name(acme: Shop, globex: Shop, address: str) -> None:
    connected(acme, "MXN")

    order = {"method": "SPEI", "amount": 10, "currency": "MXN", "reference": "a", "payer": {"name": "Ana"}}
    refused = live(globex, address).post("/payments", order)

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ONP403_SPEI_NOT_CONNECTED")
    assert not Payment.objects.exists()


def test_credentials_that_serve_less_than_before_are_not_asked_for_it(acme: Shop, address: str) -> None:
    account = connected(acme, "COP")
    other = connected(acme, "MXN")
    account.sealed_credentials = other.sealed_credentials
    account.save()

    order = {"method": "PSE", "amount": 1000, "currency": "COP", "reference": "a"}
    refused = live(acme, address).post("/payments", order | {"payer": {"name": "Camila", "taxId": "1018760936"}})

    assert refused.json()["error"]["code"] == "ONP403_PSE_NOT_CONNECTED"
    assert not Payment.objects.exists()


def test_money_is_given_back_by_staff_who_record_it(acme_live: Api, acme: Shop, one: Client, two: Client) -> None:
    paid, kept = ordered(acme_live, "SPEI"), ordered(acme_live, "SPEI")
    for number, payment in enumerate((paid, kept)):
        confirmed(two, proposed(one, of(payment), "paid", amount="1500.00", reference=f"MBAN{number}"))
    answer = acme_live.post(f"/payments/{paid['id']}/refunds", {"amount": 500})
    assert answer.status_code in (200, 201), answer.content
    refund = Refund.objects.get()
    Refund.objects.update(ask_at=refund.created_at)

    refund_sweep()  # nobody is asked, so nothing is unclear
    refund.refresh_from_db()
    assert (refund.status, refund.ask_at, refund.certain_by) == ("PROCESSING", None, None)
    confirmed(two, proposed(one, refund, "carried_out"))

    refund.refresh_from_db()
    assert refund.status == "COMPLETED"
    now = acme_live.get(f"/payments/{paid['id']}").json()["data"]
    assert (now["status"], now["refundedAmount"]) == ("PAID", 500)
    [wallet] = used(acme_live.get(f"/companies/{acme.company.id}/balance").json()["data"]["wallets"])
    assert wallet["available"] == round(2 * 1470.15 - 500, 2)


@pytest.mark.django_db(transaction=True)
def test_two_people_who_confirm_the_same_reference_for_two_payments_pay_one(
    acme_live: Api, one: Client, two: Client
) -> None:
    created = [ordered(acme_live, "SPEI") for _ in range(2)]
    made = [proposed(one, of(payment), "paid", amount="1500", reference="MBAN1") for payment in created]
    three = browser_of(_superuser("three@onpay.example"))

    answers = at_once(partial(confirmed, two, made[0]), partial(confirmed, three, made[1]))

    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert sorted(of(payment).status for payment in created) == ["PAID", "PENDING"]
    assert Payment.objects.filter(rail_reference="MBAN1").count() == 1
