"""The business sees what it may use, and at what price: its own rules first, else everybody's."""

from decimal import Decimal

from accounts.audit import Actor
from gateway.methods.models import MethodRule, PriceRule
from gateway.overview.readiness import readiness
from gateway.payments.models import Payment
from gateway.providers.accounts import pause
from gateway.providers.routes import Place
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.providers import active, confirms, routed


def pix_of(api: Api) -> dict[str, object]:
    (brl,) = api.get("/payment-methods", method="PIX").json()["data"]
    assert brl["currency"] == "BRL"
    (method,) = brl["methods"]
    return dict(method)


def test_a_method_is_told_whole(api: Api) -> None:
    assert pix_of(api) == {
        "method": "PIX",
        "status": "ENABLED",
        "flow": "PIX_CODE",
        "minAmount": 0.02,
        "maxAmount": 250000.00,
        "amountStep": 0.01,
        "fee": {"percentage": 0.99, "fixed": 0.01},
        "settlementDays": 0,
        "expiration": {"default": 86400, "min": 60, "max": 2592000},
        "requiredFields": ["payer.name", "payer.taxId"],
        "refunds": {"full": True, "partial": True, "windowDays": 90},
    }


def test_the_companys_own_rules_come_first_and_hold_at_creation(api: Api, acme: Shop, globex_api: Api) -> None:
    PriceRule.objects.create(merchant=acme.sandbox, method="PIX", currency="BRL", percentage=Decimal("0.5"), fixed=10)

    assert pix_of(api)["fee"] == {"percentage": 0.5, "fixed": 0.10}
    assert api.post("/payments", pix(amount=100)).json()["data"]["fee"] == 0.60
    assert globex_api.post("/payments", pix(amount=100)).json()["data"]["fee"] == 1.00


def test_a_method_that_is_off_for_the_company_is_not_listed(api: Api, acme: Shop, globex_api: Api) -> None:
    everybodys = MethodRule.objects.get(merchant=None, environment="SANDBOX", method="PIX")
    MethodRule.objects.create(
        merchant=acme.sandbox, environment="SANDBOX", method="PIX", currency="BRL", enabled=False,
        minimum=everybodys.minimum, maximum=everybodys.maximum, expires_in_s=everybodys.expires_in_s,
    )  # fmt: skip

    assert api.get("/payment-methods", method="PIX").json()["data"] == []
    assert api.post("/payments", pix()).json()["error"]["code"] == "ONP403_METHOD_NOT_ENABLED"
    assert globex_api.post("/payments", pix()).status_code == 201


def test_filters_choose_and_nonsense_is_refused(api: Api, acme: Shop) -> None:
    assert [item["currency"] for item in api.get("/payment-methods", currency="BRL").json()["data"]] == ["BRL"]
    [usd] = api.get("/payment-methods", currency="USD").json()["data"]
    assert [item["method"] for item in usd["methods"]] == ["CREDIT_CARD", "DEBIT_CARD"]
    assert api.get("/payment-methods", currency="USD", method="PIX").json()["data"] == []
    for query in ({"currency": "XXX"}, {"method": "pix"}):
        assert api.get("/payment-methods", **query).json()["error"]["code"] == "ONP400_FILTER"


def test_production_has_nothing_until_staff_turn_it_on(acme: Shop, address: str) -> None:
    assert Api(acme.production_key, address).get("/payment-methods").json()["data"] == []


def test_production_offers_only_what_a_provider_is_connected_for(acme: Shop, globex: Shop, address: str) -> None:
    rule = MethodRule.objects.filter(merchant=None, environment="PRODUCTION")
    rule.filter(method__in=("PIX", "SPEI")).update(enabled=True)
    api, theirs = Api(acme.production_key, address), Api(globex.production_key, address)
    assert api.get("/payment-methods").json()["data"] == []

    own = active("own", acme.production)
    routed(own, merchant=acme.production)

    offered = pix_of(api)
    assert (offered["status"], offered["requiredFields"]) == ("ENABLED", ["payer.name", "payer.taxId"])
    assert theirs.get("/payment-methods").json()["data"] == []
    refused = theirs.post("/payments", pix()).json()["error"]
    assert (refused["code"], refused["retryable"]) == ("ONP403_PIX_NOT_CONNECTED", False)
    assert not Payment.objects.exists()

    routed(Place(own, 500, 10_000), merchant=acme.production)
    offered = pix_of(api)
    assert (offered["minAmount"], offered["maxAmount"]) == (5, 100)
    assert api.post("/payments", pix(amount=100.01)).json()["error"]["code"] == "ONP403_PIX_NOT_CONNECTED"
    rule.filter(method="PIX").update(maximum=499)
    assert api.get("/payment-methods").json()["data"] == []
    assert readiness(acme.production).unconnected == (("PIX", "BRL"), ("SPEI", "MXN"))
    assert not Payment.objects.exists()
    rule.filter(method="PIX").update(maximum=25_000_000)

    pause(Actor(confirms()), own.pk, "They are moving")
    assert api.get("/payment-methods").json()["data"] == []
