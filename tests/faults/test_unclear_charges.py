"""Ten thousand charges at two institutions that misbehave: none twice, none lost, all certain by their deadline."""

import os
import time
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import MethodRefusal
from accounts.models import Company, Merchant
from gateway.customers.payer import Payer
from gateway.methods.models import MethodRule
from gateway.payments import due, questions, services
from gateway.payments.models import UNDECIDED, Payment
from gateway.providers import accounts, routes
from gateway.providers.models import ProviderAccount
from gateway.providers.routes import Place, RouteKey
from tests.support import charging_bank
from tests.support.charging_bank import ChargingProvider, Killed, World, begun, naive
from tests.support.companies import a_shop
from tests.support.production import TIMES
from tests.support.providers import NOTE, confirms, enters
from tests.support.service import KILLS

pytestmark = pytest.mark.django_db(transaction=True)

CHARGES = min(10_000, 200 * KILLS)
SEED = int(os.environ.get("SEED") or 2380)
STEP, STEPS = timedelta(minutes=30), 4 * 48
BANKS = ("first", "second")
ORDER = services.Request(
    "PIX", Decimal(150), "BRL", "", Payer(name="Maria Silva", tax_id="52998224725", tax_id_type="CPF")
)


@pytest.fixture
def nothing_is_wrong_afterwards() -> None:
    """The whole service is not needed here."""


@pytest.fixture
def merchant(settings: Any) -> Merchant:
    settings.PROVIDER_MODULES = [charging_bank.MODULE]
    shop = a_shop()
    Company.objects.filter(pk=shop.company.pk).update(status=Company.Status.ACTIVE)
    MethodRule.objects.filter(environment="PRODUCTION", method="PIX").update(enabled=True)
    routes.set_route(Actor(confirms()), RouteKey("PIX", "BRL", None), [Place(an_account(bank)) for bank in BANKS], NOTE)
    return Merchant.objects.select_related("company").get(pk=shop.production.pk)


def an_account(bank: str) -> ProviderAccount:
    new = accounts.NewAccount(ChargingProvider.name, bank, "PRODUCTION", None)
    account = accounts.check(Actor(enters()), accounts.enter(Actor(enters()), new, {"bank": bank}, NOTE))
    accounts.activate(Actor(confirms()), account, NOTE)
    return account


def charge(merchant: Merchant, number: int) -> None:
    """As POST /payments does it; the client does not repeat a request that was not answered."""
    payment = services.create(merchant, replace(ORDER, reference=f"order-{number}"))
    try:
        first = questions.ask(payment)
    except (MethodRefusal, Killed):
        return
    questions.answer(merchant, first)


def let_time_pass(world: World) -> None:
    """Half an hour later; providers' messages come early, late and twice, and a process dies now and then."""
    world.advance(STEP)
    still_open = Payment.objects.filter(status__in=UNDECIDED)
    still_open.update(**{name: F(name) - STEP for name in TIMES})
    hinted = [pk for pk in still_open.values_list("pk", flat=True) if world.chance.random() < 0.05]
    still_open.filter(pk__in=hinted).update(ask_at=utcnow())
    while True:
        try:
            if not due.run_due():
                return
        except Killed:
            continue


def truth(world: World, our_id: str) -> Counter[str]:
    return Counter({bank: book.charged[our_id] for bank, book in world.books.items() if book.charged[our_id]})


def test_no_charge_is_made_twice_lost_or_reported_as_failed(
    merchant: Merchant, capsys: pytest.CaptureFixture[str]
) -> None:
    world, started = begun(SEED, utcnow()), time.monotonic()
    for number in range(CHARGES):
        charge(merchant, number)
    late: set[str] = set()
    steps = 0
    while Payment.objects.filter(status__in=UNDECIDED).exists() and steps < STEPS:
        let_time_pass(world)
        late |= set(Payment.objects.filter(certain_by__lt=utcnow()).values_list("pk", flat=True))
        steps += 1

    ends = Counter(Payment.objects.values_list("status", flat=True))
    twice, lost, invented = [], [], []
    for pk, status in Payment.objects.values_list("pk", "status"):
        charges = truth(world, pk)
        twice += [pk] if charges.total() > 1 else []
        lost += [pk] if charges and status != "PAID" else []
        invented += [pk] if status == "PAID" and not charges else []
    with capsys.disabled():
        print(
            f"\n  {CHARGES} charges, seed {SEED}: {dict(ends)} after {steps * STEP}; charged twice {len(twice)}, "
            f"failed or expired but charged {len(lost)}, past their deadline {len(late)} "
            f"({time.monotonic() - started:.0f} s)"
        )
    assert (twice, lost, invented, sorted(late)) == ([], [], [], [])
    assert set(ends) <= {"PAID", "FAILED", "EXPIRED"}
    assert ends["PAID"] > CHARGES / 2


def test_the_rule_of_failing_after_the_last_retry_gets_many_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    world = begun(SEED, utcnow())
    ends = {f"order-{number}": naive(world, BANKS, f"order-{number}") for number in range(CHARGES)}
    world.advance(timedelta(days=4))

    twice = sum(truth(world, our_id).total() > 1 for our_id in ends)
    lost = sum(bool(truth(world, our_id)) for our_id, end in ends.items() if end == "FAILED")
    with capsys.disabled():
        print(f"\n  the same by the rule 'fail after the last retry': charged twice {twice}, failed but charged {lost}")
    assert twice > CHARGES / 100
    assert lost > CHARGES / 200
