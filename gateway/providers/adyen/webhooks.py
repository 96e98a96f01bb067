"""Standard webhooks, of signed notifications (docs.adyen.com/development-resources/webhooks)."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from Adyen.util import is_valid_hmac_notification

from accounts.base.wire import NotOneJsonObject, loads
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.providers.adyen import disputes, reports
from gateway.providers.adyen.credentials import AdyenCredentials
from gateway.providers.adyen.shapes import Item, Notification, Wrapped
from gateway.providers.client import shaped
from gateway.providers.disputes import DISPUTE
from gateway.providers.errors import Unclear, Unreadable
from gateway.providers.provider import CARD, Notice

_OURS = re.compile(r"(pay|ref|sus)_[0-7][0-9A-HJKMNP-TV-Z]{25}")
SAVED = "RECURRING_CONTRACT"
Told = tuple[PaymentAction, PaymentOutcome]


def is_genuine(body: bytes, credentials: AdyenCredentials) -> bool:
    """Whether Adyen signed every notification of the message, in the live system or in the test system as expected."""
    try:
        message = _message(body)
        items = [one["NotificationRequestItem"] for one in message.items]
        return (message.live == "true") == credentials.is_live and all(
            any(_is_signed(item, key) for key in credentials.hmac_keys) for item in items
        )
    except (Unreadable, KeyError):
        return False


def _is_signed(item: Mapping[str, Any], key: str) -> bool:
    """The library raises for anything but a complete notification, and answers None for one without a signature.

    Of one that contains another message it would check the signature of what is inside.
    """
    try:
        return "notificationItems" not in item and is_valid_hmac_notification(item, key) is True
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def notices(body: bytes, credentials: AdyenCredentials) -> list[Notice]:
    """What a genuine message says about payments, refunds and disputes, each once.

    Raises Unreadable for a notification of another form, with what the others say.
    """
    found: dict[tuple[str, str, str], Notice] = {}
    reason = ""
    for one in filter(_is_read, _message(body).items):
        try:
            told = one["NotificationRequestItem"]
            if isinstance(told, dict) and told.get("eventCode") == reports.AVAILABLE:
                if report := reports.announced(told, credentials):
                    found[report.object_id, reports.AVAILABLE, ""] = report
                continue
            item = shaped(one, Wrapped).item
            if item.account == credentials.merchant_account and (notice := _notice(item)):
                found[item.psp, item.event, item.success] = notice
        except (Unclear, Unreadable) as wrong:
            reason = wrong.reason
    if reason:
        raise Unreadable(f"a notification of another form: {reason}", list(found.values()))
    return list(found.values())


def _is_read(one: Mapping[str, Any]) -> bool:
    """What we do not read may have any form."""
    item = one.get("NotificationRequestItem")
    listed = (*_READ, *disputes.STEPS, SAVED, reports.AVAILABLE)
    return not isinstance(item, dict) or str(item.get("eventCode")) in listed


def _notice(item: Item) -> Notice | None:
    if item.event in disputes.STEPS:
        return _of_dispute(item)
    if item.event == SAVED:
        return _saved(item)
    told = _READ[item.event](item) if _OURS.fullmatch(item.reference) else None
    if told is None or item.reference.startswith("pay_") != (told[0] != PaymentAction.REFUND):
        return None
    return Notice(item.reference, told[0], outcome=told[1])


def _of_dispute(item: Item) -> Notice | None:
    """The reference of its payment is signed, so that it names the payment."""
    if item.success != "true":
        return None
    of_ours = _OURS.fullmatch(item.reference) and item.reference.startswith("pay_")
    told = disputes.report(item, item.reference if of_ours else None)
    return Notice(f"{DISPUTE}_{item.psp}", PaymentAction.REFUND, dispute=told)


def _saved(item: Item) -> Notice | None:
    """A card of a payment is in the vault now; its id there is that of the notification."""
    if item.success != "true" or not _OURS.fullmatch(item.reference):
        return None
    return Notice(f"{CARD}_{item.psp}", PaymentAction.AUTHORIZE, details={"payment": item.reference})


def _message(body: bytes) -> Notification:
    try:
        return shaped(loads(body), Notification)
    except (NotOneJsonObject, Unclear) as wrong:
        raise Unreadable("not a standard webhook") from wrong


def _outcome(item: Item, answered: PaymentResult, *, of_payment: bool = False, **more: Any) -> PaymentOutcome:
    """`of_payment`: with Adyen's id of the payment, not of the request to change it."""
    reference, amount = item.original if of_payment else item.psp, item.amount.exact
    if amount is None:
        raise Unreadable("a currency that is none of ours")
    return PaymentOutcome(answered, reference=reference, amount=amount, currency=item.amount.currency, **more)


def _authorisation(item: Item) -> Told:
    if item.success == "true":
        details = {"told": {"paymentMethod": item.method, **(item.extra or {})}}
        return PaymentAction.PAY, _outcome(item, PaymentResult.AUTHORIZED, details=details)
    failure = ("PAYMENT_REFUSED", "The payment was refused or canceled.")
    return PaymentAction.PAY, PaymentOutcome(PaymentResult.DECLINED, failure=failure, reference=item.psp)


def _capture(item: Item) -> Told:
    """A capture that did not succeed may be asked for again."""
    if item.success == "true":
        return PaymentAction.CAPTURE, _outcome(item, PaymentResult.DONE, of_payment=True)
    return PaymentAction.CAPTURE, PaymentOutcome(PaymentResult.UNKNOWN)


def _capture_failed(item: Item) -> Told | None:
    failure = ("CAPTURE_FAILED", "The card scheme rejected the capture.")
    failed = PaymentOutcome(PaymentResult.DECLINED, failure=failure, reference=item.original)
    return (PaymentAction.CAPTURE, failed) if item.success == "true" else None


def _over(about: PaymentAction) -> Callable[[Item], Told | None]:
    """Nobody can pay it any more, or its authorization was released. Without success nothing has changed."""
    done = PaymentResult.DONE
    return lambda item: (about, PaymentOutcome(done, reference=item.original)) if item.success == "true" else None


def _refund(item: Item) -> Told:
    if item.success == "true":
        return PaymentAction.REFUND, _outcome(item, PaymentResult.DONE)
    return _not_refunded(item)


def _refund_failed(item: Item) -> Told | None:
    return _not_refunded(item) if item.success == "true" else None


def _not_refunded(item: Item) -> Told:
    failure = ("ACQUIRER_REFUSED", (item.reason or "The acquirer could not carry out the refund.")[:255])
    return PaymentAction.REFUND, _outcome(item, PaymentResult.DECLINED, failure=failure)


_READ: dict[str, Callable[[Item], Told | None]] = {
    "AUTHORISATION": _authorisation,
    "CAPTURE": _capture,
    "CAPTURE_FAILED": _capture_failed,
    "CANCELLATION": _over(PaymentAction.CANCEL),
    "TECHNICAL_CANCEL": _over(PaymentAction.CANCEL),
    "EXPIRE": _over(PaymentAction.CANCEL),
    "OFFER_CLOSED": _over(PaymentAction.EXPIRE),
    "REFUND": _refund,
    "REFUND_FAILED": _refund_failed,
    "REFUNDED_REVERSED": _refund_failed,
}
"""The events that say something about a payment or a refund; all others are left out."""
