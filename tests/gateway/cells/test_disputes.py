"""A dispute at the platform's acquirer is recorded once, in the cell of the payment that it is about."""

from dataclasses import replace
from decimal import Decimal

import pytest

from accounts.cells import all_cells
from gateway.methods.rail import PaymentAction
from gateway.providers import notices
from gateway.providers.disputes import DISPUTE, DisputeReport, DisputeState
from gateway.providers.models import ProviderAccount
from gateway.providers.provider import Notice
from gateway.refunds.disputes.models import Dispute
from tests.support.lives import Lives, rows, violations
from tests.support.scripted_provider import SCRIPT
from tests.support.suspense import a_bank, arrived, look_again, ordered

OPEN = DisputeReport(
    reference="dsp-1", money="E11", amount=Decimal("60.00"), currency="BRL", state=DisputeState.OPEN, is_inquiry=False
)


@pytest.fixture
def account(lives: Lives) -> ProviderAccount:
    """It has taken 150 reais for each: E10, E11 and E12."""
    for number, shop in enumerate(lives.in_turn(), 10):
        if not ProviderAccount.objects.exists():
            a_bank(shop)
        shop.company.status = "ACTIVE"
        shop.company.save()
        assert look_again(ordered(shop), SCRIPT, arrived(reference=f"E{number}")).status == "PAID"
    return ProviderAccount.objects.get()


def tell(account: ProviderAccount, said: DisputeReport) -> None:
    """A message of the acquirer, which the scheduled task reads."""
    SCRIPT.disputes = {said.reference: [said]}
    with all_cells():
        notices.apply(Notice(f"{DISPUTE}_{said.reference}", PaymentAction.REFUND), account)


def test_it_is_booked_where_its_payment_is(lives: Lives, account: ProviderAccount) -> None:
    tell(account, OPEN)
    tell(account, OPEN)
    assert rows("gateway_dispute") == rows("gateway_refund") == [0, 1, 0]
    assert violations() == [[], [], []]


def test_what_was_told_before_its_payment_was_known_moves_there(lives: Lives, account: ProviderAccount) -> None:
    tell(account, replace(OPEN, money="E-unknown"))
    assert (rows("gateway_dispute"), rows("gateway_refund")) == ([1, 0, 0], [0, 0, 0])
    tell(account, replace(OPEN, money="E12"))
    assert rows("gateway_dispute") == rows("gateway_refund") == [0, 0, 1]


def test_it_stays_with_the_payment_that_was_told_first(lives: Lives, account: ProviderAccount) -> None:
    tell(account, OPEN)
    tell(account, replace(OPEN, money="E12", state=DisputeState.LOST))
    assert rows("gateway_dispute") == rows("gateway_refund") == [0, 1, 0]
    with all_cells():
        assert Dispute.objects.get().state == DisputeState.OPEN
