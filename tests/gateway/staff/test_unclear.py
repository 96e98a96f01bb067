"""An outcome that should be certain by now is a queue of staff."""

import pytest
from django.test import Client

from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments.models import Payment
from gateway.providers.errors import Unclear
from gateway.staff.kit.columns import address
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live, pass_time
from tests.support.scripted_provider import Script, rewritten
from tests.support.staff_overview import listed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


def test_it_is_a_queue_once_the_deadline_has_passed(staff: Client, acme: Shop, globex: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [Unclear("read timeout")], "ask": [Unclear("500")], "cancel": [Unclear("500")]}
    assert api_of(acme).post("/payments", PIX).status_code == 503
    payment = Payment.objects.get()

    assert listed(staff, "Unclear payments") == []
    pass_time(payment.pk, hours=30)
    assert listed(staff, "Unclear payments") == [payment.pk]
    page = staff.get(address(Payment, "change", payment.pk)).content.decode()
    assert "bank (scripted)" in page
    script.answers["cancel"] = [PaymentOutcome(PaymentResult.NOT_RECEIVED)]
    assert pass_time(payment.pk, hours=1).status == "EXPIRED"
    assert listed(staff, "Unclear payments") == []
