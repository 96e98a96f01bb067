"""A payment on its page: what it shows to whom, what can be made to happen, and why money cannot go back."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from accounts.models import AuditEntry
from gateway.dashboard.payments.words import CANNOT_REFUND, NEVER_PAID
from gateway.payments.models import Payment
from gateway.refunds.due import run_due
from ledger.receivables import advances
from ledger.receivables.models import Receivable
from tests.support.api import Api
from tests.support.cards import opened
from tests.support.companies import Shop
from tests.support.orders import order
from tests.support.pages import Page, text_of
from tests.support.payments import a_payment
from tests.support.refunds import answered, disputed, later, nothing_moves, paid, refunded
from webhooks.models import Delivery, Event

pytestmark = pytest.mark.django_db


def created(api: Api, method: str, **members: Any) -> str:
    return str(api.post("/payments", order(method, **members)).json()["data"]["id"])


def test_it_shows_the_money_in_its_parts(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")

    shown = text_of(support.get(page("payment", payment.pk)))

    assert "Amount R$150.00 Our fee −R$1.50 Net R$148.50" in shown
    assert "CPF 529.982.247-25" in shown
    assert payment.rail_reference
    assert payment.rail_reference in shown
    assert "R$150.00 can still be refunded, until" in shown


def test_money_in_another_currency_says_how_it_was_settled(api: Api, support: Client, page: Page) -> None:
    shown = text_of(support.get(page("payment", paid(api, "CREDIT_CARD", currency="USD"))))

    assert "Settled R$" in shown
    assert "Wallet BRL · PIX" in shown
    assert "Available Scheduled" in shown


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("PIX", "PIX copy and paste 0002"),
        ("BOLETO", "Payment line to type in 9999"),
        ("SPEI", "CLABE 999"),
        ("BANK_TRANSFER", "CVU 0000999"),
        ("MB_WAY", "A confirmation request in the MB WAY app on +351*****"),
        ("CREDIT_CARD", "4242424242424242"),
    ],
)
def test_it_shows_what_the_payer_gets(method: str, told: str, api: Api, support: Client, page: Page) -> None:
    payment = opened(api).id if method == "CREDIT_CARD" else created(api, method)

    answer = support.get(page("payment", payment))

    assert told in text_of(answer)
    assert f"{payment}_secret_" not in answer.content.decode()


def test_a_checkout_is_one_click_away(api: Api, support: Client, page: Page) -> None:
    payment = created(api, "PSE", amount=85000, currency="COP", payer={"name": "Ana Gómez", "taxId": "1032456789"})
    link = api.get(f"/payments/{payment}").json()["data"]["nextAction"]["redirectUrl"]

    assert f'href="{link}"' in support.get(page("payment", payment)).content.decode()


def test_a_corrected_card_says_so(api: Api, support: Client, page: Page) -> None:
    session = opened(api, "CREDIT_CARD")
    session.pay(cvc="902")

    shown = text_of(support.get(page("payment", session.id)))

    assert "Debit card · Visa •••• 4242 The request said Credit card." in shown


def test_the_timeline_outlives_the_events(api: Api, acme: Shop, support: Client, page: Page) -> None:
    payment = paid(api)
    refund = refunded(api, payment, amount=10)
    later(acme, seconds=3)
    run_due()

    told = text_of(support.get(page("payment", payment)))
    with transaction.atomic():
        Event.objects.all().delete()
        kept = text_of(support.get(page("payment", payment)))
        transaction.set_rollback(True)

    for title in ("Created", "Paid", "Refund requested R$10.00", "Refund completed R$10.00"):
        assert title in told.partition("Timeline")[2]
        assert title in kept.partition("Timeline")[2]
    assert "Reason Refund" in told
    assert f'data-copy="{refund["id"]}"' in support.get(page("payment", payment)).content.decode()


def test_books_and_webhooks_are_for_those_who_read_them(
    api: Api, owner: Client, viewer: Client, support: Client, page: Page
) -> None:
    api.post("/webhooks", {"url": "https://1.1.1.1/hooks", "events": ["*"]})
    payment = page("payment", paid(api))
    Delivery.objects.update(attempts=2, http_status=500)

    for browser in (owner, viewer):
        shown = text_of(browser.get(payment))
        assert "The payer paid" in shown
        assert "Your balance, available +R$148.50" in shown
        assert "payment.paid https://1.1.1.1/hooks In progress 500 2 –" in shown
    assert "Your balance" not in text_of(support.get(payment))
    assert "1.1.1.1/hooks" not in text_of(support.get(payment))


def test_the_requests_about_it_are_shown(
    api: Api, owner: Client, support: Client, page: Page, request_log: ModuleType
) -> None:
    payment = paid(api)
    api.post(f"/simulations/payments/{payment}", {"status": "PAID"})
    assert request_log.flush()

    shown = text_of(owner.get(page("payment", payment)))

    assert f"POST /api/v2/simulations/payments/{payment} 409 ONP409_PAYMENT_STATE" in shown
    assert "POST /api/v2/payments 201" in shown
    assert "POST /api/v2/payments" not in text_of(support.get(page("payment", payment)))


def pending(api: Api) -> str:
    return created(api, "PIX")


def expired(api: Api) -> str:
    payment = created(api, "PIX")
    api.post(f"/simulations/payments/{payment}", {"status": "EXPIRED"})
    return payment


def under_dispute(api: Api) -> str:
    payment = paid(api)
    answered(api, disputed(api, payment), "CONTEST")
    return payment


def on_its_way_back(api: Api) -> str:
    payment = paid(api)
    paid(api)
    refunded(api, payment)
    return payment


@pytest.mark.parametrize(
    ("come_to", "sentence"),
    [
        (pending, NEVER_PAID["PENDING"]),
        (expired, NEVER_PAID["EXPIRED"]),
        (under_dispute, CANNOT_REFUND["ONP409_REFUND_IN_DISPUTE"]),
        (on_its_way_back, CANNOT_REFUND["ONP422_REFUND_AMOUNT_EXCEEDED"]),
    ],
    ids=["not paid", "never paid", "disputed", "already being refunded"],
)
def test_it_says_why_nothing_can_be_given_back(
    come_to: Callable[[Api], str], sentence: Any, api: Api, support: Client, page: Page
) -> None:
    payment = come_to(api)

    shown = support.get(page("payment", payment))

    assert str(sentence) in text_of(shown)
    assert page("ask_refund", payment) not in shown.content.decode()
    assert str(sentence) in text_of(support.get(page("ask_refund", payment)))


def test_an_old_payment_and_a_reserved_one_say_it_too(acme: Shop, api: Api, support: Client, page: Page) -> None:
    old, by_card = paid(api), paid(api, "CREDIT_CARD")
    advances.request(acme.sandbox, [Receivable.objects.get(payment_id=by_card).pk], None)

    assert str(CANNOT_REFUND["ONP409_RECEIVABLE_RESERVED"]) in text_of(support.get(page("payment", by_card)))
    later(acme, days=91)
    assert str(CANNOT_REFUND["ONP422_REFUND_WINDOW_CLOSED"]) in text_of(support.get(page("payment", old)))


def test_who_waits_for_an_answer_is_one_click_away(api: Api, support: Client, viewer: Client, page: Page) -> None:
    payment = paid(api)
    refund = disputed(api, payment)

    assert "Answer the payer" in text_of(support.get(page("payment", payment)))
    assert page("refund", refund["id"]) in support.get(page("payment", payment)).content.decode()
    assert "Answer the payer" not in text_of(viewer.get(page("payment", payment)))


@pytest.mark.parametrize("outcome", ["PAID", "FAILED", "EXPIRED"])
def test_the_sandbox_lets_it_end(outcome: str, acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox)

    answer = support.post(page("simulate_payment", payment.pk), {"status": outcome})

    assert answer["Location"] == page("payment", payment.pk)
    assert Payment.objects.get(pk=payment.pk).status == outcome
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.before, entry.after) == (
        "payment.simulated", {"status": "PENDING"}, {"status": outcome},
    )  # fmt: skip


def test_the_sandbox_lets_money_come_late(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "EXPIRED")
    address = page("payment", payment.pk)
    assert "Pay it late" in text_of(support.get(address))

    answer = support.post(page("simulate_payment", payment.pk), {"status": "LATE"})

    assert answer["Location"] == address
    assert Payment.objects.get(pk=payment.pk).status == "PAID"
    assert "You are the payer." not in text_of(support.get(address))


@pytest.mark.parametrize(
    ("outcome", "code"),
    [("PAID", 409), ("LATE", 409), ("REFUNDED", 400), ("", 400)],
    ids=["ended already", "never expired", "no outcome", "nothing"],
)
def test_what_cannot_be_simulated_moves_nothing(
    outcome: str, code: int, acme: Shop, support: Client, page: Page
) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    with nothing_moves(acme):
        assert support.post(page("simulate_payment", payment.pk), {"status": outcome}).status_code == code
    assert not AuditEntry.objects.exists()


def test_a_card_is_not_simulated(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = opened(api).id
    with nothing_moves(acme):
        assert support.post(page("simulate_payment", payment), {"status": "PAID"}).status_code == 422
    assert "You are the payer." not in text_of(support.get(page("payment", payment)))


def test_who_only_reads_simulates_nothing(acme: Shop, viewer: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox)
    with nothing_moves(acme):
        assert viewer.post(page("simulate_payment", payment.pk), {"status": "PAID"}).status_code == 403
    assert "You are the payer." not in text_of(viewer.get(page("payment", payment.pk)))


def test_nobody_else_finds_it(acme: Shop, globex: Shop, stranger: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    theirs = page("payment", payment.pk).replace(acme.company.pk, globex.company.pk)
    for address in (theirs, f"{theirs}receipt.pdf", f"{theirs}refund", page("payment", payment.pk)):
        assert stranger.get(address).status_code in (403, 404)
    assert stranger.get(theirs).status_code == 404
    with nothing_moves(acme):
        assert stranger.post(f"{theirs}simulate", {"status": "PAID"}).status_code == 404


def test_the_receipt_is_a_pdf_once_it_was_paid(acme: Shop, support: Client, page: Page) -> None:
    waiting, payment = a_payment(acme.sandbox), a_payment(acme.sandbox, "PAID")

    receipt = support.get(page("payment_receipt", payment.pk))

    assert receipt["Content-Type"] == "application/pdf"
    assert receipt.content.startswith(b"%PDF-")
    assert support.get(page("payment_receipt", waiting.pk)).status_code == 409
    assert page("payment_receipt", waiting.pk) not in support.get(page("payment", waiting.pk)).content.decode()


def test_a_page_asks_little(api: Api, owner: Client, page: Page, django_assert_max_num_queries: Any) -> None:
    api.post("/webhooks", {"url": "https://1.1.1.1/hooks", "events": ["*"]})
    payment = paid(api)
    for _ in range(5):
        refunded(api, payment, amount=1)
    with django_assert_max_num_queries(20):
        text_of(owner.get(page("payment", payment)))
