"""Who calls: the key alone, and one body for every reason why it is no good."""

import hashlib
import re

import pytest
from django.http import HttpResponse
from pytest_django import Settings

from accounts.models import ApiKey
from accounts.services import issue_key, revoke_key
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix


def told(answer: HttpResponse) -> tuple[int, bytes]:
    """Status and body without what names the request."""
    return answer.status_code, answer.content.replace(answer["RequestId"].encode(), b"")


@pytest.mark.parametrize(("environment", "prefix"), [("sandbox", "onp_sandbox_"), ("production", "onp_live_")])
def test_a_key_names_its_environment(acme: Shop, environment: str, prefix: str) -> None:
    _, text = issue_key(getattr(acme, environment), ["transactions:read"], "backend")

    assert re.fullmatch(prefix + r"[A-Za-z0-9_-]{43}", text)


def test_only_the_digest_and_the_last_four_of_a_key_are_kept(acme: Shop) -> None:
    api_key, text = issue_key(acme.sandbox, ["transactions:read"], "backend")

    row = ApiKey.objects.filter(pk=api_key.pk).values().get()
    assert bytes(row.pop("digest")) == hashlib.sha256(text.encode()).digest()
    assert row["last4"] == text[-4:]
    assert text not in repr(row)


def test_several_keys_of_a_company_all_work(api: Api, acme: Shop) -> None:
    payment = a_payment(acme.sandbox)

    for name in ("till", "warehouse"):
        api.key = issue_key(acme.sandbox, ["transactions:read"], name)[1]
        assert api.get(f"/payments/{payment.id}").status_code == 200


def test_the_use_of_a_key_is_noted(api: Api, acme: Shop) -> None:
    api_key, api.key = issue_key(acme.sandbox, ["transactions:read"], "backend")
    assert api_key.last_used_at is None

    api.get("/payments")

    api_key.refresh_from_db()
    assert api_key.last_used_at is not None


def test_every_bad_key_gets_the_same_answer(api: Api, acme: Shop) -> None:
    revoked, revoked_text = issue_key(acme.sandbox, ["transactions:read"], "old")
    revoke_key(revoked)
    good = acme.sandbox_key

    answers = set()
    for bad in (
        None,
        "",
        " ",
        "onp_sandbox_" + "a" * 43,
        "onp_live_" + "a" * 43,
        revoked_text,
        good[:-1],
        good + "a",
        good.swapcase(),
        "onp_live_" + good.removeprefix("onp_sandbox_"),
        good + "," + good,
        "Bearer " + good,
        "é" * 43,
        "x" * 10_000,
    ):
        api.key = bad
        answers.add(told(api.get("/payments")))

    assert len(answers) == 1
    assert answers.pop()[0] == 401


def test_a_revoked_key_stops_at_once(api: Api, acme: Shop) -> None:
    api_key, api.key = issue_key(acme.sandbox, ["payments:write"], "backend")
    assert api.post("/payments", pix()).status_code == 201

    revoke_key(api_key)

    answer = api.post("/payments", pix())
    assert (answer.status_code, answer.json()["onpayCode"]) == (401, "ONP401")
    assert Payment.objects.count() == 1


def test_a_revoked_key_leaves_the_others_alone(api: Api, acme: Shop) -> None:
    revoke_key(issue_key(acme.sandbox, ["transactions:read"], "old")[0])

    assert api.get("/payments").status_code == 200


@pytest.mark.parametrize(
    "place",
    [
        {"HTTP_AUTHORIZATION": "Bearer {key}"},
        {"HTTP_AUTHORIZATION": "{key}"},
        {"HTTP_COOKIE": "x-api-key={key}"},
        {"HTTP_API_KEY": "{key}"},
        {"QUERY_STRING": "x-api-key={key}&api_key={key}"},
    ],
    ids=["bearer", "authorization", "cookie", "other-header", "query"],
)
def test_a_key_elsewhere_than_in_its_header_is_no_key(api: Api, place: dict[str, str]) -> None:
    key, api.key = api.key, None

    answer = api.request("GET", "/payments", **{name: text.format(key=key) for name, text in place.items()})

    assert answer.status_code == 401


def test_being_logged_in_to_the_pages_is_no_key(api: Api, acme: Shop) -> None:
    from accounts.models import User

    user = User.objects.create_superuser(email="root@example.com", password="a long enough password")
    api.http.force_login(user)
    api.key = None

    assert api.get("/payments").status_code == 401
    assert api.request("POST", "/payments", data=b"{}", content_type="application/json").status_code == 401


@pytest.fixture
def two_hosts(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["api.example.com", "sandbox.example.com"]
    settings.BASE_URL = "https://api.example.com"
    settings.SANDBOX_BASE_URL = "https://sandbox.example.com"


@pytest.mark.usefixtures("two_hosts")
@pytest.mark.parametrize(
    ("host", "environment", "status"),
    [
        ("api.example.com", "production", 200),
        ("sandbox.example.com", "sandbox", 200),
        ("sandbox.example.com:443", "sandbox", 200),
        ("SANDBOX.example.com", "sandbox", 200),
        ("api.example.com", "sandbox", 401),
        ("sandbox.example.com", "production", 401),
        ("sandbox.example.com:443", "production", 401),
        ("SANDBOX.example.com", "production", 401),
    ],
)
def test_a_host_of_one_environment_refuses_the_keys_of_the_other(
    api: Api, acme: Shop, host: str, environment: str, status: int
) -> None:
    api.key = {"sandbox": acme.sandbox_key, "production": acme.production_key}[environment]

    assert api.request("GET", "/payments", HTTP_HOST=host).status_code == status


@pytest.mark.usefixtures("two_hosts")
def test_a_key_of_the_other_environment_is_told_what_an_unknown_key_is_told(api: Api, acme: Shop) -> None:
    api.key = acme.production_key
    of_the_other = api.request("GET", "/payments", HTTP_HOST="sandbox.example.com")
    api.key = "onp_sandbox_" + "a" * 43
    unknown = api.request("GET", "/payments", HTTP_HOST="sandbox.example.com")

    assert told(of_the_other) == told(unknown)
    assert of_the_other["WWW-Authenticate"] == unknown["WWW-Authenticate"] == "ApiKey"


@pytest.mark.usefixtures("two_hosts")
def test_a_sandbox_key_makes_nothing_on_the_production_host(api: Api) -> None:
    answer = api.post("/payments", pix(), host="api.example.com")

    assert answer.status_code == 401
    assert Payment.objects.count() == 0


def test_a_production_key_makes_nothing_in_the_sandbox(api: Api, acme: Shop) -> None:
    payment = a_payment(acme.sandbox)
    api.key = acme.production_key

    answer = api.post(f"/simulations/payments/{payment.id}", {"status": "PAID"})

    assert (answer.status_code, answer.json()["onpayCode"]) == (403, "ONP403_SANDBOX_ONLY")
    payment.refresh_from_db()
    assert payment.status == "PENDING"


def test_a_production_key_is_not_told_whether_a_sandbox_payment_exists(api: Api, acme: Shop) -> None:
    payment = a_payment(acme.sandbox)
    api.key = acme.production_key

    of_a_real = api.post(f"/simulations/payments/{payment.id}", {"status": "PAID"})
    of_none = api.post("/simulations/payments/pay_unknown", {"status": "PAID"})

    assert told(of_a_real) == told(of_none)
