"""Money that providers or people name twice: no two banks give the same end-to-end id, so it pays one payment."""

from functools import partial

import pytest
from django.test import Client
from structlog.testing import capture_logs

from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments.errors import BankReferenceUsed
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from tests.support import manual_provider as manual
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live, pass_time
from tests.support.proposals import confirmed, proposed, refusal
from tests.support.providers import active, routed
from tests.support.scripted_provider import rewritten
from tests.support.suspense import balances
from tests.support.threads import at_once

ID = "E12345678202611221200abcDEF12345"
PAID = {"amount": "1500", "reference": ID}


@pytest.mark.django_db(transaction=True)
def test_two_banks_that_name_the_same_money_pay_one_payment(acme: Shop, globex: Shop) -> None:
    script = rewritten()
    script.answers = {
        "instruct": [PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": "000201code", "pixTxid": "TX"})],
        "one ask": [PaymentOutcome(PaymentResult.DONE, reference=ID)],
        "other ask": [PaymentOutcome(PaymentResult.DONE, reference=ID.lower().replace("e", "E", 1))],
    }
    ids = []
    for shop, bank in ((acme, "one"), (globex, "other")):
        live(shop)
        routed(active(bank, shop.production), merchant=shop.production)
        ids.append(api_of(shop).post("/payments", PIX).json()["data"]["id"])

    with capture_logs() as logs:
        found = at_once(*(partial(pass_time, one, minutes=2) for one in ids))

    assert sorted(Payment.objects.values_list("status", flat=True)) == ["PAID", "PENDING"]
    waiting = Payment.objects.get(status="PENDING")
    assert waiting.unclear_since is not None and len(found) == 2
    assert [len(balances(shop)) > 0 for shop in (acme, globex)].count(True) == 1
    assert "payment.same_money" in {line["event"] for line in logs if line["log_level"] == "critical"}


@pytest.mark.django_db
def test_people_record_one_end_to_end_id_for_one_payment_of_all_companies(
    acme: Shop, globex: Shop, address: str, staff: Client, colleague: Client
) -> None:
    paid, theirs = (_ordered(shop, address) for shop in (acme, globex))
    early = proposed(staff, theirs, "paid", **PAID)
    confirmed(colleague, proposed(staff, paid, "paid", **PAID))

    assert confirmed(colleague, early).status_code == 409
    assert BankReferenceUsed.message in refusal(staff, _ordered(globex, address), "paid", **PAID)
    account = ProviderAccount.objects.get(merchant=globex.production)
    money = {"way": "PIX:BRL", "amount": "1", "reference": ID}
    assert BankReferenceUsed.message in refusal(staff, account, "enter_money", **money)
    assert balances(globex) == {}


def _ordered(shop: Shop, address: str) -> Payment:
    if not ProviderAccount.objects.filter(merchant=shop.production).exists():
        manual.connected(shop, "BRL", pix_key=f"pix@{shop.company.trade_name.lower()}.example")
    return Payment.objects.get(pk=manual.ordered(manual.live(shop, address), "PIX")["id"])
