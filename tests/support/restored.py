"""What was done after the moment to which a backup is restored, at an account of STP."""

from datetime import timedelta

from accounts.base.clock import utcnow
from gateway.methods.spei.clabe import clabe
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import payout_rail_of
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.provider import order_of
from tests.support.api import Api
from tests.support.companies import Shop

BENEFICIARY = clabe(bank="072", city="691", account=449_571_149)
ASKED = {"clabe": BENEFICIARY, "beneficiaryName": "José Núñez", "amount": 99.5, "currency": "MXN"}
LISTED = timedelta(minutes=10)


def withdrawn(api: Api, shop: Shop, reference: str = "w-1") -> Withdrawal:
    answer = api.post("/withdrawals/spei", ASKED | {"companyId": shop.company.pk, "reference": reference})
    assert answer.status_code == 201, answer.json()
    return Withdrawal.objects.select_related("account", "merchant__company").get(pk=answer.json()["data"]["id"])


def sent_by_the_lost_primary(withdrawal: Withdrawal, as_id: str | None = None) -> str:
    """What happened after the restored moment: STP has the order, and nothing here says so."""
    assert withdrawal.account
    rail = payout_rail_of(withdrawal.account, "SPEI", "MXN", of=withdrawal.merchant)
    order = order_of(withdrawal)
    assert rail
    lost = as_id or order.withdrawal_id
    rail.send(
        type(order)(**{name: getattr(order, name) for name in order.__slots__} | {"withdrawal_id": lost}), utcnow()
    )
    return lost


def wait(account: ProviderAccount) -> None:
    later = utcnow() - LISTED
    ProviderAccount.objects.filter(pk=account.pk).update(restored_to=later, restored_at=later)
