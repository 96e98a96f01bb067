"""A restore of all cells: what may have been sent is asked about in each, and what an account was told is known."""

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.providers.models import LostOrder, ProviderAccount
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Withdrawal
from tests.support import withdrawals as w
from tests.support.api import Api, another_address
from tests.support.lives import Lives, violations
from tests.support.paying_out import swept
from tests.support.production import live
from tests.support.providers import connected, paid_out_by
from tests.support.restored import sent_by_the_lost_primary, wait, withdrawn
from tests.support.stp.books import deposit_message
from tests.support.stp.service import Stp, open_stp
from tests.support.stp.telling import create, tell


@pytest.fixture
def stp() -> Iterator[Stp]:
    with open_stp() as stp:
        yield stp


@pytest.fixture
def account(lives: Lives, stp: Stp) -> ProviderAccount:
    """Each has 492.50 MXN there, and may withdraw."""
    account = connected("stp", stp.credentials(), "SPEI", currency="MXN")
    paid_out_by(account, rail="SPEI", currency="MXN")
    for shop in lives.in_turn():
        live(shop)
        Merchant.objects.filter(pk=shop.production.pk).update(withdrawal_enabled=True)
        _, paid_to = create(shop, amount=500.00, reference="pays-in")
        tell(account, deposit_message(stp.books.deposit(paid_to, "500.00")))
    return account


def test_what_may_have_been_sent_is_known_in_every_cell(lives: Lives, account: ProviderAccount, stp: Stp) -> None:
    to, ids = utcnow(), []
    for shop in lives.in_turn():
        address = another_address()
        w.register(shop, address)
        made = withdrawn(Api(shop.production_key, address), shop)
        sent_by_the_lost_primary(made)
        ids.append(made.pk)

    out = StringIO()
    call_command("after_restore", f"--to={to.isoformat()}", "--note=the disk died", stdout=out)
    assert all(f"{one}  withdrawal" in out.getvalue() for one in ids)
    for _ in lives.in_turn():
        assert Withdrawal.objects.get().sent_at == to

    wait(account)
    call_command("know_orders", account.pk, "--note=compared", stdout=StringIO())
    assert not LostOrder.objects.exists() and not SuspenseItem.objects.exists()
    stp.books.settle()
    for _ in lives.in_turn():
        assert swept(Withdrawal.objects.get().pk, hours=1).status == "COMPLETED"
    assert len(stp.books.sent) == 3
    assert violations() == [[], [], []]
