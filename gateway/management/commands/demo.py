"""A demo company with ninety days of history, lived through the real services on its sandbox clock."""

import json
import random
import secrets
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts import clock, services
from accounts.models import Company, Merchant, User
from accounts.selectors import find_key
from gateway.conversions import services as conversions
from gateway.conversions.quotes import sign
from gateway.customers.payer import Payer
from gateway.local import home
from gateway.payments import services as payments
from gateway.payments.models import Status
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.gates import Wish
from ledger.money import to_decimal
from ledger.wallets.selectors import holdings

DAYS = 90
WEEK = 7 * 24
CENT = Decimal("0.01")
NAME = "Loja Exemplo"
STAFF = "staff@onpay.example"
PEOPLE = (
    ("Maria Silva", "52998224725"),
    ("João Pereira", "12345678909"),
    ("Ana Costa", "11144477735"),
    ("Pedro Almeida", "39053344705"),
    ("Padaria Central LTDA", "11222333000181"),
)


class Command(BaseCommand):
    help = "Creates the demo company once and writes its keys and logins to demo.json in the state folder."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.LOCAL:
            raise CommandError("The demo company is for a local service.")
        known = self._read()
        if known and find_key(known["sandboxApiKey"]):
            known |= self._addresses(known)
        else:
            known = self._make()
        home.folder().mkdir(parents=True, exist_ok=True)
        self._file().touch(mode=0o600)
        self._file().write_text(json.dumps(known, indent=2) + "\n")

    def _file(self) -> Path:
        return home.folder() / "demo.json"

    def _read(self) -> dict[str, Any]:
        try:
            return json.loads(self._file().read_text())  # type: ignore[no-any-return]
        except (OSError, ValueError):
            return {}

    def _addresses(self, known: dict[str, Any]) -> dict[str, Any]:
        """What depends on where the service answers now."""
        return {
            "baseUrl": settings.BASE_URL,
            "dashboard": known["dashboard"] | {"url": f"{settings.BASE_URL}/dashboard/"},
            "admin": known["admin"] | {"url": f"{settings.BASE_URL}/admin/"},
        }

    @transaction.atomic
    def _make(self) -> dict[str, Any]:
        company = Company(
            legal_name=f"{NAME} LTDA",
            trade_name=NAME,
            tax_id="11222333000181",
            tax_id_type="CNPJ",
            email="owner@lojaexemplo.example",
            phone="+551133334444",
            withdrawal_ip="127.0.0.1",
        )
        taken_on = services.take_on(company)
        live_through(taken_on.sandbox)
        password = secrets.token_urlsafe(12)
        User.objects.filter(email=STAFF).delete()
        User.objects.create_superuser(STAFF, password, first_name="Support")
        made = {
            "companyId": company.id,
            "sandboxApiKey": taken_on.sandbox_key,
            "productionApiKey": taken_on.production_key,
            "dashboard": {"email": taken_on.email, "password": taken_on.password},
            "admin": {"username": STAFF, "password": password},
        }
        return made | self._addresses(made)


def live_through(merchant: Merchant, days: int = DAYS, seed: int = 7) -> None:
    """Days of trade that end now: the merchant's clock starts in the past and only ever moves forward."""
    chance = random.Random(seed)
    for hours_ago in range(days * 24, 0, -6):
        _set_clock(merchant, timedelta(hours=-hours_ago))
        for _ in range(chance.choice((0, 0, 1, 1, 2))):
            _trade(merchant, chance, f"order-{chance.getrandbits(48):012x}")
        if hours_ago % WEEK == 6:
            _take_home(merchant, chance, f"wd-{chance.getrandbits(48):012x}")
        payments.expire_due()
    _set_clock(merchant, timedelta(0))


def _take_home(merchant: Merchant, chance: random.Random, reference: str) -> None:
    """Most of the week's money leaves, now and then for nobody, and a little goes to the other wallets."""
    available = to_decimal(holdings(merchant, "BRL").currencies["BRL"].available, "BRL")
    kept = (available * Decimal("0.7")).quantize(CENT)
    wish = Wish(
        company_id=merchant.company_id,
        rail="PIX",
        amount=Decimal(1901) if kept > 1901 and chance.random() < 0.2 else kept,
        currency="BRL",
        payout_currency="BRL",
        reference=reference,
        destination={"pixKey": "financeiro@lojaexemplo.com.br", "pixKeyType": "EMAIL"},
        is_from_backend=False,
    )
    withdrawal = withdrawals.create(merchant, wish)
    while withdrawals.first_due(merchant, clock.now(merchant) + timedelta(minutes=1)):
        withdrawals.happen(merchant, withdrawal.id)
    wanted = conversions.Wish("PIX", chance.choice(("SPEI", "MB_WAY")), (available / 20).quantize(CENT))
    conversions.confirm(merchant, sign(conversions.quote(merchant, wanted)))


def _set_clock(merchant: Merchant, offset: timedelta) -> None:
    merchant.clock_offset = offset
    Merchant.objects.filter(pk=merchant.pk).update(clock_offset=offset)


def _trade(merchant: Merchant, chance: random.Random, reference: str) -> None:
    name, tax_id = chance.choice(PEOPLE)
    payer = Payer(name=name, tax_id=tax_id, tax_id_type="CPF" if len(tax_id) == 11 else "CNPJ")
    amount = Decimal(chance.randint(990, 89_990)) / 100
    payment = payments.create(merchant, payments.Request("PIX", amount, "BRL", reference, payer))
    outcome = chance.choices((Status.PAID, Status.FAILED, None), weights=(88, 4, 8))[0]
    if outcome:
        payments.simulate(merchant, payment.id, outcome)
