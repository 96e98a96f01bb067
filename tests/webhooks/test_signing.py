"""Receivers can prove that a webhook is ours, with a standard library and with one line of code."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from webhooks import signing

SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
EVENT_ID = "evt_01JD3K5V8M0000000000000001"
AT = 1795176000
BODY = (
    b'{"id":"evt_01JD3K5V8M0000000000000001","type":"payment.paid","timestamp":"2026-11-20T12:00:00.000Z",'
    b'"data":{"id":"pay_01JD3K5V8M0000000000000002","status":"PAID"}}'
)


def now() -> int:
    return int(datetime.now(UTC).timestamp())


def test_the_headers_are_those_of_the_contract():
    assert signing.headers(EVENT_ID, BODY, [SECRET], AT) == {
        "webhook-id": EVENT_ID,
        "webhook-timestamp": "1795176000",
        "webhook-signature": "v1,C8sWB6WUj1/ly1kFrz0bzVeFypRHb3XPizmo/F3HXtk=",
        "x-onpay-signature": "sha256=ac9417b67b05d5e6e7c4c8998ec03ebc9db9e1b608b41c8b921733990a525243",
    }


def test_the_standard_library_signs_the_same():
    standard = Webhook(SECRET).sign(EVENT_ID, datetime.fromtimestamp(AT, UTC), BODY.decode())

    assert signing.headers(EVENT_ID, BODY, [SECRET], AT)["webhook-signature"] == standard


def test_the_standard_library_accepts_either_secret_of_a_rotation():
    new, old = signing.new_secret(), signing.new_secret()

    headers = signing.headers(EVENT_ID, BODY, [new, old], now())

    assert Webhook(new).verify(BODY, headers)["type"] == "payment.paid"
    assert Webhook(old).verify(BODY, headers)["type"] == "payment.paid"


def test_the_new_secret_signs_first():
    new, old = signing.new_secret(), signing.new_secret()

    both = signing.headers(EVENT_ID, BODY, [new, old], AT)
    by_new = signing.headers(EVENT_ID, BODY, [new], AT)
    by_old = signing.headers(EVENT_ID, BODY, [old], AT)

    assert both["webhook-signature"] == f"{by_new['webhook-signature']} {by_old['webhook-signature']}"
    assert both["x-onpay-signature"] == f"{by_new['x-onpay-signature']},{by_old['x-onpay-signature']}"


def test_one_line_of_code_verifies_the_raw_body():
    secret = signing.new_secret()

    signature = signing.headers(EVENT_ID, BODY, [secret], AT)["x-onpay-signature"]

    assert signature == "sha256=" + hmac.new(secret.encode(), BODY, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("position", [0, 17, len(BODY) - 1])
def test_a_changed_body_is_not_accepted(position):
    headers = signing.headers(EVENT_ID, BODY, [SECRET], now())
    changed = BODY[:position] + bytes([BODY[position] ^ 1]) + BODY[position + 1 :]

    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(changed, headers)


def test_a_stranger_s_secret_is_not_accepted():
    headers = signing.headers(EVENT_ID, BODY, [signing.new_secret()], now())

    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(BODY, headers)


def test_a_body_that_is_not_utf8_can_be_signed():
    headers = signing.headers(EVENT_ID, b"\xff\x00", [SECRET], AT)

    assert headers["x-onpay-signature"].startswith("sha256=")


def test_a_webhook_never_leaves_unsigned():
    with pytest.raises(ValueError, match="never leaves unsigned"):
        signing.headers(EVENT_ID, BODY, [], AT)


def test_a_secret_is_32_fresh_random_bytes():
    secrets = {signing.new_secret() for _ in range(100)}

    assert len(secrets) == 100
    assert {len(base64.b64decode(secret.removeprefix("whsec_"))) for secret in secrets} == {32}
