"""Settlements read and matched by several processes at once: every line is booked once."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gateway.providers.models import ProviderAccount
from gateway.settlements import due
from gateway.settlements.models import SettlementDifference, SettlementLine, SettlementReport
from gateway.settlements.reports import announce
from ledger.models import Transfer
from tests.support.adyen.acquirer import Acquirer, open_acquirer
from tests.support.adyen.settlements import Batch
from tests.support.companies import Shop
from tests.support.settlements import an_account, held, paid, sweep
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acquirer() -> Iterator[Acquirer]:
    with open_acquirer() as acquirer:
        yield acquirer


@pytest.fixture
def account(acme: Shop, acquirer: Acquirer) -> ProviderAccount:
    return an_account(acme, acquirer=acquirer)


def test_sweeps_at_once_book_every_line_once(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> None:
    batch = Batch()
    for n in range(4):
        _, money = paid(acme, account, acquirer, f"order-{n}")
        batch.settled(money, "1.00")
    batch.pay_out()
    acquirer.reports[batch.name] = batch.file()

    at_once(*[lambda: announce(account, batch.name)] * 4)
    at_once(*[sweep] * 4)
    SettlementLine.objects.update(due_at=SettlementReport.objects.get().created_at)
    at_once(*[sweep] * 4)

    assert SettlementLine.objects.filter(state="MATCHED").count() == 5
    assert Transfer.objects.filter(kind="settlement.fee").count() == 4
    assert (held("CLEARING"), held("ACQUIRER_FEES"), held("BANK")) == (0, -400, -59_600)


def test_two_lines_for_one_payment_at_once_settle_it_once(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    _, money = paid(acme, account, acquirer)
    batch = Batch()
    batch.settled(money, "1.00")
    batch.settled(money, "2.00")
    acquirer.reports[batch.name] = batch.file()
    announce(account, batch.name)
    due.READ.sweep()
    one_by_one = replace(due.MATCH, size=1)

    at_once(*[lambda: one_by_one.sweep(1)] * 2)
    sweep()

    assert sorted(SettlementLine.objects.values_list("state", flat=True)) == ["DIFFERENT", "MATCHED"]
    assert SettlementDifference.objects.get().cause == "DUPLICATE"
    assert Transfer.objects.filter(kind="settlement.fee").count() == 1
