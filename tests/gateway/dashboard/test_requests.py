"""The request log in the dashboard: what was asked, what went wrong, and what came of it."""

import csv
import io
import uuid
from types import ModuleType
from typing import Any

import pytest
from django.test import Client

from accounts.roles import Role
from accounts.services import issue_key, revoke_key
from gateway.dashboard.curl import as_curl
from gateway.dashboard.requests.words import ACCOUNT, meaning_of
from gateway.requests.models import ApiRequest
from ledger.chart import AccountKind
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.people import a_member, signed_in
from tests.support.receiver import listening
from webhooks.dispatch import deliver_due

pytestmark = pytest.mark.django_db


def requests_of(shop: Shop, environment: str = "sandbox") -> str:
    return f"/dashboard/{shop.company.pk}/{environment}/requests/"


def seen(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, answer
    return answer.content.decode()


def test_a_request_is_listed_and_told_whole(
    viewer: Client, acme: Shop, api: Api, request_log: ModuleType, settings: Any
) -> None:
    settings.LOCAL = True
    with listening() as receiver:
        api.post("/webhooks", {"url": receiver.url, "events": ["*"]})
        payment = api.post("/payments", pix(reference="order-7")).json()["data"]["id"]
        asked = api.post(f"/simulations/payments/{payment}", {"status": "PAID"})["RequestId"]
        deliver_due()
    request_log.flush()

    page = seen(viewer, requests_of(acme))
    told = seen(viewer, f"{requests_of(acme)}{asked}")

    assert f"/simulations/payments/{payment}" in page and "First sandbox key" in page
    for one in (
        asked,
        payment,
        "payment.paid",
        "Available",
        "Our fee",
        "R$1.50",
        "R$148.50",
        receiver.url,
        "Delivered",
    ):
        assert one in told, one
    assert "a retry with this key gets the same response" in told
    assert 'x-api-key: $ONPAY_API_KEY"' in told.replace("&quot;", '"')
    assert acme.sandbox_key not in told


def test_a_repetition_tells_of_the_first(viewer: Client, acme: Shop, api: Api, request_log: ModuleType) -> None:
    key, body = str(uuid.uuid4()), pix()
    first, again = [api.post("/payments", body, key=key)["RequestId"] for _ in range(2)]
    request_log.flush()

    told = seen(viewer, f"{requests_of(acme)}{again}")

    assert "nothing was done" in told and first in told
    assert again in seen(viewer, f"{requests_of(acme)}{first}")


def test_what_went_wrong_is_summed_up_on_top(viewer: Client, acme: Shop, api: Api, request_log: ModuleType) -> None:
    for _ in range(3):
        api.post("/payments", pix(amount=-1))
    last = api.get("/payments/pay_nothing")["RequestId"]
    request_log.flush()

    page = seen(viewer, requests_of(acme)).split("What went wrong")[1].split("</section>")[0]

    assert page.index("ONP400_AMOUNT") < page.index("ONP404_PAYMENT")
    assert meaning_of("ONP404_PAYMENT") in page and "errors#ONP404_PAYMENT" in page and last in page
    assert "What went wrong" not in seen(viewer, f"{requests_of(acme)}?method=GET")


def test_requests_are_filtered(viewer: Client, acme: Shop, api: Api, address: str, request_log: ModuleType) -> None:
    key, other = issue_key(acme.sandbox, ["transactions:read"], "Reports")
    created = api.post("/payments", pix())
    payment = created.json()["data"]["id"]
    ids = {"made": created["RequestId"], "wrong": api.post("/payments", pix(amount=-1))["RequestId"]}
    api.key = other
    ids["read"] = api.get("/payments")["RequestId"]
    revoke_key(key)
    request_log.flush()

    for query, expected in (
        ("", {"made", "wrong", "read"}),
        ("method=GET", {"read"}),
        ("path_contains=ayment", {"made", "wrong", "read"}),
        ("path_contains=webhooks", set()),
        ("status_class=4", {"wrong"}),
        ("status_class=2&method=POST", {"made"}),
        ("code=ONP400_AMOUNT", {"wrong"}),
        (f"key_id={key.pk}", {"read"}),
        ("key_id=key_nothing", {"made", "wrong", "read"}),
        (f"object_id={payment}", {"made"}),
        (f"origin={address}", {"made", "wrong", "read"}),
        ("origin=192.0.2.1", set()),
        ("origin=nowhere", {"made", "wrong", "read"}),
        ("created_from=2099-01-01T00:00", set()),
        ("path_contains=%00", {"made", "wrong", "read"}),
    ):
        page = seen(viewer, f"{requests_of(acme)}?{query}")
        rows = page.split("<tbody>")[-1] if "<tbody>" in page else ""
        assert {name for name, one in ids.items() if one in rows} == expected, query


def test_the_list_goes_out_as_a_file(viewer: Client, acme: Shop, api: Api, request_log: ModuleType) -> None:
    asked = api.post("/payments", pix(amount=-1))["RequestId"]
    api.get("/payments")
    request_log.flush()

    answer = viewer.get(f"{requests_of(acme)}?status_class=4&format=csv")
    rows = list(csv.reader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))  # type: ignore[attr-defined]

    assert "requests-" in answer["Content-Disposition"]
    assert len(rows) == 2
    named = f"First sandbox key (…{acme.sandbox_key[-4:]})"
    assert rows[1][1:6] == ["POST", "/api/v2/payments", "400", "ONP400_AMOUNT", named]
    assert rows[1][-1] == asked


def test_nobody_sees_a_request_of_somebody_else(
    viewer: Client, acme: Shop, globex: Shop, globex_api: Api, request_log: ModuleType
) -> None:
    theirs = globex_api.get("/payments")["RequestId"]
    production = Api(acme.production_key).get("/payments")["RequestId"]
    request_log.flush()

    for one in (theirs, production, "req_nothing", "req_%00"):
        assert viewer.get(f"{requests_of(acme)}{one}").status_code == 404
    assert theirs not in seen(viewer, requests_of(acme))
    assert viewer.get(requests_of(globex)).status_code == 404
    assert production in seen(viewer, requests_of(acme, "production"))


@pytest.mark.parametrize("role", [Role.FINANCE, Role.SUPPORT])
def test_who_does_not_read_technical_things_is_told(acme: Shop, api: Api, request_log: ModuleType, role: Role) -> None:
    asked, browser = api.get("/payments")["RequestId"], signed_in(a_member(acme.company, role))
    request_log.flush()

    for path in ("", asked, "?format=csv"):
        assert browser.get(f"{requests_of(acme)}{path}").status_code == 403


def test_the_pages_ask_little(
    viewer: Client, acme: Shop, api: Api, request_log: ModuleType, django_assert_max_num_queries: Any
) -> None:
    for _ in range(20):
        asked = api.post("/payments", pix())["RequestId"]
    request_log.flush()
    viewer.get(requests_of(acme))

    with django_assert_max_num_queries(11):
        viewer.get(requests_of(acme))
    with django_assert_max_num_queries(16):
        viewer.get(f"{requests_of(acme)}{asked}")
    assert ApiRequest.objects.count() == 20


def test_a_line_for_the_shell_is_quoted() -> None:
    line = as_curl("POST", "https://x.example/a?b=c'd", {"x-api-key": "$KEY", "x": 'a"b'}, '{"it\'s": 1}')

    assert line.splitlines() == [
        """curl -s 'https://x.example/a?b=c'"'"'d' \\""",
        """  -H "x-api-key: $KEY" \\""",
        """  -H 'x: a"b' \\""",
        """  --data-binary '{"it'"'"'s": 1}'""",
    ]
    assert as_curl("DELETE", "https://x.example/a", {}) == "curl -s -X DELETE https://x.example/a"


def test_every_account_that_a_company_sees_has_words() -> None:
    unseen = {
        AccountKind.ACQUIRER_FEES,
        AccountKind.BANK,
        AccountKind.BANK_FEES,
        AccountKind.GAINS_LOSSES,
        AccountKind.OWN_FUNDS,
        AccountKind.TRANSIT,
    }

    assert set(ACCOUNT) == set(AccountKind) - unseen
