"""Ninety days of a shop's history, created with the real services on its sandbox clock."""

import random
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from accounts.base import clock
from accounts.models import Merchant, User
from gateway.conversions import services as conversions
from gateway.conversions.quotes import sign
from gateway.customers.payer import Payer
from gateway.demo.statements import statement
from gateway.evidence.models import AutomaticEvidence
from gateway.payments import cards
from gateway.payments import services as payments
from gateway.payments.models import Payment, Status
from gateway.refunds import services as refunds
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import Response
from gateway.refunds.reasons import ReasonCode
from gateway.simulations.services import advance
from gateway.vault import services as vault
from gateway.vault.cards import Secret
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from ledger.holds import services as holds
from ledger.holds.models import Reason
from ledger.money import to_decimal
from ledger.receivables import advances
from ledger.receivables.models import Advance, Receivable, State
from ledger.wallets.selectors import holdings

DAYS = 90
STEP = timedelta(hours=6)
CENT = Decimal("0.01")
ADDRESS = {
    "street": "Rua das Flores",
    "number": "10",
    "complement": None,
    "district": "Centro",
    "city": "São Paulo",
    "state": "SP",
    "postalCode": "01001000",
    "country": "BR",
}
PEOPLE = (
    ("Maria Silva", "52998224725", "maria@example.com"),
    ("João Pereira", "12345678909", "joao@example.com"),
    ("Ana Costa", "11144477735", "ana@example.com"),
    ("Pedro Almeida", "39053344705", "pedro@example.com"),
    ("Padaria Central LTDA", "11222333000181", "compras@padariacentral.example"),
)
ABROAD = {
    "SPEI": ("Juan Pérez", None, None, "juan@example.com", None),
    "MB_WAY": ("Rita Sousa", None, None, "rita@example.com", "+351912344567"),
    "BANK_TRANSFER": ("Ana Gómez", "20123456786", "CUIT", "gomez@example.com", None),
    "PSE": ("Carlos Vives", "1018760936", "CC", "carlos@example.com", "+573001234567"),
}
APPROVED = "4242424242424242"
DECLINED = ("4000000000009995", "4000000000009995", "4000000000000002", "4000000000000069")
"""Cards that are declined, most often for insufficient funds."""


class DemoMethod(NamedTuple):
    """A payment method with its share, and the range of amounts in whole units."""

    method: str
    currency: str
    weight: int
    least: int
    most: int


WAYS = (
    DemoMethod("PIX", "BRL", 55, 20, 899),
    DemoMethod("CREDIT_CARD", "BRL", 20, 50, 899),
    DemoMethod("BOLETO", "BRL", 8, 50, 899),
    DemoMethod("SPEI", "MXN", 6, 200, 899),
    DemoMethod("MB_WAY", "EUR", 5, 10, 89),
    DemoMethod("BANK_TRANSFER", "ARS", 3, 10_000, 89_000),
    DemoMethod("PSE", "COP", 3, 50_000, 890_000),
)


class Life:
    """Simulates one merchant with a seeded random generator."""

    def __init__(self, merchant: Merchant, staff: User, owner: User, seed: int = 7) -> None:
        self.merchant, self.staff, self.owner = merchant, staff, owner
        self.chance = random.Random(seed)

    def live(self, days: int = DAYS) -> None:
        """Simulates a number of days up to now: the clock starts in the past and only moves forward."""
        self._begin(days)
        for tick in range(days * 4):
            for _ in range(self.chance.choice((0, 1, 1, 1, 2, 3))):
                self._make_payment()
            if tick % 28 == 27:
                self._move_money_out()
            advance(self.merchant, by=STEP)
        self._leave_open_work()

    def _begin(self, days: int) -> None:
        self.merchant.clock_offset = timedelta(days=-days)
        Merchant.objects.filter(pk=self.merchant.pk).update(clock_offset=self.merchant.clock_offset)

    def _name(self, kind: str) -> str:
        return f"{kind}-{self.chance.getrandbits(40):010x}"

    # ── Payments ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _make_payment(self) -> None:
        way = self.chance.choices(WAYS, weights=[way.weight for way in WAYS])[0]
        payment = self._order(way)
        outcome = self.chance.choices((Status.PAID, Status.FAILED, None), weights=(88, 4, 8))[0]
        if way.method == "CREDIT_CARD":
            self._type_card(payment, outcome)
        elif outcome:
            payment = payments.simulate(self.merchant, payment.id, outcome)
        payment.refresh_from_db()
        if payment.status == Status.PAID and way.currency == "BRL":
            self._maybe_refund(payment)

    def _order(self, way: DemoMethod) -> Payment:
        now = clock.now(self.merchant)
        cents = Decimal(self.chance.randint(way.least * 100, way.most * 100)) / 100
        is_card = way.method == "CREDIT_CARD"
        reference, payer = self._name("order"), self._payer(way)
        is_invoice = way.method == "BOLETO" or (way.method == "PIX" and payer.tax_id_type == "CNPJ")
        wanted = payments.Request(
            method=way.method,
            amount=cents,
            currency=way.currency,
            reference=reference,
            payer=payer,
            due_date=(now + timedelta(days=5)).date() if is_invoice else None,
            return_url="https://lojaexemplo.com.br/pedido" if is_card or way.method == "PSE" else None,
            save_payment_method=is_card and self.merchant.card_tokens_enabled,
        )
        return payments.create(self.merchant, wanted)

    def _payer(self, way: DemoMethod) -> Payer:
        if way.method in ABROAD:
            name, tax_id, kind, email, phone = ABROAD[way.method]
            return Payer(name=name, tax_id=tax_id, tax_id_type=kind, email=email, phone=phone)
        name, tax_id, email = self.chance.choice(PEOPLE)
        kind = "CPF" if len(tax_id) == 11 else "CNPJ"
        return Payer(name=name, tax_id=tax_id, tax_id_type=kind, email=email, address=ADDRESS)

    def _type_card(self, payment: Payment, outcome: Status | None) -> None:
        """Enters the card on the payment page. Some payers leave before."""
        if outcome is None:
            return
        now = clock.now(self.merchant)
        number = Secret(_card_number(payment, outcome))
        cvc = Secret(self.chance.choice(("123", "123", "123", "902")))
        token, _ = vault.tokenize(payment.id, number=number, month=12, year=now.year + 3, cvc=cvc, now=now)
        cards.confirm(payment, token)

    # ── What comes back ───────────────────────────────────────────────────────────────────────────────────────────
    def _maybe_refund(self, payment: Payment) -> None:
        happens = self.chance.random()
        if self._available() < 2 * to_decimal(payment.amount, "BRL"):
            return
        if happens < 0.05:
            part = payment.amount // 2 if self.chance.random() < 0.5 else None
            reason, reference = "One of the items is out of stock", self._name("refund")
            refunds.create(self.merchant, payment.id, amount=part, reason=reason, reference=reference)
        elif happens < 0.07:
            asked = self._dispute(payment, ReasonCode.NOT_RECEIVED, "not_arrived")
            answer = self.chance.choice((Response.Answer.ACCEPT, Response.Answer.CONTEST))
            self._answer(asked, answer)
            if answer == Response.Answer.CONTEST:
                decision = self.chance.choice((RefundAction.FOR_COMPANY, RefundAction.FOR_PAYER))
                refunds.decide(self.merchant, asked, decision, note="Decided on the evidence.")
        elif happens < 0.08 and payment.method == "PIX":
            self._answer(self._claim(payment, ReasonCode.ACCOUNT_TAKEOVER), Response.Answer.ACCEPT)

    def _dispute(self, payment: Payment, code: str, about: str) -> str:
        said = statement(about, self.merchant.company.country)
        asked = refunds.simulate_dispute(self.merchant, payment.id, reason_code=code, statement=said)
        return asked.id

    def _claim(self, payment: Payment, code: str, about: str = "") -> str:
        said = statement(about, self.merchant.company.country) if about else None
        return refunds.simulate_claim(self.merchant, payment.id, reason_code=code, statement=said).id

    def _answer(self, refund_id: str, answer: str) -> None:
        refunds.respond(
            self.merchant,
            refund_id,
            answer,
            message="Delivered, and signed for by the payer.",
            evidence=[refunds.Shown(url="https://lojaexemplo.com.br/entregas/1042", description="Delivery")]
            if answer == Response.Answer.CONTEST
            else (),
            answered_by=Response.AnsweredBy.DASHBOARD,
            person=self.owner,
        )

    # ── Money out ─────────────────────────────────────────────────────────────────────────────────────────────────
    def _move_money_out(self) -> None:
        """Withdraws half of the balance, sometimes to an invalid destination, and converts a little."""
        available = self._available()
        self._withdraw((available * 3 / 4).quantize(Decimal(1)) + CENT)
        if self.chance.random() < 0.3 and available > 12_000:
            self._withdraw(Decimal(1901))  # the scenario of a bank that rejects the payout
        source = (available / 20).quantize(CENT)
        quoted = conversions.quote(
            self.merchant, conversions.ConversionDraft("PIX", self.chance.choice(("SPEI", "MB_WAY")), source)
        )
        conversions.confirm(self.merchant, sign(quoted))
        if asked := self._request_advance(self.chance.choice((0, 0, 3))):
            advances.approve(asked.id, self.staff, "Good history.")

    def _available(self) -> Decimal:
        return to_decimal(holdings(self.merchant, "BRL").currencies["BRL"].available, "BRL")

    def _withdraw(self, amount: Decimal) -> None:
        draft = WithdrawalDraft(
            company_id=self.merchant.company_id,
            rail="PIX",
            amount=amount,
            currency="BRL",
            payout_currency="BRL",
            reference=self._name("wd"),
            destination={"pixKey": "financeiro@lojaexemplo.com.br", "pixKeyType": "EMAIL"},
            requester=Requester.of_person(self.owner),
            is_from_backend=False,
        )
        withdrawals.create(self.merchant, draft)

    def _request_advance(self, most: int) -> Advance | None:
        rows = Receivable.objects.filter(merchant=self.merchant, currency="BRL", state=State.SCHEDULED)
        waiting = list(rows.filter(release_at__gt=clock.now(self.merchant)).order_by("-release_at"))
        chosen = waiting[: min(most, len(waiting) // 2)]
        return advances.request(self.merchant, [one.pk for one in chosen], self.owner) if chosen else None

    # ── What is to be done today ──────────────────────────────────────────────────────────────────────────────────
    def _leave_open_work(self) -> None:
        """Leaves open disputes, an advance to decide, holds, and pending payments."""
        paid = Payment.objects.filter(merchant=self.merchant, status=Status.PAID, currency="BRL", refunded_amount=0)
        undisputed = paid.exclude(refunds__isnull=False).order_by("-paid_at").select_related("merchant__company")
        first, second, third, fourth = undisputed.filter(method="PIX")[:4]
        self._dispute(first, ReasonCode.NOT_RECEIVED, "not_arrived")
        self._dispute(second, ReasonCode.DUPLICATE, "twice")
        self._answer(self._dispute(third, ReasonCode.NOT_AS_DESCRIBED, "color"), Response.Answer.CONTEST)
        self._claim(fourth, ReasonCode.SCAM, "scam")
        AutomaticEvidence.objects.get_or_create(merchant=self.merchant, defaults={"enabled_by": self.owner})
        if card := undisputed.filter(method="CREDIT_CARD").first():
            self._dispute(card, ReasonCode.UNRECOGNIZED, "unknown")
        self._request_advance(4)
        holds.place(self.merchant, "BRL", 50_00, Reason.COMPLIANCE, by=self.staff, note="Invoice of a sale is missing.")
        holds.place(
            self.merchant,
            "BRL",
            20_00,
            Reason.LEGAL_ORDER,
            by=self.staff,
            note="Order of a court, by letter.",
            case_number="0001234-56.2026.8.26.0100",
        )
        for way in WAYS[:4]:
            self._order(way)


def _card_number(payment: Payment, outcome: Status) -> str:
    """Besides those that are to fail, one in eight is declined."""
    drawn = int(payment.reference[-2:], 16)
    return APPROVED if outcome == Status.PAID and drawn % 8 else DECLINED[drawn // 8 % len(DECLINED)]
