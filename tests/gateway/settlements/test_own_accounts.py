"""Accounts of companies: their own business stays theirs, and nobody else's book moves."""

import pytest

from accounts.audit import Actor
from gateway.providers import accounts
from gateway.providers.models import ProviderAccount
from gateway.settlements.models import SettlementDifference, SettlementLine
from gateway.suspense.models import SuspenseItem
from ledger.models import Transfer
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import Payment as Money
from tests.support.adyen.books import psp
from tests.support.adyen.settlements import Batch
from tests.support.companies import Shop
from tests.support.providers import NOTE, confirms, enters
from tests.support.settlements import a_day_later, held, paid, read

pytestmark = pytest.mark.django_db(transaction=True)


def own_account(shop: Shop, acquirer: Acquirer) -> ProviderAccount:
    acquirer.books.merchant_account = "GlobexES"
    new = accounts.NewAccount("adyen", "Globex", "PRODUCTION", shop.production)
    account = accounts.check(Actor(enters()), accounts.enter(Actor(enters()), new, acquirer.credentials(), NOTE))
    accounts.activate(Actor(confirms()), account, NOTE)
    return ProviderAccount.objects.get(pk=account.pk)


def test_the_companys_own_business_is_left_alone_and_its_fees_are_its_own(
    acme: Shop, globex: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    own = own_account(globex, acquirer)
    batch = Batch(account="GlobexES")
    batch.settled(Money(psp(), "till-7", {"value": 9900, "currency": "BRL"}, "visa", {}), "1.00")
    batch.charged("9.90")

    read(own, acquirer, batch)

    states = set(SettlementLine.objects.values_list("kind", "state"))
    assert states == {("PAYMENT", "NOT_OURS"), ("FEE", "MATCHED")}
    assert (held("ACQUIRER_FEES", globex), held("ACQUIRER_FEES", acme)) == (-990, 0)
    assert not SuspenseItem.objects.exists() and not SettlementDifference.objects.exists()


def test_an_account_that_names_a_payment_of_another_company_settles_nothing(
    acme: Shop, globex: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = paid(acme, account, acquirer)
    own = own_account(globex, acquirer)
    batch = Batch(account="GlobexES")
    batch.settled(money, "1.00")
    batch.pay_out()

    read(own, acquirer, batch)
    a_day_later()

    difference = SettlementDifference.objects.get()
    assert (difference.cause, difference.object_id) == ("PAID_THERE", payment.pk)
    assert not Transfer.objects.filter(kind__startswith="settlement.").exists()
    assert held("CLEARING", acme) == -15000
