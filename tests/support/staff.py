"""Staff before the admin, and one of everything to look at."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django_celery_beat.schedulers import ModelEntry

from accounts import notices
from accounts.base.clock import utcnow
from accounts.heartbeats import beat
from accounts.models import ApiKey, AuditEntry, Proposal, StuckWork, User
from accounts.proposals.kinds import KINDS
from gateway.celery import app
from gateway.methods.rail import Money
from gateway.models import (
    ApiRequest,
    BankAccount,
    BankLine,
    BankStatement,
    BatchAnswer,
    BatchOrder,
    Conversion,
    Customer,
    Dispute,
    IdempotencyKey,
    ImportedFile,
    LinePart,
    MethodRule,
    Payment,
    PaymentLink,
    PayoutBatch,
    ProviderAccount,
    ProviderMessage,
    ProviderRoute,
    RegistrationFile,
    SettlementDay,
    SettlementDifference,
    SettlementLine,
    SettlementReport,
    SuspenseItem,
    Withdrawal,
)
from gateway.payments.other_money import Cause
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.providers.disputes import DisputeReport, DisputeState
from gateway.refunds import services as refunds
from gateway.refunds.disputes.hearing import record
from gateway.requests import log
from gateway.staff.kit.columns import address as page_at
from gateway.suspense.holding import hold
from gateway.withdrawals.proposals import values_of
from ledger.holds import services as holds
from ledger.models import Account, Advance, AdvanceItem, Balance, Entry, Proof, Receivable, Transfer
from ledger.proofs.services import prove
from ledger.rates import services as rates
from ledger.receivables import advances
from tests.support import providers
from tests.support.api import Api
from tests.support.bank_accounts import a_bank_account, imported, line, statement
from tests.support.callbacks import about, sent
from tests.support.certificates import certificate, private_key
from tests.support.companies import Shop, a_shop
from tests.support.effort import tries
from tests.support.files_to_banks import pays_and_collects
from tests.support.forms import form_in
from tests.support.payment_links import a_link
from tests.support.payments import MARIA, a_payment, pix
from tests.support.people import PASSWORD, a_member, signed_in_twice
from tests.support.receivables import a_receivable
from tests.support.receiver import listening
from tests.support.settlements import an_adjustment
from tests.support.withdrawals import register, withdrawn
from webhooks.dispatch import deliver_due
from webhooks.models import Attempt, Delivery, Endpoint, Event

MONEY = [
    Payment,
    PaymentLink,
    Customer,
    Dispute,
    SuspenseItem,
    Withdrawal,
    Proposal,
    Conversion,
    ProviderMessage,
    ProviderRoute,
    SettlementReport,
    SettlementLine,
    SettlementDay,
    SettlementDifference,
    BankAccount,
    BankLine,
    BankStatement,
    ImportedFile,
    LinePart,
    PayoutBatch,
    BatchOrder,
    BatchAnswer,
    RegistrationFile,
    Account,
    Balance,
    Receivable,
    Advance,
    AdvanceItem,
    Transfer,
    Entry,
    Proof,
    Event,
    Delivery,
    Attempt,
    Endpoint,
    IdempotencyKey,
    ApiRequest,
    ApiKey,
    AuditEntry,
    StuckWork,
]


ROOT = "root@onpay.example"


ODD = [
    "'",
    '"',
    "\0",
    "%",
    "_",
    "\\",
    "pay_",
    "evt_'",
    "req_ZZZZZZZZZZ",
    "7" * 40,
    "é💶",
    "x" * 3000,
    "-1",
    str(uuid4()),
]


def some_odd(number: int) -> list[str]:
    """Four of them, others for the next number; at night all."""
    return [ODD[(number + 3 * step) % len(ODD)] for step in range(tries(4, len(ODD)))]


@dataclass(frozen=True)
class World:
    """One of everything, reached as merchants and staff reach it."""

    payment: Payment
    other: Payment
    key: str
    request_id: str
    secrets: list[str]


def _world(acme: Shop, globex: Shop) -> World:
    address, key = "10.255.0.1", str(uuid4())
    a_link(Api(globex.sandbox_key, address))
    api, globex_api = Api(acme.sandbox_key, address), Api(globex.sandbox_key, address)
    root = User.objects.create_superuser(ROOT, PASSWORD)
    with listening() as receiver:
        secret = api.post("/webhooks", {"url": receiver.url, "events": ["*"]}).json()["data"]["secret"]
        payer = MARIA | {"email": "Maria@Example.com"}
        created = api.post("/payments", pix(payer=payer, reference="Order 'A'\"1"), key=key)
        api.post(f"/simulations/payments/{created.json()['data']['id']}", {"status": "PAID"})
        deliver_due()
    other = a_payment(globex.sandbox, "PAID")
    _takes_money_out(globex, globex_api, address)
    _proposes_what_became_of_it(root)
    rates.enter("USD", Decimal("0.1834"), timedelta(hours=1), root, "The provider is away", confirmed=True)
    holds.place(globex.sandbox, "BRL", 100, "COMPLIANCE", note="An invoice is missing")
    refunds.create(globex.sandbox, other.id, amount=100)
    advances.request(globex.sandbox, [a_receivable(globex.sandbox).id], None)
    account = providers.active(certificate=certificate(90), private_key=private_key())
    providers.routed(account)
    sent(account, about(other.id))
    money = Money("E12345678202611220001abcdefghijk", Decimal("12.34"), "BRL")
    hold(ProviderAccount.objects.get(), money, Cause.UNKNOWN_CHARGE, utcnow(), method="PIX")
    record(ProviderAccount.objects.get(), DisputeReport("dp_1", "ch_1", Decimal("12.34"), "BRL", DisputeState.OPEN))
    an_adjustment(account)
    imported(a_bank_account(), statement(line("1.00"), opening="5.00"))
    initech = a_shop("Initech")
    pays_and_collects(initech, address)
    prove()
    beat("worker")
    beat("messages")
    beat("background")
    for name, entry in app.conf.beat_schedule.items():
        ModelEntry.from_entry(name, app=app, **entry)
    StuckWork.objects.create(kind="payment.expired", object_id=other.id, since=utcnow(), until=utcnow())
    _asks_to_be_verified(globex)
    notices.notify_owners(globex.company, "your company is verified", "verified", "home")
    log.flush()
    keys = [key for shop in (acme, globex, initech) for key in (shop.sandbox_key, shop.production_key)]
    return World(
        payment=Payment.objects.get(merchant=acme.sandbox),
        other=other,
        key=key,
        request_id=created["RequestId"],
        secrets=[
            secret,
            providers.PASSWORD,
            private_key(),
            *keys,
            *(hashlib.sha256(one.encode()).hexdigest() for one in keys),
            *_kept(),
        ],
    )


def _asks_to_be_verified(shop: Shop) -> None:
    """The owner hands in a page of paper, and invites somebody."""
    pages = f"/dashboard/{shop.company.pk}/sandbox/"
    owner = signed_in_twice(a_member(shop.company, email="papers@globex.example"))
    paper = SimpleUploadedFile("extract.pdf", b"%PDF-1.7")
    sent = {"once": str(uuid4()), "kind": "REGISTRATION", "file": paper}
    assert owner.post(f"{pages}verification/", sent).status_code == 302
    invited = {"once": str(uuid4()), "email": "nina@acme.example", "role": "VIEWER"}
    assert owner.post(f"{pages}team/invite", invited).status_code == 302


def _proposes_what_became_of_it(user: User) -> None:
    """Of a real one, as nobody outside would tell."""
    withdrawal = Withdrawal.objects.select_related("merchant__company").get()
    kind = KINDS["withdrawal.outcome"]
    values = values_of(PayoutOutcome(PayoutResult.DONE, reference="E1"))
    proposal = Proposal(
        kind=kind.name,
        object_id=withdrawal.pk,
        company=withdrawal.merchant.company,
        values=values,
        before=kind.before(withdrawal),
        note="The bank wrote",
        proposed_by=user,
    )
    proposal.digest = proposal.content_digest()
    proposal.save()


def _takes_money_out(shop: Shop, api: Api, address: str) -> None:
    """Five reais to a bank, and ten to another wallet."""
    register(shop, address)
    withdrawn(api, shop, amount=5)
    wallets = f"/companies/{shop.company.id}/wallets/conversions"
    wish = {"sourceMethod": "PIX", "destinationMethod": "SPEI", "sourceAmount": 10}
    token = api.post(f"{wallets}/quote", wish).json()["data"]["quoteToken"]
    assert api.post(f"{wallets}/confirm", {"quoteToken": token}).status_code == 201


def _kept() -> list[str]:
    """What the database keeps of secrets, sealed or hashed."""
    sealed = [
        *Endpoint.objects.values_list("sealed_secret", flat=True),
        *IdempotencyKey.objects.values_list("sealed_body", flat=True),
        *Withdrawal.objects.values_list("sealed_destination", flat=True),
        *ProviderAccount.objects.values_list("sealed_credentials", flat=True),
        *PayoutBatch.objects.values_list("sealed_file", flat=True),
        *RegistrationFile.objects.values_list("sealed_content", flat=True),
    ]
    fingerprints = IdempotencyKey.objects.values_list("fingerprint", flat=True)
    passwords = User.objects.values_list("password", flat=True)
    return [
        *(bytes(one).decode() for one in sealed if one),
        *(bytes(one).hex() for one in fingerprints if one),
        *passwords,
    ]


def support(*permissions: str) -> User:
    """Somebody of the staff who is no superuser."""
    user = User.objects.create_user("support@onpay.example", PASSWORD, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return user


def change(staff: Client, row: Any, as_shown: dict[str, str] | None = None, **members: str | None) -> dict[str, Any]:
    """Saves the row's page with other values, as it is shown now or was before; the complaints, by field."""
    where = page_at(type(row), "change", row.pk)
    sent = (as_shown or form_in(staff.get(where).content)) | members
    answer = staff.post(where, {name: value for name, value in sent.items() if value is not None})
    if answer.status_code == 302:
        return {}
    assert answer.status_code == 200, answer
    return dict(answer.context["adminform"].form.errors)


def everybodys(environment: str = "SANDBOX") -> MethodRule:
    return MethodRule.objects.get(merchant=None, environment=environment, method="PIX", currency="BRL")


LIFTED = {"note": "The court has ended it"}


def block(merchant_id: int, **members: str) -> dict[str, str]:
    return {
        "merchant": str(merchant_id),
        "currency": "BRL",
        "amount": "50.00",
        "reason": "LEGAL_ORDER",
        "case_number": "1/26",
        "note": "Order 1/26",
        "expected_release_at_0": "",
        "expected_release_at_1": "",
    } | members


PRICE = {
    "method": "PIX",
    "currency": "BRL",
    "advance_monthly_rate": "0",
    "percentage": "2",
    "fixed": "0.01",
    "settlement_days": "0",
}


def do(record: Any, name: str) -> str:
    return page_at(type(record), "change", record.pk).replace("/change/", f"/{name}/")
