"""A backup is restored to a moment after which more was done: nothing is paid twice, whatever is lost here."""

from collections.abc import Iterator
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Merchant
from gateway.methods.spei.clabe import clabe
from gateway.providers.models import LostOrder, ProviderAccount
from gateway.providers.restored import id_for
from gateway.suspense import recovery
from gateway.suspense.models import SuspenseItem
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.paying_out import swept
from tests.support.production import live
from tests.support.providers import connected, paid_out_by
from tests.support.restored import BENEFICIARY, LISTED, sent_by_the_lost_primary, wait, withdrawn
from tests.support.stp.books import deposit_message
from tests.support.stp.service import Stp, open_stp
from tests.support.stp.telling import create, tell

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stp() -> Iterator[Stp]:
    with open_stp() as stp:
        yield stp


@pytest.fixture
def account(acme: Shop, stp: Stp) -> ProviderAccount:
    live(acme)
    account = connected("stp", stp.credentials(), "SPEI", currency="MXN")
    paid_out_by(account, rail="SPEI", currency="MXN")
    return account


@pytest.fixture
def api(acme: Shop, account: ProviderAccount, stp: Stp, address: str) -> Api:
    """The company's backend, with 492.50 MXN, that may withdraw."""
    w.register(acme, address)
    Merchant.objects.filter(pk=acme.production.pk).update(withdrawal_enabled=True)
    _, paid_to = create(acme, amount=500.00, reference="pays-in")
    tell(account, deposit_message(stp.books.deposit(paid_to, "500.00")))
    return Api(acme.production_key, address)


def restored(to: datetime) -> str:
    out = StringIO()
    call_command("after_restore", f"--to={to.isoformat()}", "--note=the disk died", stdout=out)
    return out.getvalue()


def known(account: ProviderAccount) -> str:
    out = StringIO()
    call_command("know_orders", account.pk, "--note=compared", stdout=out)
    return out.getvalue()


def keys(stp: Stp) -> list[str]:
    return [one["claveRastreo"] for one in stp.books.sent]


def test_what_may_have_been_sent_is_asked_about(api: Api, acme: Shop, account: ProviderAccount, stp: Stp) -> None:
    to, withdrawal = utcnow(), withdrawn(api, acme)
    sent_by_the_lost_primary(withdrawal)

    listed = restored(to)
    assert withdrawal.pk in listed and account.pk in listed and BENEFICIARY not in listed
    assert swept(withdrawal.pk).status == "PROCESSING"
    stp.books.settle()
    assert swept(withdrawal.pk, minutes=1).status == "COMPLETED"
    assert len(stp.books.sent) == 1


def test_what_was_never_sent_waits_until_the_orders_are_known_and_is_sent_once(
    api: Api, acme: Shop, account: ProviderAccount, stp: Stp
) -> None:
    withdrawal = withdrawn(api, acme)
    restored(utcnow() - LISTED)
    for _ in range(2):
        assert (swept(withdrawal.pk, hours=1).status, stp.books.sent) == ("PROCESSING", [])
    with pytest.raises(CommandError, match="try again then"):
        known(account)

    wait(account)
    known(account)
    with pytest.raises(CommandError, match="no such account"):
        known(account)
    swept(withdrawal.pk, hours=1)
    assert len(stp.books.sent) == 1
    done = AuditEntry.objects.filter(object_id=account.pk, note__contains="know_orders")
    assert [one.action for one in done] == ["provider_account.orders_known"]


@pytest.mark.parametrize("again", ["before the orders are known", "after"])
def test_a_lost_withdrawal_that_is_made_again_is_not_paid_again(
    api: Api, acme: Shop, account: ProviderAccount, stp: Stp, again: str
) -> None:
    other = withdrawn(api, acme, "w-2")
    lost = sent_by_the_lost_primary(other, id_for("wdr", other.merchant, "w-1"))
    restored(utcnow() - LISTED)
    if again == "after":
        wait(account)
        known(account)
    withdrawal = withdrawn(api, acme, "w-1")
    if again != "after":
        assert swept(withdrawal.pk).sent_at is None
        wait(account)
        assert lost in known(account)

    swept(withdrawal.pk, minutes=2)
    swept(other.pk, hours=1)
    stp.books.settle()
    completed = swept(withdrawal.pk, hours=1)
    assert (completed.status, completed.rail_reference) == ("COMPLETED", lost.replace("wdr_", "WDR"))
    assert LostOrder.objects.get().taken_by == withdrawal.pk
    assert keys(stp).count(lost.replace("wdr_", "WDR")) == 1
    assert len(stp.books.sent) == 2


def test_a_lost_order_is_of_its_company_alone(
    api: Api, acme: Shop, globex: Shop, account: ProviderAccount, stp: Stp
) -> None:
    """The same reference of somebody else is another withdrawal."""
    withdrawal = withdrawn(api, acme)
    lost = sent_by_the_lost_primary(withdrawal, id_for("wdr", globex.production, "w-1"))
    restored(utcnow() - LISTED)
    wait(account)
    known(account)

    for _ in range(2):
        swept(withdrawal.pk, hours=1)
    assert keys(stp) == [lost.replace("wdr_", "WDR"), withdrawal.pk.replace("wdr_", "WDR")]


def test_numbers_that_may_be_given_out_are_not_given_out_again(
    api: Api, acme: Shop, account: ProviderAccount, stp: Stp
) -> None:
    _, before = create(acme, reference="order-2")
    restored(utcnow())
    _, after = create(acme, reference="order-3")

    assert int(after[:17]) == int(before[:17]) + 10_001


def test_money_of_a_lost_payment_waits_for_people(
    api: Api, acme: Shop, account: ProviderAccount, stp: Stp, settings: Any
) -> None:
    restored(utcnow())
    _, paid_to = create(acme, reference="order-2")
    lost = clabe(bank=paid_to[:3], city=paid_to[3:6], account=int(paid_to[6:17]) - 1)
    stp.books.deposit(lost, "150.00")
    recovery.recover()
    wait(account)
    known(account)

    item = SuspenseItem.objects.get()
    assert (item.state, item.return_at) == ("HELD", None)
