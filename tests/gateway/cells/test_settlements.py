"""One report of an acquirer settles payments of merchants in several cells."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F

from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.settlements.models import SettlementDay, SettlementDifference, SettlementLine
from gateway.settlements.tasks import open_settlement_days, sweep_settlements
from tests.support.adyen.acquirer import Acquirer, open_acquirer
from tests.support.adyen.settlements import Batch
from tests.support.lives import Lives, violations
from tests.support.settlements import an_account, held, paid, read, refunded


@pytest.fixture
def acquirer() -> Iterator[Acquirer]:
    with open_acquirer() as acquirer:
        yield acquirer


@pytest.fixture
def account(lives: Lives, acquirer: Acquirer) -> ProviderAccount:
    return an_account(lives.early, lives.acme, lives.globex, acquirer=acquirer)


def balances(lives: Lives, kind: str) -> list[int]:
    return [held(kind, shop) for shop in lives.in_turn()]


def test_a_report_is_booked_in_the_cell_of_each_and_days_have_them_all(
    lives: Lives, account: ProviderAccount, acquirer: Acquirer
) -> None:
    batch = Batch()
    for shop in lives.in_turn():
        payment, money = paid(shop, account, acquirer)
        batch.settled(money, "3.35")
        if shop is lives.acme:
            _, change = refunded(shop, payment, account, acquirer)
            batch.refunded(change, "0.20")
    batch.pay_out()

    read(account, acquirer, batch)
    sweep_settlements()

    assert set(SettlementLine.objects.exclude(kind="PAYOUT").values_list("state", flat=True)) == {"MATCHED"}
    assert balances(lives, "CLEARING") == [0, 0, 0]
    assert balances(lives, "ACQUIRER_FEES") == [-335, -355, -335]
    assert sum(SettlementDay.objects.values_list("acquirer_fee", flat=True)) == 335 * 3 + 20
    assert not SettlementDifference.objects.exists()
    assert violations() == [[], [], []]

    with transaction.atomic():
        SettlementLine.objects.filter(merchant=lives.globex.production).update(fee=F("fee") + 1, net=F("net") - 1)
        assert violations() == [[], [], ["I31", "I44"]]
        transaction.set_rollback(True)


def test_what_no_report_names_is_missed_in_every_cell(
    lives: Lives, account: ProviderAccount, acquirer: Acquirer
) -> None:
    """And what one names in another cell is not."""
    batch = Batch()
    for shop in lives.in_turn():
        _, money = paid(shop, account, acquirer)
        if shop is not lives.acme:
            batch.settled(money, "3.35")
    read(account, acquirer, batch)
    SettlementLine.objects.update(at=F("at") - timedelta(days=60))
    for _ in lives.in_turn():
        Payment.objects.update(paid_at=F("paid_at") - timedelta(days=46))

    open_settlement_days()

    found = SettlementDifference.objects.get()
    assert (found.merchant, found.cause) == (lives.acme.production, "PAID_HERE")
