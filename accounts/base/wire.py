"""JSON on the wire: strict on input, exact on output (contract §2.4)."""

import json
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, NoReturn

import orjson
from pydantic import WithJsonSchema

MAX_DEPTH = 20
MAX_NUMBER_LENGTH = 64
PLAIN_DIGITS = 18
"""Integers up to this many digits become int; they fit into 64 bits."""


Number = Annotated[Decimal, WithJsonSchema({"type": "number"})]
"""In a response: a JSON number; an amount has exactly the decimals of its currency."""

Timestamp = Annotated[
    str,
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"}),
]
"""In a response: `YYYY-MM-DDTHH:mm:ss.SSSZ`."""


def plain(number: Decimal) -> Decimal:
    """The number without trailing zeros, as rates are stored and returned."""
    return number.normalize() + 0


class NotOneJsonObject(ValueError):
    """The body is not a single UTF-8 JSON object without duplicate keys, nested at most 20 deep."""


def dumps(value: Any) -> bytes:
    """UTF-8 without whitespace; a Decimal becomes a JSON number with exactly its digits."""
    return orjson.dumps(value, default=_number)


def _number(value: Any) -> orjson.Fragment:
    if isinstance(value, Decimal):
        return orjson.Fragment(format(value, "f"))
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def timestamp(moment: datetime) -> str:
    """`YYYY-MM-DDTHH:mm:ss.SSSZ`; the moment is in UTC."""
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def optional_timestamp(moment: datetime | None) -> str | None:
    return timestamp(moment) if moment else None


def loads(body: bytes) -> dict[str, Any]:
    """Parses the object in `body`: fractions become Decimal, nothing is rounded or guessed."""
    try:
        text = body.decode("utf-8")
        value = json.loads(
            text, parse_float=_exact, parse_int=_whole, parse_constant=_refuse, object_pairs_hook=_members
        )
        if "\\u" in text:  # the only way to smuggle in half a surrogate pair
            json.dumps(value, ensure_ascii=False, default=str).encode("utf-8")
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise NotOneJsonObject from error
    if not isinstance(value, dict) or _depth(value) > MAX_DEPTH:
        raise NotOneJsonObject
    return value


def _exact(literal: str) -> Decimal:
    return Decimal(_bounded(literal))


def _whole(literal: str) -> int | Decimal:
    return int(literal) if len(literal) <= PLAIN_DIGITS else Decimal(_bounded(literal))


def _bounded(literal: str) -> str:
    if len(literal) > MAX_NUMBER_LENGTH:
        raise NotOneJsonObject
    return literal


def _refuse(literal: str) -> NoReturn:
    raise NotOneJsonObject(literal)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotOneJsonObject
    return members


def _depth(value: Any) -> int:
    """The nesting depth of objects and arrays, computed without recursion."""
    deepest, layer = 0, [value]
    while layer and deepest <= MAX_DEPTH:
        deepest += 1
        layer = [
            child
            for node in layer
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
    return deepest
