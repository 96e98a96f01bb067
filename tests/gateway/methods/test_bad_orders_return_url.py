"""Where a checkout may send the payer back to: HTTPS only, without a user, and nothing else may break an order."""

from typing import Any

import pytest
from pytest_django import Settings

from tests.support.api import Api
from tests.support.bad_orders import (
    COLOMBIA,
    NO_CHECKOUT,
    Changes,
    Faults,
    cases,
    is_refused,
    is_taken,
    nothing_was_made,
    order,
    said,
)
from tests.support.companies import Shop
from tests.support.rows import rows

RETURN_URL = "ONP400_RETURN_URL"
WRONG = [("returnUrl", "INVALID")]
BAD_URLS: list[Any] = [
    "http://shop.example/done",
    "http://localhost.shop.example/done",
    "http://127.0.0.1.shop.example/done",
    "http://169.254.169.254/done",
    "http://10.0.0.1/done",
    "https://maria@shop.example/done",
    "https://maria:secret@shop.example/done",
    "https://localhost@evil.example/",
    "http://localhost@evil.example/",
    "javascript:alert(1)",
    "JavaScript://shop.example/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "ftp://shop.example/done",
    "file:///etc/passwd",
    "/done",
    "//shop.example/done",
    "shop.example/done",
    "https:shop.example/done",
    "https:/shop.example/done",
    "https://",
    "https:///done",
    "https://?a=b",
    "https://shop.example:port/done",
    "https://shop.example:99999/done",
    "https://shop.example/a b",
    "https://shop.example/\r\nSet-Cookie: a=b",
    "https://shop.example/\x00",
    "https://shop\\.example/done",
    "https://[::1/done",
    "https://" + "x" * 3000 + ".example/",
    5,
    True,
    ["https://shop.example/done"],
    {"url": "https://shop.example/done"},
]
LOOPBACK = ["http://localhost:3000/done", "http://127.0.0.1:3000/done", "http://[::1]:3000/done"]
SEVERAL: list[tuple[Changes, str, Faults]] = [
    (
        {"payer.taxId": "%", "returnUrl": "/done", "paymentMethodToken": "pmt_sandbox_approved"},
        "ONP400_PAYER",
        [("payer.taxId", "INVALID"), *WRONG, ("paymentMethodToken", "NOT_ALLOWED")],
    ),
    (
        {"returnUrl": "/done", "paymentMethodToken": "pmt_sandbox_approved", "expiresIn": 1},
        RETURN_URL,
        [*WRONG, ("paymentMethodToken", "NOT_ALLOWED")],
    ),
]


@pytest.mark.parametrize("method", COLOMBIA)
@rows("url", BAD_URLS)
def test_an_address_that_a_checkout_must_not_open_is_refused(api: Api, method: str, url: Any) -> None:
    answer = api.post("/payments", order(method, {"returnUrl": url}))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, RETURN_URL)
    assert [field for field, _ in said(answer)] == ["returnUrl"]
    assert nothing_was_made()


@pytest.mark.parametrize("method", COLOMBIA)
def test_put_right_it_succeeds_with_the_same_key(api: Api, method: str) -> None:
    is_refused(api, method, {"returnUrl": "http://shop.example/done"}, RETURN_URL, WRONG)


@rows(("method", "changes", "code", "faults"), cases(COLOMBIA, *SEVERAL))
def test_several_faults_are_in_the_contracts_order(
    api: Api, method: str, changes: Changes, code: str, faults: Faults
) -> None:
    is_refused(api, method, changes, code, faults)


@pytest.mark.parametrize("method", COLOMBIA)
@rows(
    "url", ["https://shop.example", "https://shop.example:8443/done?a=b&c=d#e", "https://loja.exemplo.com.br/obrigado"]
)
def test_an_https_address_is_taken(api: Api, method: str, url: str) -> None:
    is_taken(api, method, {"returnUrl": url})


@pytest.mark.parametrize("method", COLOMBIA)
@rows("url", LOOPBACK)
def test_plain_http_is_for_a_sandbox_on_the_developers_machine(
    api: Api, settings: Settings, method: str, url: str
) -> None:
    settings.LOCAL = False
    is_refused(api, method, {"returnUrl": url}, RETURN_URL, WRONG)

    settings.LOCAL = True
    assert api.post("/payments", order(method, {"returnUrl": url})).status_code == 201


@pytest.mark.parametrize("method", COLOMBIA)
@rows("url", LOOPBACK)
def test_production_never_sends_a_payer_over_plain_http(
    api: Api, acme: Shop, settings: Settings, method: str, url: str
) -> None:
    settings.LOCAL = True
    api.key = acme.production_key

    answer = api.post("/payments", order(method, {"returnUrl": url}))

    assert (answer.status_code, answer.json()["error"]["code"], said(answer)) == (400, RETURN_URL, WRONG)
    assert nothing_was_made()


@pytest.mark.parametrize("method", NO_CHECKOUT)
@rows("url", ["http://shop.example/done", "javascript:alert(1)", "/done", "", 5])
def test_an_address_is_ignored_where_there_is_no_checkout(api: Api, method: str, url: Any) -> None:
    is_taken(api, method, {"returnUrl": url})
