"""Which addresses and events a webhook endpoint may have, and that its secret is told once."""

import base64
import re
from typing import Any

import pytest
from pytest_django import Settings

from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from webhooks.models import Endpoint

LOCAL = "http://127.0.0.1:9000/hooks"
PUBLIC = "https://1.1.1.1/hooks"
MEMBERS = {
    "id",
    "url",
    "events",
    "status",
    "description",
    "disabledReason",
    "lastDeliveryAt",
    "lastSuccessAt",
    "previousSecretExpiresAt",
    "createdAt",
    "updatedAt",
}
KINDS = [
    "payment.action_required",
    "payment.authorized",
    "payment.paid",
    "payment.failed",
    "payment.expired",
    "payment.refunded",
    "payment.updated",
    "refund.created",
    "refund.response_required",
    "refund.updated",
    "refund.completed",
    "refund.failed",
    "refund.rejected",
    "refund.canceled",
    "withdrawal.completed",
    "withdrawal.failed",
    "withdrawal.returned",
    "conversion.completed",
    "advance.approved",
    "advance.refused",
    "balance.released",
    "payment_method.saved",
    "payment_method.removed",
]


def register(api: Api, url: Any = LOCAL, events: Any = ("payment.paid",), **more: Any) -> Any:
    return api.post("/webhooks", {"url": url, "events": events, **more})


def is_refused(answer: Any, code: str, field: str) -> bool:
    error = answer.json().get("error", {})
    assert (Endpoint.objects.count(), IdempotencyKey.objects.count()) == (0, 0)
    return bool(
        answer.status_code == 400
        and (error["code"], error["field"]) == (code, field)
        and [item["field"] for item in error["fields"]] == [field]
    )


@pytest.fixture
def production(api: Api, acme: Shop) -> Api:
    """acme's backend in production, where only public addresses will do."""
    api.key = acme.production_key
    return api


def test_a_new_endpoint_is_told_whole_with_its_secret(api: Api) -> None:
    answer = register(api, events=["payment.paid", "refund.created"])

    assert answer.status_code == 201
    data = answer.json()["data"]
    assert set(data) == MEMBERS | {"secret"}
    assert re.fullmatch("whk_[0-9A-HJKMNP-TV-Z]{26}", data["id"])
    assert (data["url"], data["events"], data["status"]) == (LOCAL, ["payment.paid", "refund.created"], "ACTIVE")
    nothing = ("description", "disabledReason", "lastDeliveryAt", "lastSuccessAt", "previousSecretExpiresAt")
    assert {data[name] for name in nothing} == {None}
    assert data["createdAt"] == data["updatedAt"]


def test_a_secret_is_thirty_two_random_bytes(api: Api) -> None:
    secrets = {register(api).json()["data"]["secret"] for _ in range(3)}

    assert len(secrets) == 3
    for secret in secrets:
        assert secret.startswith("whsec_")
        assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32


def test_a_secret_is_never_told_again_and_kept_sealed(api: Api) -> None:
    data = register(api).json()["data"]
    secret = data.pop("secret")

    answer = api.get("/webhooks")

    assert answer.json()["data"] == [data]
    assert b"whsec_" not in answer.content
    kept = bytes(Endpoint.objects.get().sealed_secret)
    assert secret.encode() not in kept
    assert base64.b64decode(secret.removeprefix("whsec_")) not in kept


@pytest.mark.parametrize(
    "url",
    [
        PUBLIC,
        "https://1.1.1.1",
        "https://1.1.1.1:443/hooks",
        "https://1.1.1.1:8443/hooks?shop=1&x=%20",
        "https://[2606:4700:4700::1111]/hooks",
        "https://1.1.1.1/" + "x" * (2048 - len("https://1.1.1.1/")),
    ],
)
def test_a_public_https_address_will_do(production: Api, url: str) -> None:
    answer = register(production, url)

    assert answer.status_code == 201, answer.content
    assert answer.json()["data"]["url"] == url


BAD_ANYWHERE = [
    "",
    " ",
    "hooks",
    "//1.1.1.1/hooks",
    "https://",
    "https:///hooks",
    "https:1.1.1.1",
    "ftp://1.1.1.1/hooks",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://user@1.1.1.1/hooks",
    "https://user:secret@1.1.1.1/hooks",
    "https://@1.1.1.1/hooks",
    "https://1.1.1.1/hooks#top",
    "https://1.1.1.1/hooks#",
    "https://1.1.1.1:0/hooks",
    "https://1.1.1.1:22/hooks",
    "https://1.1.1.1:80/hooks",
    "https://1.1.1.1:1023/hooks",
    "https://1.1.1.1:1024/hooks",
    "https://1.1.1.1:8442/hooks",
    "https://1.1.1.1:65535/hooks",
    "https://1.1.1.1:65536/hooks",
    "https://1.1.1.1:x/hooks",
    "https://1.1.1.1/ho oks",
    "https://1.1.1.1/ho\noks",
    "https://1.1.1.1/ho\x00oks",
    "https://1.1.1.1\\@127.0.0.1/",
    "https://1.1.1.1/" + "x" * (2049 - len("https://1.1.1.1/")),
    "https://10.0.0.1/hooks",
    "https://172.16.0.1/hooks",
    "https://192.168.1.1/hooks",
    "https://100.64.0.1/hooks",
    "https://169.254.169.254/latest/meta-data",
    "https://0.0.0.0/hooks",
    "https://224.0.0.1/hooks",
    "https://255.255.255.255/hooks",
    "https://[fd00::1]/hooks",
    "https://[fe80::1]/hooks",
    "https://[::ffff:10.0.0.1]/hooks",
    "https://[::]/hooks",
    "https://[64:ff9b::a00:1]/hooks",
]


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("url", [*BAD_ANYWHERE, 5, None, True, [PUBLIC], {"href": PUBLIC}])
def test_another_address_is_refused_in_both_environments(api: Api, acme: Shop, url: Any) -> None:
    for key in (acme.production_key, acme.sandbox_key):
        api.key = key
        assert is_refused(register(api, url), "ONP400_URL", "url")


@pytest.mark.parametrize(
    "url",
    [
        "http://1.1.1.1/hooks",
        "HTTP://1.1.1.1/hooks",
        LOCAL,
        "https://127.0.0.1/hooks",
        "https://127.1/hooks",
        "https://2130706433/hooks",
        "https://0x7f000001/hooks",
        "https://0177.0.0.1/hooks",
        "https://localhost/hooks",
        "https://LOCALHOST./hooks",
        "https://[::1]/hooks",
        "https://[::ffff:127.0.0.1]/hooks",
    ],
)
def test_an_address_that_is_not_public_is_refused_in_production(production: Api, url: str) -> None:
    assert is_refused(register(production, url), "ONP400_URL", "url")


@pytest.mark.parametrize(
    "url", [LOCAL, "http://[::1]:9000/hooks", "http://localhost:9000/hooks", "https://127.0.0.1:9000/"]
)
def test_a_local_service_lets_the_sandbox_call_the_loopback(api: Api, settings: Settings, url: str) -> None:
    settings.LOCAL = False
    assert is_refused(register(api, url), "ONP400_URL", "url")

    settings.LOCAL = True
    assert register(api, url).status_code == 201


def test_every_kind_of_event_can_be_chosen(api: Api) -> None:
    assert register(api, events=["*"]).json()["data"]["events"] == ["*"]
    assert register(api, events=KINDS).json()["data"]["events"] == KINDS


@pytest.mark.parametrize(
    "events",
    [
        [],
        ["payment.sold"],
        ["payment.paid", "payment.sold"],
        ["payment.paid", "payment.paid"],
        ["*", "payment.paid"],
        ["*", "*"],
        ["payment.*"],
        ["PAYMENT.PAID"],
        [" payment.paid"],
        [""],
        [None],
        [1],
        [["payment.paid"]],
        ["payment.paid\x00"],
        ["payment.paid"] * 1000,
        "payment.paid",
        "*",
        None,
        {"payment.paid": True},
    ],
)
def test_other_events_are_refused(api: Api, events: Any) -> None:
    answer = register(api, events=events)

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "ONP400_EVENTS"
    assert re.fullmatch(r"events(\[\d+\])?", error["field"])
    assert Endpoint.objects.count() == 0


@pytest.mark.parametrize(("member", "code"), [("url", "ONP400_URL"), ("events", "ONP400_EVENTS")])
def test_an_endpoint_has_an_address_and_events(api: Api, member: str, code: str) -> None:
    body = {"url": LOCAL, "events": ["*"]}
    del body[member]

    answer = api.post("/webhooks", body)

    assert is_refused(answer, code, member)
    assert answer.json()["error"]["fields"][0]["code"] == "REQUIRED"


@pytest.mark.parametrize("description", [None, "", "Orders", "x" * 255, "né €"])
def test_an_endpoint_may_be_described(api: Api, description: str | None) -> None:
    assert (register(api, description=description).json()["data"]["description"] or "") == (description or "")


@pytest.mark.parametrize("description", ["x" * 256, 5, ["a"], "a\x00b"])
def test_another_description_is_refused(api: Api, description: Any) -> None:
    assert is_refused(register(api, description=description), "ONP400_VALIDATION", "description")


def test_members_of_the_service_cannot_be_chosen(api: Api) -> None:
    data = register(api, id="whk_1", status="DISABLED", secret="whsec_mine").json()["data"]

    assert (data["status"], data["id"] != "whk_1", data["secret"] != "whsec_mine") == ("ACTIVE", True, True)


def test_the_same_address_may_be_registered_twice(api: Api) -> None:
    assert register(api).json()["data"]["id"] != register(api).json()["data"]["id"]


def test_a_company_has_twenty_endpoints_in_each_environment(api: Api, acme: Shop, globex_api: Api) -> None:
    assert {register(api).status_code for _ in range(20)} == {201}

    answer = register(api)

    assert (answer.status_code, answer.json()["onpayCode"]) == (422, "ONP422_WEBHOOK_LIMIT")
    assert Endpoint.objects.count() == 20
    assert register(globex_api).status_code == 201
    api.key = acme.production_key
    assert register(api, PUBLIC).status_code == 201


def test_a_company_that_is_not_active_may_still_listen(api: Api, acme: Shop) -> None:
    acme.company.status = "SUSPENDED"
    acme.company.save()

    assert register(api).status_code == 201
