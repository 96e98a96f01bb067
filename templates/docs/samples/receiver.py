import base64
import hashlib
import hmac
import json
import time


def verified(body, headers, secret):
    """The event of a delivery. `body` are the raw bytes; the names of `headers` are in lower case."""
    at = headers["webhook-timestamp"]
    if abs(time.time() - int(at)) > 300:
        raise ValueError("too old, or from the future")
    signed = headers["webhook-id"].encode() + b"." + at.encode() + b"." + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if len(key) < 16:
        raise ValueError("no secret: anybody could sign")
    ours = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers["webhook-signature"].split(" ")
    if not any(hmac.compare_digest(ours.encode(), theirs.encode()) for theirs in signatures):
        raise ValueError("not signed with this secret")
    return json.loads(body)


def handle(event, known, release):
    """Right in any order of events, and for repeated ones. Call it in one transaction.

    `known` is a table of yours: payments by id, with the newest event of each. `release(reference)` does nothing the
    second time: UPDATE … SET released = true WHERE … AND NOT released.
    """
    if not event["type"].startswith("payment.") or "paidAt" not in event["data"]:
        return
    payment, newest = event["data"], known.get(event["data"]["id"])
    if newest is None or event["sequence"] > newest["sequence"]:
        known[payment["id"]] = newest = {"sequence": event["sequence"], "status": payment["status"]}
    if payment["paidAt"] and newest["status"] != "REFUNDED":
        release(payment["reference"])
