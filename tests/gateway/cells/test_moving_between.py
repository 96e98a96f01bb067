"""What began before a company is moved ends after it: files, messages, cursors, keys, pages and forms find it there."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.base.clock import utcnow
from accounts.cells import CutOff, all_cells, in_cell_of
from accounts.models import Merchant
from gateway.bank_files.shapes import OrderAnswer, OrderOutcome
from gateway.boletos.tasks import sweep_boletos, write_registration_files
from gateway.payments.models import Payment
from gateway.payout_batches import answers
from gateway.payout_batches.models import BatchAnswer, BatchOrder
from gateway.payout_batches.tasks import sweep_batches
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.providers.models import ProviderAccount
from gateway.providers.tasks import sweep_provider_messages
from gateway.reconciliation import files as bank_files
from gateway.suspense import due as suspense_due
from gateway.suspense.models import SuspenseItem
from ledger.receivables.due import run_due as release_due
from tests.support import bank_accounts as bank
from tests.support import batches, boleto_bank, conversions, refunds
from tests.support.api import Api, another_address
from tests.support.callbacks import about, sent
from tests.support.checkout import opened
from tests.support.lives import GLOBEXES, Lives, moved, rows, violations
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.payment_links import LinkPage, a_link
from tests.support.payments import pix
from tests.support.people import a_member, browser_of
from tests.support.production import live
from tests.support.providers import connected, paid_out_by
from tests.support.scripted_provider import SCRIPT, rewritten
from tests.support.suspense import RETURNED, a_bank, arrived, balances, expired, look_again, ordered

pytestmark = pytest.mark.a_third_a_day

KEY = "6f1f3d0e-6a4c-4a52-9d0e-333333333333"


@pytest.fixture(autouse=True)
def all_is_right_afterwards(lives: Lives) -> Iterator[None]:
    """The books are proved on both sides, and nothing is left where the company was."""
    rewritten()
    yield
    assert violations() == [[], [], []]
    assert rows("gateway_payment")[1] == rows("ledger_entry")[1] == 0


def test_a_file_of_payouts_made_before_is_answered_afterwards(lives: Lives) -> None:
    account = batches.bank_account(batches.BY_CNAB, gathered_at="00:00")
    with in_cell_of(lives.acme.production):
        backend = with_real_money(lives.acme, another_address())
        paid_out_by(account)
        withdrawal = swept(accepted(backend, lives.acme, amount=25.50).pk)
    with all_cells():
        batches.handed_over(batches.released(account))
    order = BatchOrder.objects.get()
    moved(lives.acme, GLOBEXES)

    for _ in range(2):
        answers.store("a file", [account.pk], [OrderAnswer(order.number, OrderOutcome.PAID, None)], utcnow())
        sweep_batches()

    assert list(BatchAnswer.objects.order_by("pk").values_list("found", flat=True)) == ["APPLIED", "REPEATED"]
    assert rows("gateway_withdrawal WHERE status = 'COMPLETED'") == [0, 0, 1]
    assert rows(f"webhooks_event WHERE type = 'withdrawal.completed' AND object_id = '{withdrawal.pk}'") == [0, 0, 1]


def test_a_gathered_file_is_released_after_the_move(lives: Lives) -> None:
    account = batches.bank_account(batches.BY_CNAB, gathered_at="00:00")
    with in_cell_of(lives.acme.production):
        backend = with_real_money(lives.acme, another_address())
        paid_out_by(account)
        swept(accepted(backend, lives.acme, amount=25.50).pk)
    with all_cells():
        batch = batches.gathered(account)
    moved(lives.acme, GLOBEXES)
    with all_cells():
        assert batches.handed_over(batches.release(batch))
    assert rows("gateway_withdrawal WHERE sent_at IS NOT NULL AND sent_times = 1") == [0, 0, 1]


def test_a_boleto_told_before_is_paid_afterwards(lives: Lives) -> None:
    account = connected("bank-boletos", boleto_bank.CREDENTIALS, "BOLETO")
    live(lives.acme)
    branch = boleto_bank.Bank(account)
    made = boleto_bank.ordered(Api(lives.acme.production_key))
    write_registration_files()
    moved(lives.acme, GLOBEXES)
    for number, code in enumerate((boleto_bank.REGISTERED, boleto_bank.PAID, boleto_bank.PAID), 1):
        with all_cells():
            content = boleto_bank.returned([boleto_bank.Said(made["id"], code, 15000)], number)
        assert bank_files.fetched(branch.account, f"{number}.ret", content)
        sweep_boletos()
    assert rows("gateway_payment WHERE status = 'PAID'") == [0, 0, 1]
    assert rows("ledger_transfer WHERE kind = 'payment.paid'") == [0, 0, 1]


def test_a_message_of_the_bank_after_the_move_is_about_the_same_payment(lives: Lives) -> None:
    with in_cell_of(lives.acme.production):
        a_bank(lives.acme)
        payment = ordered(lives.acme)
    account = ProviderAccount.objects.get()
    assert sent(account, about(payment.pk)) == 200
    moved(lives.acme, GLOBEXES)
    SCRIPT.answers["ask"] = [arrived()]
    assert sent(account, about(payment.pk)) == 200
    sweep_provider_messages()
    assert rows("gateway_payment WHERE status = 'PAID'") == [0, 0, 1]
    assert rows("webhooks_event WHERE type = 'payment.paid'") == [0, 0, 1]


def test_money_in_suspense_is_given_back_while_its_company_moves(lives: Lives) -> None:
    with in_cell_of(lives.acme.production):
        script = a_bank(lives.acme, refund=[RETURNED])
        look_again(expired(lives.acme), script, arrived())
    SuspenseItem.objects.update(return_at=utcnow())
    SCRIPT.meanwhile = lambda: moved(lives.acme, GLOBEXES)
    with all_cells():
        suspense_due.run_due()
        suspense_due.run_due()
    assert SuspenseItem.objects.get().state == "RETURNED"
    assert [what for _, what, _ in SCRIPT.calls if "refund" in what] == ["refund"]
    with in_cell_of(lives.acme.production):
        assert balances(lives.acme) == {}


def test_a_line_of_the_bank_completes_a_withdrawal_that_has_moved(lives: Lives) -> None:
    with in_cell_of(lives.acme.production):
        backend = with_real_money(lives.acme, another_address())
        payer = ProviderAccount.objects.get()
        paid_out_by(payer)
        SCRIPT.answers["send"] = [PayoutOutcome(PayoutResult.SENT, reference="B-1")]
        withdrawal = swept(accepted(backend, lives.acme, amount=25.50).pk)
    account = bank.a_bank_account("ITAU-BRL-1", payer)
    moved(lives.acme, GLOBEXES)
    with all_cells():
        line = bank.line("-25.50", text=f"PIX {withdrawal.pk}")
        bank.imported(account, bank.statement(line, opening="1000.00"))
    assert [(one.state, one.kind) for one in bank.lines_of(account)] == [("EXPLAINED", "WITHDRAWAL")]
    assert rows("gateway_withdrawal WHERE status = 'COMPLETED'") == [0, 0, 1]


def test_a_key_used_before_is_replayed_and_its_reference_is_taken(lives: Lives) -> None:
    api, order = lives.api(lives.acme), pix(reference="order-1")
    before = api.post("/payments", order, key=KEY)
    moved(lives.acme, GLOBEXES)
    after = api.post("/payments", order, key=KEY)
    assert (after.status_code, after.content) == (201, before.content) and after["Idempotent-Replayed"] == "true"
    assert api.post("/payments", order | {"amount": 11}, key=KEY).status_code == 409
    assert api.post("/payments", order).json()["onpayCode"] == "ONP409_DUPLICATE_REFERENCE"
    assert rows("gateway_payment") == [0, 0, 1]


def test_a_list_goes_on_after_its_cursor(lives: Lives) -> None:
    api = lives.api(lives.acme)
    for number in range(4):
        refunds.paid(api, reference=f"order-{number}")
    wanted = [one["id"] for one in api.get("/payments").json()["data"]]
    first = api.get("/payments", pageSize=2).json()["data"]
    moved(lives.acme, GLOBEXES)
    rest = api.get("/payments", pageSize=2, after=first[-1]["id"]).json()["data"]
    assert [one["id"] for one in [*first, *rest]] == wanted and len(first) == len(rest) == 2


def test_a_quote_is_confirmed_a_dispute_answered_and_a_sale_released(lives: Lives) -> None:
    api, shop = lives.api(lives.acme), lives.acme
    with in_cell_of(shop.sandbox):
        conversions.fund(shop)
    quote = conversions.quoted(api, shop)
    dispute = refunds.disputed(api, refunds.paid(api))
    refunds.paid(api, "CREDIT_CARD", reference="card-1", returnUrl="https://shop.example/back")
    sold = rows("ledger_receivable WHERE state = 'SCHEDULED'")[1]
    assert sold > 0

    moved(shop, GLOBEXES)

    token = next(value for name, value in quote.items() if "oken" in name)
    assert conversions.confirm(api, shop, token).status_code == 201
    assert refunds.answered(api, dispute, "ACCEPT").status_code in (200, 201)
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=timedelta(days=40))
    with in_cell_of(shop.sandbox):
        release_due()
    assert rows("ledger_receivable WHERE state = 'SCHEDULED'") == [0, 0, 0]


@contextmanager
def moving_before(statement: str, lives: Lives) -> Iterator[None]:
    """The company is moved just before the first statement with these words."""
    left = [GLOBEXES]

    def first_move(execute: Any, sql: str, *given: Any) -> Any:
        if left and statement in sql:
            moved(lives.acme, left.pop())
        return execute(sql, *given)

    with connection.execute_wrapper(first_move):
        yield
    assert not left


def test_a_payers_form_opened_before_is_sent_afterwards(lives: Lives) -> None:
    page = opened(lives.api(lives.acme))
    link = LinkPage(_a_link(lives))
    assert page.open().status_code == 200 and Client().get(link.path).status_code == 200
    moved(lives.acme, GLOBEXES)
    assert page.pay().status_code == 303
    assert Client().get(link.path).status_code == 200
    assert rows("gateway_payment WHERE status = 'PAID'") == [0, 0, 1]


def _a_link(lives: Lives) -> Any:
    with in_cell_of(lives.acme.sandbox):
        return a_link(lives.api(lives.acme))


def test_a_payers_form_in_the_moment_of_the_move_can_be_sent_again(lives: Lives) -> None:
    page = opened(lives.api(lives.acme))
    with moving_before('FROM "gateway_payment"', lives):
        answer = page.pay()
    assert (answer.status_code, "Retry-After" in answer) == (503, True)
    assert rows("gateway_payment WHERE status = 'PAID'") == [0, 0, 0]
    assert page.pay().status_code == 303
    assert rows("gateway_payment WHERE status = 'PAID'") == [0, 0, 1]


def test_a_form_of_the_dashboard_in_the_moment_of_the_move_can_be_sent_again(lives: Lives) -> None:
    lives.api(lives.acme).post("/payments", pix())
    with in_cell_of(lives.acme.sandbox):
        payment = Payment.objects.get()
    browser = browser_of(a_member(lives.acme.company))
    browser.raise_request_exception = False
    form = f"/dashboard/{lives.acme.company.id}/sandbox/payments/{payment.pk}/simulate"
    Merchant.objects.filter(company=lives.acme.company).update(moving_since=utcnow())
    with moving_before("FROM gateway_payment", lives):
        answer = browser.post(form, {"status": "PAID"})
    assert answer.status_code == 503, answer.content
    assert rows("gateway_payment WHERE status = 'PENDING'") == [0, 0, 1]


def test_a_file_that_is_being_sent_breaks_off_and_never_ends_as_if_it_were_whole(lives: Lives) -> None:
    for number in range(3):
        lives.api(lives.acme).post("/payments", pix(reference=f"order-{number}"))
    address = f"/dashboard/{lives.acme.company.id}/sandbox/payments/?format=csv"
    browser = browser_of(a_member(lives.acme.company))
    sent = browser.get(address).streaming_content
    assert b"order" not in next(sent), "the names of the columns"
    moved(lives.acme, GLOBEXES)
    with pytest.raises(CutOff):
        list(sent)
    assert b"".join(browser.get(address).streaming_content).count(b"order-") == 3


def test_a_dashboard_and_a_page_of_staff_go_on(lives: Lives, people: list[Client]) -> None:
    made = lives.api(lives.acme).post("/payments", pix()).json()["data"]["id"]
    member = browser_of(a_member(lives.acme.company))
    pages = (
        (member, f"/dashboard/{lives.acme.company.id}/sandbox/payments/{made}/"),
        (people[0], f"/admin/gateway/payment/{made}/change/"),
    )
    before = [browser.get(page).status_code for browser, page in pages]
    moved(lives.acme, GLOBEXES)
    assert [browser.get(page).status_code for browser, page in pages] == before == [200, 200]
