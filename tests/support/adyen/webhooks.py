"""Standard webhooks as the published examples have them, signed by the official library."""

import json
from collections.abc import Mapping
from typing import Any

from Adyen.util import generate_notification_sig
from django.test import Client

from gateway.providers import due
from gateway.providers.models import ProviderAccount
from tests.support.adyen.books import Change, Payment, psp

HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
EVENTS = {"captures": "CAPTURE", "cancels": "CANCELLATION", "refunds": "REFUND"}


def item(event: str, of: Payment | Change, *, success: bool = True, account: str = "OnpayPT", **other: Any) -> Any:
    """A notification about a payment, or about what was asked of one."""
    original = of.payment if isinstance(of, Change) else None
    return {
        "eventCode": event,
        "success": "true" if success else "false",
        "pspReference": of.psp,
        "merchantReference": of.reference,
        "merchantAccountCode": account,
        "amount": of.amount,
        "eventDate": "2026-11-22T12:00:00+01:00",
        "paymentMethod": (original or of).method if isinstance(original or of, Payment) else "",  # type: ignore[union-attr]
        "reason": "" if success else "Refused",
        **({"originalReference": original.psp} if original else {}),
    } | other


def signed(one: Mapping[str, Any], key: str = HMAC_KEY) -> dict[str, Any]:
    made = generate_notification_sig(dict(one), key).decode()
    return {**one, "additionalData": {**one.get("additionalData", {}), "hmacSignature": made}}


def message(*items: Mapping[str, Any], live: str = "true", key: str = HMAC_KEY) -> bytes:
    wrapped = [{"NotificationRequestItem": signed(one, key)} for one in items]
    return json.dumps({"live": live, "notificationItems": wrapped}).encode()


def delivered(account: ProviderAccount, body: bytes) -> int:
    """Adyen sends it, and it is read. The status of the answer."""
    address = f"/callbacks/{account.pk}"
    answer = Client(enforce_csrf_checks=True).post(address, body, content_type="application/json")
    due.run_due(100)
    return int(answer.status_code)


def told(account: ProviderAccount, event: str, of: Payment | Change, **other: Any) -> None:
    assert delivered(account, message(item(event, of, **other))) == 200


def disputed(payment: Payment, **other: Any) -> Change:
    """A dispute of a payment: all of its notifications have the same pspReference."""
    return Change(psp(), payment, "disputes", payment.reference, other.get("amount", payment.amount))


def settled(account: ProviderAccount, change: Change, *, success: bool = True) -> None:
    """Adyen carries out what it received, or cannot, and tells so."""
    told(account, EVENTS[change.kind], change, success=success)


__all__ = ["HMAC_KEY", "delivered", "disputed", "item", "message", "psp", "settled", "signed", "told"]
