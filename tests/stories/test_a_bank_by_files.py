"""Money leaves by files of banks: asked for, approved, released by two people, answered, and found in statements."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from febraban.cnab240.itau.sispag.result.parser import PaymentParser

from accounts.base.clock import utcnow
from accounts.models import ApiKey, User
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments.models import Payment
from gateway.payout_batches import due as answers
from gateway.payout_batches.models import BatchAnswer, BatchOrder, PayoutBatch
from gateway.providers.models import ProviderAccount
from gateway.reconciliation.models import BankAccount, ImportedFile
from gateway.refunds import due as refunds
from gateway.refunds.models import Refund
from ledger.verify import verify
from tests.support import bank_accounts
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.approvals import age, an_approver, approve, set_rules, the_owner
from tests.support.bank_orders import answered
from tests.support.batches import BY_CNAB, bank_account
from tests.support.companies import Shop
from tests.support.paying_out import swept, with_real_money
from tests.support.people import PASSWORD, browser_of
from tests.support.proposals import action, confirmed, proposed
from tests.support.providers import paid_out_by
from tests.support.scripted_provider import SCRIPT, rewritten
from tests.support.staff_overview import cells
from tests.support.statements import extract
from webhooks.models import Event

pytestmark = pytest.mark.parametrize("role", ["service"], indirect=True)


@pytest.fixture
def people(settings: Any) -> list[Client]:
    """Two of staff, before pages without their sidebar."""
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
    settings.UNFOLD = settings.UNFOLD | {"SIDEBAR": {"navigation": [{"title": "Sidebar", "items": []}]}}
    names = ("finance@onpay.example", "operator@onpay.example")
    return [browser_of(User.objects.create_superuser(name, PASSWORD)) for name in names]


@pytest.fixture
def shop(acme: Shop, address: str) -> Api:
    """It has been paid 10,000.00, gave 50.00 of them back, and whatever it withdraws is approved by another key."""
    rewritten()
    api = with_real_money(acme, address)
    SCRIPT.answers |= {"refund": [PaymentOutcome(PaymentResult.DONE, reference="E0R")]}
    assert api.post(f"/payments/{Payment.objects.get().pk}/refunds", {"amount": 50.00}).status_code == 201
    Refund.objects.update(ask_at=utcnow() - timedelta(minutes=1))
    refunds.run_due()
    assert Refund.objects.get().status == "COMPLETED"
    return api


@pytest.fixture
def approver(acme: Shop, address: str) -> Api:
    owner = the_owner(acme)
    made = an_approver(acme, address, by=owner, merchant=acme.production)
    age(*ApiKey.objects.filter(merchant=acme.production), *owner.memberships.all())
    set_rules(acme.production, owner, people=1, above={"BRL": 0}, keys=True)
    return made


def ask(shop: Shop, api: Api, approver: Api, *amounts: float) -> list[str]:
    """Withdrawals that wait for a file, once another key has approved them; nothing of them before."""
    asked = [w.withdrawn(api, shop, amount=amount) for amount in amounts]
    assert [one["approval"]["state"] for one in asked] == ["PENDING"] * len(asked)
    assert {swept(one["id"]).queued_at for one in asked} == {None}
    for one in asked:
        assert approve(approver, one).status_code == 201
        assert swept(one["id"]).queued_at
    return [one["id"] for one in asked]


def file_of(people: list[Client], payer: ProviderAccount) -> bytes:
    """Gathered by one, released by both, downloaded once."""
    one, other = people
    sent = {"way": f"{payer.pk}:BRL", "pay_on": f"{utcnow():%Y-%m-%d}", "note": "The file at ten"}
    one.post("/admin/gateway/payoutbatch/gather/", sent)
    batch = PayoutBatch.objects.latest("created_at")
    confirmed(other, proposed(one, batch, "release"))
    return bytes(one.post(action(batch, "download"), {"note": "To the bank"}).content)


def given(people: list[Client], account: BankAccount, name: str, content: bytes) -> None:
    """What the bank gave is uploaded by one and confirmed by the other, who sees its sums."""
    one, other = people
    sent = {"account": account.code, "file": SimpleUploadedFile(name, content), "note": "Of today"}
    one.post("/admin/gateway/importedfile/upload/", sent)
    file = ImportedFile.objects.get(name=name)
    confirmed(other, proposed(one, file, "propose"))
    bank_accounts.sweep()
    answers.run_due()
    file.refresh_from_db()
    assert file.state == "TAKEN", file.failure


def now(api: Api, withdrawal_id: str) -> tuple[str, str | None]:
    found = w.looked_up(api, withdrawal_id)
    return found["status"], found["endToEndId"]


def test_the_books_equal_the_closing_balance(acme: Shop, shop: Api, approver: Api, people: list[Client]) -> None:
    payer = bank_account(BY_CNAB)
    paid_out_by(payer)
    account = bank_accounts.a_bank_account("ITAU-BRL-1", payer, ProviderAccount.objects.exclude(pk=payer.pk).get())
    first, second = ask(acme, shop, approver, 10, 25.50)
    sent = file_of(people, payer)
    numbers = dict(BatchOrder.objects.values_list("withdrawal", "number"))
    read = PaymentParser.parseText(f"{sent.decode()}\r\n")
    assert {one.identifier: one.amountInCents for one in read} == {numbers[first]: 1000, numbers[second]: 2550}

    given(people, account, "early.ret", answered(sent, {numbers[first]: "00", numbers[second]: "BS"}))
    assert now(shop, first) == ("COMPLETED", None), "the bank's own id is none of PIX"
    assert now(shop, second) == ("PROCESSING", None)
    assert sorted(BatchAnswer.objects.values_list("found", flat=True)) == ["APPLIED", "NOTED"]
    told = [json.loads(bytes(one.body)) for one in Event.objects.filter(type="withdrawal.completed")]
    assert [(one["data"]["id"], one["data"]["endToEndId"]) for one in told] == [(first, None)]

    refund = Refund.objects.get()
    amounts = ("1000000C", "5000D", "1000D", "2550D", "333D")
    texts = ("E0", refund.pk.removeprefix("ref_"), numbers[first], numbers[second], "MYSTERY")
    lines = extract("0C", "991117C", *amounts, debits="8883", credits="1000000", bank="341", texts=texts)
    given(people, account, "extrato.ret", "\r\n".join(lines).encode())

    explained = ["PAYMENT", "REFUND", "WITHDRAWAL", "WITHDRAWAL", ""]
    assert [one.kind for one in bank_accounts.lines_of(account)] == explained
    assert now(shop, second)[0] == "COMPLETED"
    assert (bank_accounts.booked(account), verify()) == (991117, [])
    one, other = people
    confirmed(other, proposed(one, bank_accounts.lines_of(account)[-1], "explain", meaning="BANK_FEE", target=""))
    assert (bank_accounts.booked(account), verify()) == (991117, [])
    ((row,),) = cells(one.get("/admin/ledger/proof/").context["banks"]).values()
    assert [cell.replace("BRL", "").strip() for cell in row[2:5]] == ["9,911.17", "9,911.17", "0.00"]
