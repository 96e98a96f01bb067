"""While a secret is rotated, receivers that know the old one, the new one or both all verify what arrives."""

import hashlib
import hmac
import json
import shutil
import subprocess
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from accounts.base.clock import utcnow
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receiver import Received, Receiver
from tests.support.webhooks import NO_ENDPOINT, Hook, ago, later, outcome
from webhooks.dispatch import deliver_due
from webhooks.models import Endpoint

JAVASCRIPT = """
const { Webhook } = require("standardwebhooks");
const { secret, body, headers } = JSON.parse(require("fs").readFileSync(0, "utf8"));
try { new Webhook(secret).verify(body, headers); console.log("accepted"); } catch { console.log("refused"); }
"""


def rotated(hook: Hook, **body: Any) -> dict[str, Any]:
    answer = hook.post("secret-rotations", body)
    assert outcome(answer) == (201, "ONP201")
    return dict(answer.json()["data"])


def moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def the_overlap_ends(hook: Hook) -> None:
    Endpoint.objects.filter(pk=hook.id).update(previous_secret_expires_at=ago(seconds=1))


def arrived(shop: Shop, receiver: Receiver) -> Received:
    """What the receiver gets of something that happens now."""
    receiver.received.clear()
    a_payment(shop.sandbox, "PAID")
    assert deliver_due() == 1
    [one] = receiver.received
    return one


def library_accepts(secret: str, one: Received) -> bool:
    try:
        Webhook(secret).verify(one.body, one.headers)
    except WebhookVerificationError:
        return False
    return True


def one_line_accepts(secret: str, one: Received) -> bool:
    mine = "sha256=" + hmac.new(secret.encode(), one.body, hashlib.sha256).hexdigest()
    return mine in one.headers["x-onpay-signature"].split(",")


def accepted(one: Received, *secrets: str) -> list[bool]:
    """Which of the secrets verify it; the library and the one line agree."""
    by_library = [library_accepts(secret, one) for secret in secrets]
    assert [one_line_accepts(secret, one) for secret in secrets] == by_library
    return by_library


def test_before_during_and_after_the_overlap(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    old = hook.secret
    before = arrived(acme, receiver)
    assert accepted(before, old) == [True]

    new = rotated(hook, overlapHours=24)["secret"]
    assert accepted(before, old, new) == [True, False]
    assert accepted(arrived(acme, receiver), old, new) == [True, True]

    the_overlap_ends(hook)
    assert accepted(arrived(acme, receiver), old, new) == [False, True]


def test_the_new_secret_signs_first(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    new = rotated(hook)["secret"]

    both = arrived(acme, receiver)

    assert len(both.headers["webhook-signature"].split(" ")) == 2
    plain = ["sha256=" + hmac.new(s.encode(), both.body, hashlib.sha256).hexdigest() for s in (new, hook.secret)]
    assert both.headers["x-onpay-signature"] == ",".join(plain)
    first_only = both.headers | {"webhook-signature": both.headers["webhook-signature"].split(" ")[0]}
    assert library_accepts(new, Received(first_only, both.body))
    assert not library_accepts(hook.secret, Received(first_only, both.body))


def test_the_answer_shows_the_new_secret_and_the_deadline_of_the_old(hook: Hook) -> None:
    before = hook.shown()

    new = rotated(hook, overlapHours=72)

    assert new["secret"].startswith("whsec_") and new["secret"] != hook.secret
    assert abs(moment(new["previousSecretExpiresAt"]) - utcnow() - timedelta(hours=72)) < timedelta(seconds=10)
    shown = hook.shown()
    assert shown["previousSecretExpiresAt"] == new["previousSecretExpiresAt"]
    assert shown == before | {name: shown[name] for name in ("previousSecretExpiresAt", "updatedAt")}


def test_a_day_is_the_overlap_unless_said(hook: Hook) -> None:
    expires = moment(rotated(hook)["previousSecretExpiresAt"])

    assert abs(expires - utcnow() - timedelta(hours=24)) < timedelta(seconds=10)


def test_the_deadline_is_shown_no_longer_than_it_lasts(hook: Hook) -> None:
    rotated(hook)

    the_overlap_ends(hook)

    assert hook.shown()["previousSecretExpiresAt"] is None


def test_without_overlap_the_old_secret_is_dead_at_once(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    new = rotated(hook, overlapHours=0)

    assert accepted(arrived(acme, receiver), hook.secret, new["secret"]) == [False, True]


def test_a_second_rotation_replaces_the_new_secret_and_keeps_the_deadline(
    acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    second = rotated(hook, overlapHours=2)

    third = rotated(hook, overlapHours=72)

    assert third["previousSecretExpiresAt"] == second["previousSecretExpiresAt"]
    secrets = hook.secret, second["secret"], third["secret"]
    assert len(set(secrets)) == 3
    assert accepted(arrived(acme, receiver), *secrets) == [True, False, True]
    the_overlap_ends(hook)
    assert accepted(arrived(acme, receiver), *secrets) == [False, False, True]


def test_a_rotation_after_an_overlap_begins_a_new_one(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    second = rotated(hook)
    the_overlap_ends(hook)

    third = rotated(hook, overlapHours=1)

    assert abs(moment(third["previousSecretExpiresAt"]) - utcnow() - timedelta(hours=1)) < timedelta(seconds=10)
    secrets = hook.secret, second["secret"], third["secret"]
    assert accepted(arrived(acme, receiver), *secrets) == [False, True, True]


def test_what_failed_before_is_signed_again_with_the_secrets_of_now(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    receiver.will_answer(500)
    a_payment(acme.sandbox, "PAID")
    deliver_due()

    new = rotated(hook, overlapHours=0)["secret"]
    later()
    deliver_due()

    first, again = receiver.received
    assert (first.body, first.headers["webhook-id"]) == (again.body, again.headers["webhook-id"])
    assert (accepted(first, hook.secret, new), accepted(again, hook.secret, new)) == ([True, False], [False, True])


def test_an_endpoint_that_is_off_is_rotated_too(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    hook.change({"status": "INACTIVE"})

    new = rotated(hook, overlapHours=0)

    assert new["status"] == "INACTIVE"
    hook.change({"status": "ACTIVE"})
    assert accepted(arrived(acme, receiver), hook.secret, new["secret"]) == [False, True]


@pytest.mark.parametrize("hours", [-1, 73, "24", 1.5, True, None])
def test_a_wrong_overlap_is_refused_and_nothing_is_rotated(
    acme: Shop, hook: Hook, receiver: Receiver, hours: object
) -> None:
    before = Endpoint.objects.values().get()

    refused = hook.post("secret-rotations", {"overlapHours": hours})

    assert (outcome(refused), refused.json()["error"]["field"]) == ((400, "ONP400_VALIDATION"), "overlapHours")
    assert Endpoint.objects.values().get() == before
    assert accepted(arrived(acme, receiver), hook.secret) == [True]


def test_a_repeated_rotation_rotates_once(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    key = str(uuid.uuid4())
    first = hook.post("secret-rotations", {}, key=key)

    again = hook.post("secret-rotations", {}, key=key)

    assert (again.content, again["Idempotent-Replayed"]) == (first.content, "true")
    secret = first.json()["data"]["secret"]
    assert accepted(arrived(acme, receiver), hook.secret, secret) == [True, True]


def test_another_endpoint_keeps_its_secret(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    other = Endpoint.objects.values().get()
    second = api.post("/webhooks", {"url": receiver.url, "events": ["refund.created"]}).json()["data"]

    rotated(Hook(api, second["id"], second["secret"]))

    assert Endpoint.objects.values().get(pk=hook.id) == other


def test_globex_rotates_nothing_of_acme(globex_api: Api, hook: Hook) -> None:
    before = Endpoint.objects.values().get()

    assert outcome(Hook(globex_api, hook.id, "").post("secret-rotations", {})) == NO_ENDPOINT
    assert Endpoint.objects.values().get() == before


def test_new_and_old_secrets_are_sealed_at_rest(hook: Hook) -> None:
    new = rotated(hook)["secret"]

    sealed = bytes(hook.row().sealed_secret) + bytes(hook.row().sealed_previous_secret)

    for secret in (new, hook.secret):
        assert secret.removeprefix("whsec_").encode() not in sealed


def test_the_javascript_library_agrees(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    node = shutil.which("node")
    if node is None or subprocess.run([node, "-e", "require('standardwebhooks')"], capture_output=True).returncode:
        pytest.skip("needs Node.js with the package standardwebhooks")

    def verdicts(one: Received, *secrets: str) -> list[str]:
        asked = [json.dumps({"secret": s, "body": one.body.decode(), "headers": one.headers}) for s in secrets]
        return [
            subprocess.run([node, "-e", JAVASCRIPT], input=text, capture_output=True, text=True).stdout.strip()
            for text in asked
        ]

    new = rotated(hook)["secret"]
    assert verdicts(arrived(acme, receiver), hook.secret, new) == ["accepted", "accepted"]
    the_overlap_ends(hook)
    assert verdicts(arrived(acme, receiver), hook.secret, new) == ["refused", "accepted"]
