"""A link for a few uses is never begun more often, however many payers come at the same moment."""

from collections import Counter

import pytest

from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.payment_links import LinkPage, a_link
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_twenty_payers_at_a_link_for_three_uses_three_pay(api: Api) -> None:
    page = LinkPage(a_link(api, maxUses=3, methods=["PIX"]))

    answers = at_once(*[page.pay] * 20)

    assert Counter(answer.status_code for answer in answers) == {303: 3, 409: 17}
    assert Payment.objects.count() == 3
