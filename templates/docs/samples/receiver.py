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
    ours = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(ours, theirs) for theirs in headers["webhook-signature"].split(" ")):
        raise ValueError("not signed with this secret")
    return json.loads(body)


def handle(event, release):
    """`release(reference)` does nothing the second time: UPDATE … SET released = true WHERE … AND NOT released."""
    payment = event["data"]
    if event["type"].startswith("payment.") and payment["paidAt"] and payment["status"] != "REFUNDED":
        release(payment["reference"])
