"""A card payment begins with a session for the payer's browser, and only that browser learns its secret."""

import re
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from gateway.models import Customer, Payment
from gateway.staff.kit.columns import address as admin_page
from tests.support.api import Api
from tests.support.cards import SECRETS, events, lookup, opened, order, refusal, told
from tests.support.companies import Shop
from tests.support.payments import MARIA
from tests.support.receiver import listening
from webhooks.dispatch import deliver_due
from webhooks.models import Event

METHODS = ["CREDIT_CARD", "DEBIT_CARD"]
LIMITS = {
    "BRL": ("0.50", 50_000), "USD": ("0.50", 10_000), "EUR": ("0.50", 10_000), "MXN": ("10", 200_000),
    "COP": ("2000", 50_000_000), "ARS": ("500", 15_000_000),
}  # fmt: skip
COMMON = {
    "id", "companyId", "environment", "reference", "status", "method", "currency", "amount", "fee", "netAmount",
    "refundedAmount", "settlementDays", "releaseAt", "customer", "resolution", "paidAt", "createdAt", "updatedAt",
}  # fmt: skip


def nothing_was_made() -> bool:
    return (Payment.objects.count(), Customer.objects.count(), Event.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize(
    ("method", "fee", "net", "days"), [("CREDIT_CARD", 7.98, 192.02, 30), ("DEBIT_CARD", 3.98, 196.02, 1)]
)
def test_a_card_payment_asks_the_holder(
    api: Api, acme: Shop, settings: Any, method: str, fee: float, net: float, days: int
) -> None:
    answer = api.post("/payments", order(method))

    assert (answer.status_code, answer.json()["onpayCode"]) == (202, "ONP202_3DS")
    payment = answer.json()["data"]
    assert set(payment) == COMMON | {"nextAction"}
    assert (payment["status"], payment["method"], payment["amount"]) == ("ACTION_REQUIRED", method, 200.00)
    assert (payment["fee"], payment["netAmount"], payment["settlementDays"]) == (fee, net, days)
    assert (payment["releaseAt"], payment["paidAt"], payment["refundedAmount"]) == (None, None, 0)
    action = payment["nextAction"]
    assert set(action) == {"type", "integrationMode", *SECRETS, "expiresAt"}
    assert (action["type"], action["integrationMode"]) == ("CONFIRM_CARD", "SECURE_FIELDS")
    assert re.fullmatch(payment["id"] + r"_secret_[\w-]{43}", action["clientSecret"])
    assert action["sessionToken"] == action["clientSecret"]
    assert action["checkoutUrl"].startswith(f"{settings.SDK_URL}/checkout/{payment['id']}:")
    open_for = datetime.fromisoformat(action["expiresAt"]) - datetime.fromisoformat(payment["createdAt"])
    assert open_for == timedelta(minutes=30)


def test_a_replay_is_the_same_to_the_byte_and_a_lookup_says_the_same(api: Api, acme: Shop) -> None:
    body, key = order(), str(uuid.uuid4())

    first, again = api.post("/payments", body, key=key), api.post("/payments", body, key=key)

    assert (again.status_code, again.content, again["Idempotent-Replayed"]) == (202, first.content, "true")
    assert lookup(api, first.json()["data"]["id"]) == first.json()["data"]
    assert Payment.objects.count() == 1
    assert told(acme) == ["action_required"]


def test_the_event_tells_everything_but_the_secrets(api: Api, acme: Shop) -> None:
    session = opened(api)

    [event] = events(acme)
    assert event["type"] == "payment.action_required"
    public = {name: value for name, value in session.payment["nextAction"].items() if name not in SECRETS}
    assert event["data"] == session.payment | {"nextAction": public}


def test_no_webhook_log_or_staff_page_knows_the_secret(
    api: Api, acme: Shop, settings: Any, caplog: Any, capfd: Any
) -> None:
    settings.LOCAL = True
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    staff = Client()
    staff.force_login(User.objects.create_superuser("root@onpay.example", "correct horse"))
    with listening() as receiver:
        api.post("/webhooks", {"url": receiver.url, "events": ["*"]})
        session = opened(api)
        assert session.call("session").status_code == 200
        assert session.call("session", secret=session.secret + "x").status_code == 401
        deliver_due()
        sent = b"".join(one.body for one in receiver.received).decode()

    event = Event.objects.get(object_id=session.id)
    rows = [(Payment, session.id), (Event, event.pk)]
    pages = "".join(staff.get(admin_page(model, "change", pk)).content.decode() for model, pk in rows)
    logged = caplog.text + "".join(capfd.readouterr())
    assert session.id in sent and session.id in pages and "/sdk/v1/session" in logged
    for told_to_others in (sent, pages, logged):
        assert [s for s in (*SECRETS, session.secret, "_secret_", "/checkout/pay_") if s in told_to_others] == []


def test_a_company_may_have_chosen_the_hosted_page(api: Api, acme: Shop) -> None:
    acme.sandbox.card_integration_mode = "HOSTED"
    acme.sandbox.save()

    assert opened(api).payment["nextAction"]["integrationMode"] == "HOSTED"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("currency", LIMITS)
def test_the_limits_are_those_of_the_currency(api: Api, method: str, currency: str) -> None:
    least, most = LIMITS[currency]
    too_little = api.post("/payments", order(method, currency=currency, amount=round(float(least) - 0.01, 2)))
    too_much = api.post("/payments", order(method, currency=currency, amount=most + 0.01))
    assert refusal(too_little) == (422, f"ONP422_{method}_AMOUNT_TOO_SMALL")
    assert refusal(too_much) == (422, f"ONP422_{method}_AMOUNT_TOO_LARGE")
    assert nothing_was_made()

    for amount in (float(least), most):
        opened(api, method, currency=currency, amount=amount)


@pytest.mark.parametrize("currency", LIMITS)
def test_a_document_is_required_for_reais_only(api: Api, currency: str) -> None:
    nameless = order(currency=currency, amount=2500, payer={"name": "Maria Silva"})

    answer = api.post("/payments", nameless)

    if currency == "BRL":
        assert (*refusal(answer), answer.json()["error"]["field"]) == (400, "ONP400_PAYER", "payer.taxId")
        assert nothing_was_made()
    else:
        assert answer.status_code == 202
        assert answer.json()["data"]["customer"]["taxId"] is None


@pytest.mark.parametrize("currency", ["USDT", "BTC", "CLP", "brl"])
def test_other_currencies_are_not_for_cards(api: Api, currency: str) -> None:
    assert refusal(api.post("/payments", order(currency=currency))) == (400, "ONP400_CURRENCY")
    assert nothing_was_made()


BAD_RETURN_URLS = [
    None,
    "",
    "http://shop.example/thanks",
    "https://good.example@evil.example/",
    "https://good:pw@evil.example/",
    "https://@evil.example/",
    "//evil.example",
    "\\\\evil.example",
    "https:\\\\evil.example",
    "https://evil.example\\@shop.example/",
    "https://shop\t.example/",
    "https://shop.example/\r\nLocation: https://evil.example",
    "https://shop.example/\u2028x",
    "javascript:alert(1)",
    "data:text/html,x",
    "http://127.0.0.1.evil.example/",
    "http://127.0.0.1@evil.example/",
    "https://",
    7,
]


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("url", BAD_RETURN_URLS, ids=range(len(BAD_RETURN_URLS)))
def test_an_address_that_is_no_shop_is_refused(api: Api, method: str, url: Any) -> None:
    answer = api.post("/payments", order(method, returnUrl=url))

    assert (*refusal(answer), answer.json()["error"]["field"]) == (400, "ONP400_RETURN_URL", "returnUrl")
    assert nothing_was_made()


@pytest.mark.parametrize("is_local", [True, False])
def test_plain_http_is_for_a_shop_on_the_developers_machine(api: Api, settings: Any, is_local: bool) -> None:
    settings.LOCAL = is_local

    answer = api.post("/payments", order(returnUrl="http://127.0.0.1:8000/demo/shop"))

    assert answer.status_code == (202 if is_local else 400)


@pytest.mark.parametrize(
    "member",
    [{"cardNumber": "x"}, {"card": {}}, {"CVV": "123"}, {"payer": MARIA | {"card_cvc": "123"}}, {"expiry-month": 12},
     {"expiryYear": 2040}, {"pan": "x"}, {"number": "x"}, {"securityCode": "1"}, {"items": [{"cvc": "1"}]}],
)  # fmt: skip
def test_card_data_is_not_taken(api: Api, capfd: Any, member: dict[str, Any]) -> None:
    answer = api.post("/payments", order(reference="4242 4242 4242 4242") | member)

    assert refusal(answer) == (400, "ONP400_CARD_DATA")
    assert nothing_was_made()
    assert "4242 4242" not in answer.content.decode() + "".join(capfd.readouterr())


def test_a_live_reference_is_taken_once(api: Api) -> None:
    session = opened(api, reference="order-7")

    answer = api.post("/payments", order(reference="order-7"))

    assert refusal(answer) == (409, "ONP409_DUPLICATE_REFERENCE")
    assert answer.json()["error"]["paymentId"] == session.id
    assert Payment.objects.count() == 1


def test_a_card_payment_is_not_simulated(api: Api, acme: Shop) -> None:
    session = opened(api)

    answer = api.post(f"/simulations/payments/{session.id}", {"status": "PAID"})

    assert refusal(answer) == (422, "ONP422_SIMULATION_CARD")
    assert lookup(api, session) == session.payment


def test_globex_does_not_find_it(api: Api, globex_api: Api) -> None:
    session = opened(api)

    for path in (f"/payments/{session.id}", f"/transactions/{session.id}"):
        assert refusal(globex_api.get(path)) == (404, "ONP404_PAYMENT")


def test_no_card_is_taken_in_production(acme: Shop, address: str) -> None:
    answer = Api(acme.production_key, address).post("/payments", order())

    assert refusal(answer) == (403, "ONP403_METHOD_NOT_ENABLED")
    assert nothing_was_made()
