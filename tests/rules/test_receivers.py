"""The receivers of /docs/webhooks verify what we send, and release an order once."""

import json
import runpy
import shutil
import subprocess
import time
from itertools import permutations
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from gateway.api.reference import facts
from webhooks import signing

SAMPLES = settings.BASE_DIR / "templates" / "docs" / "samples"
BODY = b'{"type":"payment.updated","data":{"reference":"order-1","paidAt":"2026-11-21T12:00:00.000Z","status":"PAID"}}'


def delivered(secret: str = facts.SAMPLE_SECRET, body: bytes = BODY, at: int | None = None) -> dict[str, str]:
    """As during a rotation: two secrets sign."""
    return signing.headers("evt_1", body, [signing.new_secret(), secret], at or int(time.time()))


BENT = [
    (delivered(), BODY + b" "),
    (delivered(secret=signing.new_secret()), BODY),
    (delivered(at=int(time.time()) - 400), BODY),
    (delivered() | {"webhook-signature": "v1,\u00e9"}, BODY),
]
UNSET = "whsec_"
"""A secret that was configured without its key: anybody can sign with it."""


def event(type_: str, sequence: int, status: str, *, paid: bool) -> dict[str, Any]:
    data = {"id": "pay_1", "reference": "o", "paidAt": "x" if paid else None, "status": status}
    return {"type": type_, "sequence": sequence, "data": data}


OPEN = event("payment.action_required", 1, "ACTION_REQUIRED", paid=False)
PAID = event("payment.paid", 2, "PAID", paid=True)
PARTLY_BACK = event("payment.updated", 3, "PAID", paid=True)
BACK = event("payment.refunded", 4, "REFUNDED", paid=True)
OTHERS = [{"type": "webhook.test", "data": {"message": "x"}}, {"type": "balance.released", "data": {"amount": 1}}]
STORIES = [
    *[([*order, *OTHERS], {"o"}) for order in permutations((OPEN, PAID, PARTLY_BACK))],
    ([PARTLY_BACK, PARTLY_BACK], {"o"}),
    ([OPEN, OPEN, *OTHERS], set()),
    *[([BACK, *order], set()) for order in permutations((OPEN, PAID, PARTLY_BACK))],
    ([PAID, BACK], {"o"}),
]
"""Events in the order of their arrival, and what is released."""


@pytest.fixture(scope="module")
def in_python() -> dict[str, Any]:
    return runpy.run_path(str(SAMPLES / "receiver.py"))


def test_the_receiver_in_python_takes_what_is_ours_and_nothing_else(in_python: dict[str, Any]) -> None:
    assert in_python["verified"](BODY, delivered(), facts.SAMPLE_SECRET) == json.loads(BODY)
    for headers, body in BENT:
        with pytest.raises(ValueError, match=r"signed|old"):
            in_python["verified"](body, headers, facts.SAMPLE_SECRET)
    with pytest.raises(ValueError, match="no secret"):
        in_python["verified"](BODY, delivered(UNSET), UNSET)


def test_the_handler_in_python_releases_what_is_paid_in_any_order(in_python: dict[str, Any]) -> None:
    for events, released in STORIES:
        known: dict[str, Any] = {}
        found: set[str] = set()
        for one in events:
            in_python["handle"](one, known, found.add)
        assert found == released, events


RUN = """
import { verified, handle } from %s;
const [secret, good, bent, stories, unset] = JSON.parse(process.argv[1]);
const taken = ([headers, body], secret) => {
  try { return verified(Buffer.from(body), headers, secret).type; } catch { return null; }
};
const released = stories.map((events) => {
  const known = new Map(), found = new Set();
  for (const event of events) handle(event, known, (one) => found.add(one));
  return [...found];
});
console.log(JSON.stringify([taken(good, secret), bent.map((one) => taken(one, secret)), released, taken(...unset)]));
"""


def test_the_receiver_in_node_does_the_same() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node here")
    bent = [[headers, body.decode()] for headers, body in BENT]
    unset = [[delivered(UNSET), BODY.decode()], UNSET]
    told = json.dumps(
        [facts.SAMPLE_SECRET, [delivered(), BODY.decode()], bent, [events for events, _ in STORIES], unset]
    )
    program = RUN % json.dumps((SAMPLES / "receiver.mjs").as_uri())

    done = subprocess.run(
        [node, "--input-type=module", "-e", program, told], capture_output=True, text=True, check=True
    )

    assert json.loads(done.stdout) == [
        "payment.updated",
        [None] * len(BENT),
        [list(released) for _, released in STORIES],
        None,
    ]


def test_the_sample_delivery_is_signed_with_the_sample_secret(
    in_python: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: facts.SAMPLE_AT)
    headers, body = facts.sample_delivery()

    assert in_python["verified"](body, headers, facts.SAMPLE_SECRET)["type"] == "payment.paid"


def test_the_page_shows_both_receivers_and_a_whole_delivery(client: Client) -> None:
    page = client.get("/docs/webhooks.md").content.decode()

    for word in ("def verified", "export function verified", "x-onpay-signature: sha256=", "x-onpay-attempt: 1"):
        assert word in page
    assert "Release once, when a verified event carries" in page
