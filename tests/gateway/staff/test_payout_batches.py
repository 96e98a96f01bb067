"""Batches of withdrawals in the staff admin."""

import pytest
from django.test import Client

from accounts.models import Proposal
from gateway.payout_batches.models import PayoutBatch
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.batches import DECLINED, gathered, manual_account
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.proposals import action, confirmed, proposed
from tests.support.scripted_provider import rewritten

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rich(acme: Shop, address: str) -> Api:
    rewritten()
    return with_real_money(acme, address)


def test_staff_gather_release_download_and_need_two_people_to_download_again(
    rich: Api, acme: Shop, staff: Client, colleague: Client
) -> None:
    account = manual_account()
    swept(accepted(rich, acme, amount=12.34).pk)
    sent = {"way": f"{account.pk}:BRL", "pay_on": "2030-01-02", "note": "The file at ten"}
    page = staff.post("/admin/gateway/payoutbatch/gather/", sent, follow=True)
    assert page.status_code == 200
    batch = PayoutBatch.objects.get()
    proposal = proposed(staff, batch, "release")
    assert confirmed(staff, proposal).status_code == 403
    assert PayoutBatch.objects.get().state == "OPEN"
    confirmed(colleague, proposal)
    assert PayoutBatch.objects.get().state == "RELEASED"

    file = staff.post(action(batch, "download"), {"note": "To the bank"})
    assert b"12.34,BRL" in file.content
    again = staff.post(action(batch, "download"), {"note": "To the bank"}, follow=True)
    assert b"12.34,BRL" not in again.content
    warned = staff.get(action(batch, "download_again")).content.decode()
    assert "HANDED OVER ALREADY" in warned
    allowed = proposed(staff, batch, "download_again")
    assert b"12.34,BRL" not in staff.post(action(batch, "download"), {"note": "To the bank"}, follow=True).content
    confirmed(colleague, allowed)
    assert b"12.34,BRL" in colleague.post(action(batch, "download"), {"note": "To the bank"}).content
    assert PayoutBatch.objects.get().downloads == 2


def test_a_proposal_to_release_is_outdated_once_the_content_changed(
    rich: Api, acme: Shop, staff: Client, colleague: Client
) -> None:
    account = manual_account()
    swept(accepted(rich, acme).pk)
    batch = gathered(account)
    proposal = proposed(staff, batch, "release")
    withdrawals.decide(acme.production, Withdrawal.objects.get().pk, DECLINED)

    assert confirmed(colleague, proposal).status_code == 409

    assert PayoutBatch.objects.get().state == "OPEN"
    assert Proposal.objects.get().state != Proposal.State.CONFIRMED
