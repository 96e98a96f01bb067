"""A merchant whose receiver refuses what we send asks why; the secret it shows is compared and forgotten."""

import base64
import gzip
import json
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from accounts.base.clock import utcnow
from accounts.base.wire import timestamp
from accounts.services import issue_key
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receiver import Received, Receiver
from tests.support.stored import everything_stored
from tests.support.webhooks import NO_ENDPOINT, Hook, ago, happens, later, outcome, registered
from webhooks import signing
from webhooks.dispatch import deliver_due
from webhooks.models import Attempt, Delivery


@pytest.fixture
def arrived(acme: Shop, hook: Hook, receiver: Receiver) -> Received:
    """What acme's receiver got, and refused."""
    receiver.will_answer(401)
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    return receiver.received[0]


def asked(hook: Hook, one: Received, body: bytes | None = None, **members: Any) -> dict[str, str]:
    """The verdict with its words, which give nothing away."""
    content = base64.b64encode(one.body if body is None else body).decode()
    answer = hook.post("verifications", {"headers": one.headers, "bodyBase64": content} | members)
    assert outcome(answer) == (200, "ONP200"), answer.content
    for private in (hook.secret, members.get("secret", ""), one.headers["webhook-signature"]):
        assert not private or private.strip() not in answer.content.decode()
    found = answer.json()["data"]
    assert set(found) == {"verdict", "explanation", "advice"}
    return dict(found)


def verdict(hook: Hook, one: Received, body: bytes | None = None, **members: Any) -> str:
    return asked(hook, one, body, **members)["verdict"]


# Each verdict once


def test_what_we_sent_is_ok(hook: Hook, arrived: Received) -> None:
    assert verdict(hook, arrived) == "OK"
    assert verdict(hook, arrived, secret=hook.secret) == "OK"

    as_text = hook.post("verifications", {"headers": arrived.headers, "body": arrived.body.decode()})
    assert as_text.json()["data"]["verdict"] == "OK"


def test_a_signature_whose_digits_look_like_a_card_is_checked_like_any_other(hook: Hook, arrived: Received) -> None:
    signature = "sha256=4242424242424242" + "ab" * 24
    altered = replace(arrived, headers=arrived.headers | {"x-onpay-signature": signature})

    assert verdict(hook, altered) != "OK"


def test_a_body_written_again_is_recognised(hook: Hook, arrived: Received) -> None:
    assert verdict(hook, arrived, json.dumps(json.loads(arrived.body)).encode()) == "BODY_REENCODED"
    assert verdict(hook, arrived, json.dumps(json.loads(arrived.body), sort_keys=True).encode()) == "BODY_REENCODED"


def test_the_secret_of_another_endpoint_names_that_endpoint(api: Api, hook: Hook, arrived: Received) -> None:
    other = registered(api, "https://1.1.1.1/hooks")

    found = asked(hook, arrived, secret=other.secret)

    assert found["verdict"] == "WRONG_ENDPOINT_SECRET"
    assert other.id in found["explanation"]


def test_a_message_for_another_endpoint_is_recognised(api: Api, hook: Hook, arrived: Received) -> None:
    other = registered(api, "https://1.1.1.1/hooks")

    assert verdict(other, arrived, secret=other.secret) == "WRONG_ENDPOINT_SECRET"


def test_the_secret_of_before_a_rotation_is_recognised(hook: Hook, arrived: Received, receiver: Receiver) -> None:
    hook.post("secret-rotations", {"overlapHours": 0})
    later()
    deliver_due()

    assert verdict(hook, receiver.received[1], secret=hook.secret) == "PREVIOUS_SECRET"


def test_the_secret_of_before_is_recognised_during_the_overlap(
    hook: Hook, arrived: Received, receiver: Receiver
) -> None:
    hook.post("secret-rotations", {})
    later()
    deliver_due()

    assert verdict(hook, receiver.received[1], secret=hook.secret) == "PREVIOUS_SECRET"
    assert verdict(hook, receiver.received[1]) == "OK"


@pytest.mark.parametrize("seconds", [-310, 310])
def test_a_clock_that_is_off_is_recognised(hook: Hook, arrived: Received, seconds: int) -> None:
    at = timestamp(utcnow() + timedelta(seconds=seconds))

    assert verdict(hook, arrived, receivedAt=at) == "TIMESTAMP_SKEW"


def test_a_message_of_long_ago_was_right_when_it_came(hook: Hook, arrived: Received) -> None:
    at = int(arrived.headers["webhook-timestamp"]) - 86_400
    old = Received(signing.headers(arrived.headers["webhook-id"], arrived.body, [hook.secret], at), arrived.body)

    assert verdict(hook, old, receivedAt=timestamp(utcnow() - timedelta(days=1))) == "OK"


def test_an_earlier_attempt_is_not_taken_for_a_clock_that_is_off(hook: Hook, arrived: Received) -> None:
    an_hour_earlier = int(arrived.headers["webhook-timestamp"]) - 3600
    Attempt.objects.update(started_at=ago(hours=1))
    later()
    deliver_due()
    headers = signing.headers(arrived.headers["webhook-id"], arrived.body, [hook.secret], an_hour_earlier)

    assert verdict(hook, Received(headers, arrived.body)) == "OK"


def test_the_event_is_found_however_the_receiver_spells_the_headers(hook: Hook, arrived: Received) -> None:
    sorted_members = json.dumps(json.loads(arrived.body), sort_keys=True).encode()
    for headers in (
        {name.title(): value for name, value in arrived.headers.items()},
        {"HTTP_" + name.upper().replace("-", "_"): value for name, value in arrived.headers.items()},
    ):
        found = hook.post("verifications", {"headers": headers, "body": sorted_members.decode()})
        assert found.json()["data"]["verdict"] == "BODY_REENCODED"


def test_a_line_break_too_many_is_recognised(hook: Hook, arrived: Received) -> None:
    assert verdict(hook, arrived, arrived.body + b"\n") == "TRAILING_NEWLINE"
    assert verdict(hook, arrived, secret=hook.secret + "\n") == "TRAILING_NEWLINE"


def test_another_encoding_is_recognised(hook: Hook, arrived: Received) -> None:
    assert verdict(hook, arrived, gzip.compress(arrived.body)) == "WRONG_ENCODING"
    assert verdict(hook, arrived, secret=hook.secret.removeprefix("whsec_")) == "WRONG_ENCODING"


def test_an_api_key_is_recognised(api: Api, hook: Hook, arrived: Received) -> None:
    assert verdict(hook, arrived, secret=api.key) == "API_KEY_PASTED"


def test_a_secret_of_nobody_and_one_of_another_company_are_equally_unknown(
    globex_api: Api, hook: Hook, arrived: Received, receiver: Receiver
) -> None:
    of_globex = registered(globex_api, receiver.url)

    nobody, theirs = (asked(hook, arrived, secret=secret) for secret in (signing.new_secret(), of_globex.secret))

    assert nobody == theirs
    assert nobody["verdict"] == "UNKNOWN"


def test_the_event_of_another_company_is_not_looked_at(acme: Shop, globex: Shop, hook: Hook, arrived: Received) -> None:
    theirs = happens(globex.sandbox)
    claims = Received(arrived.headers | {"webhook-id": theirs}, arrived.body)
    nobody_s = Received(arrived.headers | {"webhook-id": "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT"}, arrived.body)

    assert asked(hook, claims) == asked(hook, nobody_s)


def test_an_endpoint_that_is_off_can_be_asked_about(hook: Hook, arrived: Received) -> None:
    hook.change({"status": "INACTIVE"})

    assert verdict(hook, arrived) == "OK"


# Nothing stays


def test_the_secret_is_in_no_row_and_no_log(
    api: Api, acme: Shop, hook: Hook, arrived: Received, caplog: Any, capfd: Any
) -> None:
    other, strange = registered(api, "https://1.1.1.1/hooks"), signing.new_secret()
    key = issue_key(acme.sandbox, ["webhooks:read"], "pasted")[1]
    caplog.set_level("DEBUG")
    shown = [hook.secret, other.secret, strange, key]

    for secret in shown:
        asked(hook, arrived, secret=secret)
        hook.post("verifications", {"headers": arrived.headers, "secret": secret})  # refused: no body
        hook.post("verifications", {"headers": arrived.headers, "body": "", "secret": secret * 30})

    logged = caplog.text + "".join(capfd.readouterr())
    stored = "\n".join(value for _, value in everything_stored())
    assert "verifications" in logged and hook.id in stored
    for secret in shown:
        bare = re.sub(r"^(whsec|onp_sandbox)_", "", secret)
        forms = [bare, base64.b64encode(secret.encode()).decode(), secret.encode().hex()]
        if secret.startswith("whsec_"):
            forms += [base64.b64decode(bare).hex(), base64.b64decode(bare).decode("latin-1")]
        for form in forms:
            assert form not in logged
            assert form not in stored


# Refusals


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"headers": None}, "headers"),
        ({"headers": ["webhook-id"]}, "headers"),
        ({"headers": {"webhook-id": 5}}, None),
        ({"headers": {f"x-{number}": "" for number in range(101)}}, "headers"),
        ({"body": 5}, "body"),
        ({"body": None, "bodyBase64": "%%%"}, "bodyBase64"),
        ({"body": None}, None),
        ({"bodyBase64": "e30="}, None),
        ({"secret": 5}, "secret"),
        ({"secret": "x" * 1001}, "secret"),
        ({"receivedAt": "yesterday"}, "receivedAt"),
    ],
)
def test_a_wrong_question_is_refused(hook: Hook, members: dict[str, Any], field: str | None) -> None:
    refused = hook.post("verifications", {"headers": {}, "body": ""} | members)

    assert outcome(refused) == (400, "ONP400_VALIDATION")
    assert field is None or refused.json()["error"]["field"] == field


def test_headers_that_lack_are_an_answer_and_no_error(hook: Hook) -> None:
    answer = hook.post("verifications", {"headers": {}, "body": "{}"})

    assert (outcome(answer), answer.json()["data"]["verdict"]) == ((200, "ONP200"), "UNKNOWN")


def test_globex_is_told_nothing_of_acme_s_endpoint(globex_api: Api, hook: Hook, arrived: Received) -> None:
    content = {"headers": arrived.headers, "body": arrived.body.decode(), "secret": hook.secret}

    assert outcome(Hook(globex_api, hook.id, "").post("verifications", content)) == NO_ENDPOINT


def test_asking_sends_nothing(hook: Hook, arrived: Received, receiver: Receiver) -> None:
    before = list(Delivery.objects.values())

    verdict(hook, arrived)

    assert (list(Delivery.objects.values()), deliver_due(), len(receiver.received)) == (before, 0, 1)
