"""A company with a little history, and the staff that supports it: what both desks work on all day."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from accounts import services, verification
from accounts.audit import Actor
from accounts.base.clock import now, utcnow
from accounts.company import register_address
from accounts.models import Company, Document, User
from accounts.roles import Role
from gateway.months import calendar
from gateway.refunds import services as refunds
from gateway.refunds.models import Response
from gateway.refunds.reasons import ReasonCode
from gateway.simulations.services import advance
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.rules import services as rules
from gateway.withdrawals.rules.content import Rules
from ledger.receivables import advances
from tests.support.companies import Shop, a_shop
from tests.support.people import a_member, a_person
from tests.support.receivables import a_receivable, stand_at
from tests.support.sales import card, order, sale
from webhooks.models import Delivery, Endpoint
from webhooks.services import register

FINANCE, OWNER, STAFF = "fina@acme.example", "olga@acme.example", "staff@onpay.example"
PAPER = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%%EOF\n"
SUPPLIER = {"pixKey": "papel@fornecedor.example", "pixKeyType": "EMAIL"}


@dataclass(frozen=True)
class Desks:
    """The company, whose Fina works in finance, and which waits for answers of support."""

    shop: Shop
    last_month: str
    """As a label: "2026-10"."""


def a_company_at_work() -> Desks:
    shop = a_shop("Acme")
    owner, fina = a_member(shop.company, email=OWNER), a_member(shop.company, Role.FINANCE, FINANCE)
    staff = a_person(STAFF, is_staff=True, is_superuser=True)
    last_month = _two_months(shop)
    _money_out(shop, owner, fina)
    _today(shop, fina)
    register_address(Actor(staff), shop.company, "8.8.4.4", by_staff=True, note="Ticket 4711")
    _an_endpoint_that_was_switched_off(shop)
    _another_company_to_verify(owner)
    return Desks(shop, last_month)


def _two_months(shop: Shop) -> str:
    """One sale in the month before last, two of another method in the last one."""
    sandbox, present = shop.sandbox, now(shop.sandbox)
    this = calendar.first_day(sandbox, present)
    last = calendar.first_day(sandbox, calendar.begin(sandbox, this) - timedelta(days=3))
    before = calendar.first_day(sandbox, calendar.begin(sandbox, last) - timedelta(days=3))
    stand_at(sandbox, calendar.begin(sandbox, before) + timedelta(days=9))
    sale(sandbox, "400.00")
    advance(sandbox, to=calendar.begin(sandbox, last) + timedelta(days=9))
    sale(sandbox, "310.40")
    card(sandbox, "89.60")
    advance(sandbox, to=present)
    return f"{last:%Y-%m}"


def _money_out(shop: Shop, owner: User, fina: User) -> None:
    """One withdrawal arrived; a larger one waits until somebody approves it."""
    sale(shop.sandbox, "5000.00")
    done = _withdraw(shop, owner, "150.25")
    withdrawals.simulate(shop.sandbox, done.pk, "COMPLETED")
    rules.propose(Actor(owner), shop.sandbox, Rules(people=1, above={"BRL": 100_000}))
    _withdraw(shop, owner, "1250.75")


def _withdraw(shop: Shop, by: User, amount: str) -> Withdrawal:
    draft = WithdrawalDraft(
        company_id=shop.company.pk,
        rail="PIX",
        amount=Decimal(amount),
        currency="BRL",
        payout_currency="BRL",
        reference=f"paper-{amount}",
        destination=SUPPLIER,
        requester=Requester.of_person(by),
        is_from_backend=False,
    )
    return withdrawals.create(shop.sandbox, draft)


def _today(shop: Shop, fina: User) -> None:
    """A payment that waits, one to give back, two disputes, and money that is on its way."""
    sandbox = shop.sandbox
    order(sandbox, "475.88")
    sale(sandbox, "642.17")
    advances.request(sandbox, [a_receivable(sandbox).pk], fina)
    a_receivable(sandbox, "300.00")
    for amount in ("77.31", "98.42"):
        paid = sale(sandbox, amount)
        said = {"reason_code": ReasonCode.NOT_RECEIVED, "statement": "It never came."}
        asked = refunds.simulate_dispute(sandbox, paid.pk, **said)
    contest = {"message": "Delivered and signed for.", "answered_by": Response.AnsweredBy.DASHBOARD, "person": fina}
    refunds.respond(sandbox, asked.pk, Response.Answer.CONTEST, evidence=(), **contest)


def _an_endpoint_that_was_switched_off(shop: Shop) -> None:
    endpoint, _ = register(shop.sandbox, "https://shop.example/hook", ["*"], "Shop")
    sale(shop.sandbox, "55.10")
    Delivery.objects.filter(endpoint=endpoint).update(status="FAILED", next_attempt_at=None, http_status=500)
    Endpoint.objects.filter(pk=endpoint.pk).update(status="DISABLED", disabled_reason="FAILURES", failures=99)
    register(shop.sandbox, "https://accounting.example/hook", ["*"], "Accounting")


def _another_company_to_verify(owner: User) -> None:
    facts = {"legal_name": "Globex SA de CV", "trade_name": "Globex", "country": "MX", "email": owner.email}
    company = Company(tax_id="GODE561231GR8", tax_id_type="RFC", production_asked_at=utcnow(), **facts)
    services.register(company)
    services.add_member(company, owner.email, None, Role.OWNER)
    for kind in verification.NEEDED:
        Document.objects.create(
            company=company,
            kind=kind,
            file_name=f"{kind.lower()}.pdf",
            content_type="application/pdf",
            size=len(PAPER),
            content=PAPER,
            handed_in_by=owner,
        )
