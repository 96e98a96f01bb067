"""Money ahead: the curve, the table, and the advance on it."""

import pytest
from django.test import Client
from django.utils import timezone

from gateway.forecasts.available import forecast
from gateway.refunds import services as refunds
from ledger.receivables.models import Advance
from tests.support.companies import Shop
from tests.support.pages import Page, words
from tests.support.payments import a_payment
from tests.support.receivables import a_receivable

pytestmark = pytest.mark.django_db


def test_the_next_days_are_told_and_what_is_open_is_named(acme: Shop, viewer: Client, page: Page) -> None:
    a_receivable(acme.sandbox)
    refund = refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)

    answer = viewer.get(page("money_ahead"))

    said = words(answer)
    assert "In 30 days R$190.52" in said
    assert "Releases +R$190.52" in said
    assert "Dispute to answer" in said
    assert page("refund", refund.pk) in answer.content.decode()
    assert len(answer.context["curve"].marks) == 1


def test_the_advance_changes_the_curve_and_leads_to_its_review(
    acme: Shop, finance: Client, viewer: Client, page: Page
) -> None:
    for _ in range(2):
        a_receivable(acme.sandbox)

    answer = finance.get(page("money_ahead"), {"amount": "100"})

    quote = answer.context["quote"]
    plain = forecast(acme.sandbox, "BRL", timezone.get_current_timezone())
    assert answer.context["forecast"].days[0].available == quote.net
    assert answer.context["forecast"].closing == plain.closing - quote.fee
    assert answer.context["curve"].before
    review = f"{page('request_advance')}?choose=amount&amp;currency=BRL&amp;amount=100.00"
    assert review in answer.content.decode()
    assert finance.get(review.replace("&amp;", "&")).context["quote"].net == quote.net
    assert "Review this advance" not in words(viewer.get(page("money_ahead"), {"amount": "100"}))
    assert "Together they pay" in words(finance.get(page("money_ahead"), {"amount": "5000"}))
    assert not Advance.objects.exists()
