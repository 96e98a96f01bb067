"""Webhooks of Stripe: signed hints about payments, refunds and disputes (docs.stripe.com/webhooks)."""

import re
from collections.abc import Iterator
from typing import Any

import stripe

from accounts.base.wire import NotOneJsonObject, loads
from gateway.methods.rail import PaymentAction, PaymentResult
from gateway.providers.disputes import DISPUTE
from gateway.providers.errors import Unreadable
from gateway.providers.provider import CARD, MONEY, Message, Notice
from gateway.providers.stripe.api import PAYMENT, REFUND
from gateway.providers.stripe.credentials import StripeCredentials

TOLERANCE_S = 300
CARDS = ("payment_method.updated", "payment_method.automatically_updated", "payment_method.detached")
_OURS = re.compile(r"(pay|ref)_[0-7][0-9A-HJKMNP-TV-Z]{25}")
_DISPUTE = re.compile(r"(dp|du)_[A-Za-z0-9]{1,60}")
_CHARGE = re.compile(r"(ch|py)_[A-Za-z0-9]{1,60}")
_READ = ("payment_intent.", "charge.refunded", "charge.refund.", "refund.", *CARDS)


def is_genuine(message: Message, credentials: StripeCredentials) -> bool:
    """Whether Stripe signed it in the last minutes, in the system that the keys are for."""
    signature = message.headers.get("stripe-signature", "")
    is_signed = any(_is_signed(message.body, signature, secret) for secret in credentials.signing_secrets)
    return is_signed and _event(message.body).get("livemode") is credentials.is_live


def _is_signed(body: bytes, signature: str, secret: str) -> bool:
    try:
        return stripe.WebhookSignature.verify_header(body.decode(), signature, secret, TOLERANCE_S) is True
    except (stripe.SignatureVerificationError, ValueError):
        return False


def notices(body: bytes) -> list[Notice]:
    """The payments and refunds of ours, and the disputes, that an event is about. Raises Unreadable."""
    event = _event(body)
    kind, about = event.get("type"), event.get("data")
    if not isinstance(kind, str) or not isinstance(about, dict) or not isinstance(about.get("object"), dict):
        raise Unreadable("not an event")
    if kind.startswith("charge.dispute."):
        return [Notice(f"{DISPUTE}_{_dispute_id(about['object'])}", PaymentAction.REFUND)]
    return list(_named(kind, about["object"])) if kind.startswith(_READ) else []


def _dispute_id(subject: dict[str, Any]) -> str:
    found = subject.get("id")
    if not isinstance(found, str) or not _DISPUTE.fullmatch(found):
        raise Unreadable("a dispute without its id")
    return found


def _named(kind: str, subject: dict[str, Any]) -> Iterator[Notice]:
    """Metadata of an intent is also that of its charge; refunds have their own."""
    if kind in CARDS:
        if isinstance(subject.get("id"), str):
            yield Notice(f"{CARD}_{subject['id'][:255]}", PaymentAction.AUTHORIZE)
        return
    if payment := _our_id(subject, PAYMENT):
        told = PaymentResult.DONE if kind == "payment_intent.succeeded" else None
        yield Notice(payment, PaymentAction.PAY, told)
    within = subject.get("refunds") if kind == "charge.refunded" else None
    for refund in (subject, *(within.get("data") or () if isinstance(within, dict) else ())):
        if our_id := _our_id(refund, REFUND):
            yield Notice(our_id, PaymentAction.REFUND)
    if charge := _refunded_there(subject):
        yield Notice(f"{MONEY}_{charge}", PaymentAction.REFUND)


def _refunded_there(subject: dict[str, Any]) -> str | None:
    """The charge of a refund that has no id of ours: people made it in Stripe's dashboard."""
    charge = subject.get("charge")
    is_refund = subject.get("object") == "refund" and _our_id(subject, REFUND) is None
    return charge if is_refund and isinstance(charge, str) and _CHARGE.fullmatch(charge) else None


def _our_id(subject: Any, name: str) -> str | None:
    metadata = subject.get("metadata") if isinstance(subject, dict) else None
    found = metadata.get(name) if isinstance(metadata, dict) else None
    return found if isinstance(found, str) and _OURS.fullmatch(found) else None


def _event(body: bytes) -> dict[str, Any]:
    try:
        return dict(loads(body))
    except NotOneJsonObject as wrong:
        raise Unreadable("not an event") from wrong
