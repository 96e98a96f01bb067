"""Redaction of requests: by the names of members, and by patterns in values."""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

import orjson

from accounts.base.card_numbers import holds_card, without_cards
from gateway.payouts.rail import masked

LONGEST_BODY = 16 * 1024
MOST_ITEMS = 20
LONGEST_NAME = 64
"""Limits of stored bodies and lists; members with longer names count as secret."""
JSON = "application/json"
REMOVED = "[redacted]"

Treatment = Callable[[str], str]


def _removed(text: str) -> str:
    return REMOVED


def _measured(text: str) -> str:
    return f"[{len(text):,} characters]"


def _masked(text: str) -> str:
    """An e-mail address by its first letter and domain, everything else by its end."""
    name, at, domain = text.partition("@")
    return f"{name[:1]}***@{domain}" if at else masked(text)


def _phone(text: str) -> str:
    return masked(text, head=min(3, len(text) // 3))


def _alias(text: str) -> str:
    return masked(text, head=min(2, len(text) // 3), tail=0)


def _address(text: str) -> str:
    """A blockchain address; a payer's address is an object."""
    return f"{text[:6]}...{text[-6:]}" if len(text) > 20 else masked(text)


def _card(text: str) -> str:
    """A receipt's card is an object with its last digits."""
    return REMOVED


_BY_NAME: dict[str, Treatment] = {
    **dict.fromkeys(["pan", "number", "expmonth", "expyear", "expirymonth", "expiryyear", "pin"], _removed),
    **dict.fromkeys(["checkouturl", "redirecturl", "removalurl"], _removed),  # they are credentials
    **dict.fromkeys(["content", "body", "bodybase64", "pixqrcode"], _measured),
    **dict.fromkeys(["pixkey", "clabe", "cbu", "cvu", "accountnumber", "documentnumber"], _masked),
    **dict.fromkeys(["taxid", "beneficiarytaxid", "email"], _masked),
    "phone": _phone,
    "alias": _alias,
    "address": _address,
    "card": _card,
}
_SECRET = re.compile(
    "secret|token|passw|apikey|privatekey|authorization|cookie|credential|cvv|cvc|securitycode|cardnumber|cardexpiry"
)
_TOLD_ALL_THE_SAME = frozenset(["previoussecretexpiresat"])
_OF_OBJECTS = frozenset([_address, _card])
"""Objects under these names are redacted member by member."""


@lru_cache(maxsize=2048)
def _treatment(name: str) -> Treatment | None:
    """How a value of this name is stored; None: unchanged."""
    bare = re.sub("[^a-z0-9]", "", name.lower())
    if bare in _TOLD_ALL_THE_SAME:
        return None
    return _BY_NAME.get(bare) or (_removed if _SECRET.search(bare) else None)


def _treatment_of(name: str) -> Treatment | None:
    return _treatment(name) if len(name) <= LONGEST_NAME else _removed


# ── Values ────────────────────────────────────────────────────────────────────────────────────────────────────────
# Required substring → pattern → replacement.
_MARKED = (
    ("onp_", re.compile(r"(onp_[a-z]+_)[\w-]+"), rf"\1{REMOVED}"),
    ("whsec_", re.compile(r"(whsec_)[\w+/=-]+"), rf"\1{REMOVED}"),
    ("_secret_", re.compile(r"(_secret_)[\w-]+"), rf"\1{REMOVED}"),
    ("/checkout/", re.compile(r"(/checkout/)[\w:%.-]+"), rf"\1{REMOVED}"),
    ("/saved-cards/", re.compile(r"(/saved-cards/)[\w:%.-]+"), rf"\1{REMOVED}"),
    ("token=", re.compile(r"(token=)[^&\"\s\\]+"), rf"\1{REMOVED}"),
    ("://", re.compile(r"(://)[^/?#@\"\s\\]+@"), rf"\1{REMOVED}@"),
)


def scrubbed(text: str) -> str:
    """The text without our keys and secrets, links with tokens, and card numbers."""
    for mark, pattern, replacement in _MARKED:
        if mark in text:
            text = pattern.sub(replacement, text)
    return without_cards(text, REMOVED)


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def _in_object(members: dict[str, Any]) -> dict[str, Any]:
    for name, value in members.items():
        treat = _treatment_of(name)
        if treat is None or value is None or isinstance(value, bool):
            members[name] = _in_value(value)
        elif isinstance(value, str):
            members[name] = treat(value)
        else:
            looked_into = treat in _OF_OBJECTS and isinstance(value, dict)
            members[name] = _in_object(value) if looked_into else REMOVED
    return members


def _in_value(value: Any) -> Any:
    if isinstance(value, dict):
        return _in_object(value)
    if isinstance(value, list):
        return _in_list(value)
    if isinstance(value, str) and value[:1] in ("{", "["):
        return _in_text(value)
    return value


def _in_list(items: list[Any]) -> list[Any]:
    kept = [_in_value(item) for item in items[:MOST_ITEMS]]
    return kept if len(items) <= MOST_ITEMS else [*kept, f"[{len(items) - MOST_ITEMS:,} more]"]


def _in_text(text: str) -> str:
    """JSON inside JSON; truncated JSON is dropped because its names are unknown."""
    try:
        return _dumps(_in_value(_loads(text)))
    except _UNREADABLE:
        return _measured(text) if '"' in text else text


_UNREADABLE = (ValueError, TypeError, RecursionError)


def _loads(text: str | bytes) -> Any:
    return json.loads(text, parse_float=_number, parse_int=_number)


def _number(literal: str) -> orjson.Fragment | str:
    """The number as it was written. With an exponent it has a point somewhere in the digits of a card."""
    is_card = holds_card(literal) or holds_card(literal.replace(".", ""))
    return REMOVED if is_card else orjson.Fragment(literal)


def _dumps(value: Any) -> str:
    return orjson.dumps(value).decode()


def body(content: bytes, kind: str = JSON) -> tuple[Any, str | None]:
    """The JSON content as stored: at most 16,384 characters. Content that is not JSON is stored as its length."""
    if not content:
        return None, None
    if kind != JSON:
        return None, f"[{len(content):,} bytes of {kind[:80]}]"
    try:
        value = _in_value(_loads(content))
        text = scrubbed(_dumps(value))
    except _UNREADABLE:
        return None, f"[{len(content):,} bytes that are not JSON]"
    return value, text if len(text) <= LONGEST_BODY else f"{text[: LONGEST_BODY - 1]}…"


def query(text: str) -> str:
    """The query string, its values treated like those of a body."""
    kept = []
    for name, value in parse_qsl(text, keep_blank_values=True):
        treat = _treatment_of(name)
        kept.append((scrubbed(name), scrubbed(treat(value) if treat else value)))
    return urlencode(kept, safe="[]*@:,/")
