"""Disputes at Adyen as lines: taken, won back, and lost for good, with the books of the acquirer at the end."""

import pytest

from gateway.providers.models import ProviderAccount
from gateway.refunds.models import Refund
from gateway.settlements import margins
from gateway.settlements.models import SettlementDifference, SettlementLine
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.settlements import Batch
from tests.support.adyen.webhooks import disputed, told
from tests.support.companies import Shop
from tests.support.settlements import held, paid, read

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_dispute_won_and_lost_again_leaves_what_the_acquirer_owes(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = paid(acme, account, acquirer)
    _, other = paid(acme, account, acquirer, "order-2")
    dispute = disputed(money)
    first, second = Batch(1), Batch(2)
    first.settled(money, "1.00")
    told(account, "CHARGEBACK", dispute)
    first.disputed(money, "15.00", dispute.psp)
    told(account, "CHARGEBACK_REVERSED", dispute)
    first.disputed(money, number=dispute.psp, kind="ChargebackReversed")
    first.pay_out()
    read(account, acquirer, first)
    assert (held("CLEARING"), held("ACQUIRER_FEES")) == (-15000, -1600)

    told(account, "SECOND_CHARGEBACK", dispute)
    second.settled(other, "1.00")
    second.disputed(money, "15.00", dispute.psp)
    read(account, acquirer, second)

    assert {line.state for line in SettlementLine.objects.all()} == {"MATCHED"}
    assert not SettlementDifference.objects.exists()
    assert held("CLEARING") == -int(second.balance * 100)
    margin = margins.of_payment(payment)
    assert margin and margin.acquirer_fee == 3100
    assert Refund.objects.order_by("-id")[0].status == "COMPLETED"
