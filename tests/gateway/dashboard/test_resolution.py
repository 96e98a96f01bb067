"""What a company reads while the provider has not given a clear answer."""

import pytest
from django.test import Client

from tests.support.api import Api
from tests.support.pages import Page
from tests.support.refunds import decided, paid, refunded

pytestmark = pytest.mark.django_db


def test_it_reads_since_when_and_until_when_and_nothing_once_it_is_clear(api: Api, page: Page, owner: Client) -> None:
    refund = refunded(api, paid(api, amount=1922), amount=922)
    api.post("/simulations/clock", {"advanceBy": "PT1H"})
    address = page("refund", refund["id"])

    shown = owner.get(address).content.decode()
    assert "The provider has not given a clear answer yet" in shown
    assert "Sandbox: unclear since" in shown
    assert "The outcome is certain by" in shown
    api.post("/simulations/clock", {"advanceBy": "P2D"})
    assert "The deadline has passed." in owner.get(address).content.decode()
    decided(api, refund, "COMPLETED")
    assert "clear answer" not in owner.get(address).content.decode()
