"""Merchants in cells of their own: everything that happens to one happens in its cell, by whichever door it comes."""

import pytest
from django.db import OperationalError, transaction
from django.test import Client

from accounts.base import cells
from accounts.cells import all_cells, in_cell_of
from accounts.models import User
from gateway.payments import links
from gateway.payments.models import Payment
from gateway.payments.tasks import sweep_payments
from ledger.books.models import Entry, Transfer
from ledger.verify import verify
from tests.support.lives import ACMES, FIRST, GLOBEXES, Lives, rows
from tests.support.payments import pix
from tests.support.people import a_member, browser_of
from tests.support.receiver import listening
from tests.support.webhooks import ago
from webhooks.dispatch import deliver_due


def test_new_merchants_live_in_the_cell_that_is_open_and_the_others_stay(lives: Lives) -> None:
    found = [(shop.sandbox.cell_id, shop.production.cell_id) for shop in (lives.early, lives.acme, lives.globex)]
    assert found == [(None, None), (ACMES, ACMES), (GLOBEXES, GLOBEXES)]


def test_a_payment_its_books_and_its_webhook_are_in_the_cell_of_its_merchant(lives: Lives) -> None:
    with listening() as receiver:
        for shop in (lives.early, lives.acme, lives.globex):
            api = lives.api(shop)
            api.post("/webhooks", {"url": receiver.url, "events": ["payment.paid"]})
            made = api.post("/payments", pix()).json()["data"]
            assert api.post(f"/simulations/payments/{made['id']}", {"status": "PAID"}).status_code == 200
        assert rows("gateway_payment") == [1, 1, 1]
        assert rows("ledger_transfer") == [1, 1, 1]
        assert rows("webhooks_event") == rows("webhooks_delivery") == [1, 1, 1]
        assert rows("gateway_idempotencykey") == [3, 3, 3]

        assert deliver_due() == 3
        assert receiver.types == ["payment.paid"] * 3
        assert rows("webhooks_attempt") == [1, 1, 1]
    for name in (FIRST, ACMES, GLOBEXES):
        with cells.opened(name):
            assert verify() == []


def test_nobody_sees_what_is_in_another_cell(lives: Lives) -> None:
    made = lives.api(lives.acme).post("/payments", pix()).json()["data"]["id"]
    for other in (lives.early, lives.globex):
        api = lives.api(other)
        assert api.get(f"/payments/{made}").status_code == 404
        assert api.post(f"/simulations/payments/{made}", {"status": "PAID"}).status_code == 404
        assert api.get("/payments").json()["data"] == []
    assert lives.api(lives.acme).get(f"/payments/{made}").json()["data"]["status"] == "PENDING"


def test_the_same_key_and_reference_are_those_of_a_merchant(lives: Lives) -> None:
    key, order = "6f1f3d0e-6a4c-4a52-9d0e-111111111111", pix(reference="order-1")
    ids = set()
    for shop in (lives.early, lives.acme, lives.globex):
        first, again = (lives.api(shop).post("/payments", order, key=key) for _ in range(2))
        assert (first.status_code, again.status_code) == (201, 201) and again["Idempotent-Replayed"] == "true"
        ids.add(first.json()["data"]["id"])
    assert len(ids) == 3


def test_ids_in_the_books_are_given_once_over_all_cells(lives: Lives) -> None:
    for shop in (lives.early, lives.acme, lives.globex):
        made = lives.api(shop).post("/payments", pix()).json()["data"]["id"]
        lives.api(shop).post(f"/simulations/payments/{made}", {"status": "PAID"})
    with all_cells():
        for model in (Transfer, Entry):
            ids = list(model.objects.values_list("pk", flat=True))
            assert len(ids) == len(set(ids)) > 0


def test_a_payers_page_finds_its_payment(lives: Lives) -> None:
    payer = {"name": "Ana", "taxId": "1018432756", "taxIdType": "CC", "email": "ana@example.com"}
    order = {"method": "PSE", "amount": 5000, "currency": "COP", "reference": "o-1", "payer": payer}
    for shop in (lives.early, lives.acme):
        answer = lives.api(shop).post("/payments", order | {"returnUrl": "https://shop.example/back"})
        assert answer.status_code == 201, answer.content
        with in_cell_of(shop.sandbox):
            page = links.checkout(Payment.objects.get())
        assert Client().get(page.removeprefix("http://testserver")).status_code == 200
        chosen = Client().post(page, {"choice": "refuse"})
        assert chosen.status_code == 303
        with in_cell_of(shop.sandbox):
            assert Payment.objects.get().status == "FAILED"


def test_a_sandbox_clock_moves_in_its_cell(lives: Lives) -> None:
    for shop in (lives.acme, lives.globex):
        lives.api(shop).post("/payments", pix())
    assert lives.api(lives.acme).post("/simulations/clock", {"advanceBy": "P2D"}).status_code == 200
    with all_cells():
        assert sorted(Payment.objects.values_list("status", flat=True)) == ["EXPIRED", "PENDING"]


def test_the_timetable_goes_through_all_cells(lives: Lives) -> None:
    for shop in (lives.early, lives.acme, lives.globex):
        lives.api(shop).post("/payments", pix())
        with in_cell_of(shop.sandbox):
            Payment.objects.update(expires_at=ago(minutes=1))
    sweep_payments("SANDBOX")
    with all_cells():
        assert list(Payment.objects.values_list("status", flat=True)) == ["EXPIRED"] * 3


def test_staff_see_all_cells_in_one_list_and_work_in_that_of_the_object(lives: Lives) -> None:
    staff = Client()
    staff.force_login(User.objects.create_superuser("root@onpay.example", "correct horse"))
    made = [lives.api(shop).post("/payments", pix()).json()["data"]["id"] for shop in (lives.acme, lives.globex)]
    listed = staff.get("/admin/gateway/payment/").content.decode()
    assert all(one in listed for one in made)
    for one in made:
        assert one in staff.get(f"/admin/gateway/payment/{one}/change/").content.decode()


def test_nobody_but_staff_has_anything_looked_for(lives: Lives) -> None:
    for address in ("/admin/webhooks/attempt/99999999999999999999999999/change/", "/admin/ledger/entry/1/change/"):
        assert Client().get(address).status_code == 302


def test_what_is_seen_of_all_cells_cannot_be_written(lives: Lives) -> None:
    lives.api(lives.acme).post("/payments", pix())
    with all_cells(), pytest.raises(OperationalError, match="cannot update view"), transaction.atomic():
        Payment.objects.update(status="PAID")
    with in_cell_of(lives.acme.sandbox):
        assert Payment.objects.get().status == "PENDING"


def test_a_file_that_is_streamed_is_read_in_the_cell_of_its_company(lives: Lives) -> None:
    """Its rows are read when it is sent, after the page has returned."""
    made = lives.api(lives.acme).post("/payments", pix()).json()["data"]["id"]
    address = f"/dashboard/{lives.acme.company.id}/sandbox/payments/?format=csv"
    sent = browser_of(a_member(lives.acme.company)).get(address)
    assert cells.current() == FIRST and made in b"".join(sent.streaming_content).decode()


def test_the_dashboard_shows_the_companys_own(lives: Lives) -> None:
    for shop in (lives.acme, lives.globex):
        lives.api(shop).post("/payments", pix())
        browser = browser_of(a_member(shop.company))
        page = browser.get(f"/dashboard/{shop.company.id}/sandbox/payments/").content.decode()
        with in_cell_of(shop.sandbox):
            assert Payment.objects.get().id in page
    assert rows("gateway_payment") == [0, 1, 1]
