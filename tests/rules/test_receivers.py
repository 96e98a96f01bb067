"""The receivers of /docs/webhooks verify what we send, and release an order once."""

import json
import runpy
import shutil
import subprocess
import time
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from gateway.api.reference import guide
from webhooks import signing

SAMPLES = settings.BASE_DIR / "templates" / "docs" / "samples"
BODY = b'{"type":"payment.updated","data":{"reference":"order-1","paidAt":"2026-11-21T12:00:00.000Z","status":"PAID"}}'


def delivered(secret: str = guide.SAMPLE_SECRET, body: bytes = BODY, at: int | None = None) -> dict[str, str]:
    """As during a rotation: two secrets sign."""
    return signing.headers("evt_1", body, [signing.new_secret(), secret], at or int(time.time()))


BENT = [
    (delivered(), BODY + b" "),
    (delivered(secret=signing.new_secret()), BODY),
    (delivered(at=int(time.time()) - 400), BODY),
]
RELEASES = [
    ({"type": "payment.updated", "data": {"reference": "o", "paidAt": "x", "status": "PAID"}}, ["o"]),
    ({"type": "payment.paid", "data": {"reference": "o", "paidAt": "x", "status": "PAID"}}, ["o"]),
    ({"type": "payment.refunded", "data": {"reference": "o", "paidAt": "x", "status": "REFUNDED"}}, []),
    ({"type": "payment.action_required", "data": {"reference": "o", "paidAt": None, "status": "ACTION_REQUIRED"}}, []),
    ({"type": "webhook.test", "data": {"message": "x"}}, []),
]


@pytest.fixture(scope="module")
def in_python() -> dict[str, Any]:
    return runpy.run_path(str(SAMPLES / "receiver.py"))


def test_the_receiver_in_python_takes_what_is_ours_and_nothing_else(in_python: dict[str, Any]) -> None:
    assert in_python["verified"](BODY, delivered(), guide.SAMPLE_SECRET) == json.loads(BODY)
    for headers, body in BENT:
        with pytest.raises(ValueError, match=r"signed|old"):
            in_python["verified"](body, headers, guide.SAMPLE_SECRET)


@pytest.mark.parametrize(("event", "released"), RELEASES, ids=[event["type"] for event, _ in RELEASES])
def test_the_handler_in_python_releases_what_is_paid(
    in_python: dict[str, Any], event: dict[str, Any], released: list[str]
) -> None:
    found: list[str] = []
    in_python["handle"](event, found.append)
    assert found == released


RUN = """
import { verified, handle } from %s;
const [secret, good, bent, releases] = JSON.parse(process.argv[1]);
const taken = ([headers, body]) => {
  try { return verified(Buffer.from(body), headers, secret).type; } catch { return null; }
};
const released = releases.map((event) => { const found = []; handle(event, (one) => found.push(one)); return found; });
console.log(JSON.stringify([taken(good), bent.map(taken), released]));
"""


def test_the_receiver_in_node_does_the_same() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node here")
    bent = [[headers, body.decode()] for headers, body in BENT]
    told = json.dumps([guide.SAMPLE_SECRET, [delivered(), BODY.decode()], bent, [event for event, _ in RELEASES]])
    program = RUN % json.dumps((SAMPLES / "receiver.mjs").as_uri())

    done = subprocess.run(
        [node, "--input-type=module", "-e", program, told], capture_output=True, text=True, check=True
    )

    assert json.loads(done.stdout) == ["payment.updated", [None] * len(BENT), [released for _, released in RELEASES]]


def test_the_sample_delivery_is_signed_with_the_sample_secret(
    in_python: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: guide.SAMPLE_AT)
    headers, body = guide.sample_delivery()

    assert in_python["verified"](body, headers, guide.SAMPLE_SECRET)["type"] == "payment.paid"


def test_the_page_shows_both_receivers_and_a_whole_delivery(client: Client) -> None:
    page = client.get("/docs/webhooks").content.decode()

    for word in ("def verified", "export function verified", "x-onpay-signature: sha256=", "x-onpay-attempt: 1"):
        assert word in page
    assert "Release once, when a verified event carries" in page
