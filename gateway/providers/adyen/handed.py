"""What the payer's browser hands over from Adyen's library, as far as it is passed on. None of it is stored or logged.

It comes from outside: only known members of the right type are passed on, and no card number in plain digits.
"""

from collections.abc import Mapping
from typing import Any

ENCRYPTED = ("encryptedCardNumber", "encryptedExpiryMonth", "encryptedExpiryYear", "encryptedSecurityCode")
_OPTIONAL = ("holderName", "brand", "checkoutAttemptId")
_RESULTS = ("threeDSResult", "redirectResult", "payload")
_TEXTS = ("acceptHeader", "language", "userAgent")
_NUMBERS = ("colorDepth", "screenHeight", "screenWidth", "timeZoneOffset")
LONGEST, LONGEST_TEXT = 15_000, 1_000


def encrypted_card(given: Mapping[str, Any]) -> dict[str, str] | None:
    """The card of state data. None: it is not complete."""
    typed = given.get("paymentMethod")
    if not isinstance(typed, dict):
        return None
    card = {name: typed[name] for name in ENCRYPTED if _is_text(typed.get(name), LONGEST) and not typed[name].isdigit()}
    if not card.keys() >= set(ENCRYPTED[:3]):
        return None
    more = {name: typed[name] for name in _OPTIONAL if _is_text(typed.get(name), LONGEST_TEXT)}
    return {"type": "scheme"} | card | more


def browser_of_payer(given: Mapping[str, Any]) -> dict[str, Any]:
    """The browser as 3DS wants to know it, or nothing."""
    told = given.get("browserInfo")
    if not isinstance(told, dict):
        return {}
    browser: dict[str, Any] = {name: told[name] for name in _TEXTS if _is_text(told.get(name), LONGEST_TEXT)}
    browser |= {name: told[name] for name in _NUMBERS if type(told.get(name)) is int and abs(told[name]) < 10**6}
    if len(browser) < len(_TEXTS) + len(_NUMBERS):
        return {}
    return {"browserInfo": browser | {"javaEnabled": told.get("javaEnabled") is True}}


def completion_of(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """The result of a challenge. None: it is none."""
    told = given.get("details")
    if not isinstance(told, dict):
        return None
    details = {name: told[name] for name in _RESULTS if _is_text(told.get(name), 200_000)}
    data = given.get("paymentData")
    return {"details": details, **({"paymentData": data} if _is_text(data, 200_000) else {})} if details else None


def _is_text(value: object, longest: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= longest
