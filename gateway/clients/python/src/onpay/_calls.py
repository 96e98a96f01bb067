"""A call as it is sent: path, query, and a body whose amounts are exact."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Optional
from urllib.parse import quote, urlencode
from uuid import uuid4

from onpay._generated.names import DECIMALS
from onpay._model import camel


@dataclass(frozen=True)
class Call:
    """One call of the API, tried once or several times."""

    method: str
    path: str
    ids: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict, repr=False)
    body: Optional[Mapping[str, Any]] = field(default=None, repr=False)
    key: Optional[str] = None
    timeout: Optional[float] = None
    deadline: Optional[float] = None
    goes_on_after: Optional[str] = None
    """The member that names an item of a list whose pages can begin after an item."""

    @property
    def address(self) -> str:
        """The path with its ids, and the query."""
        path = self.path.format(**{name: quote(_an_id(value), safe="") for name, value in self.ids.items()})
        given = {camel(name): _as_text(value) for name, value in self.query.items() if value is not None}
        return f"{path}?{urlencode(given)}" if given else path

    @property
    def removes(self) -> bool:
        return self.method == "DELETE" and bool(self.ids)

    @property
    def removed(self) -> dict[str, Any]:
        """What a removal answers, also one whose first answer was lost."""
        return {"id": [*self.ids.values()][-1], "deleted": True}

    @property
    def content(self) -> Optional[bytes]:
        return None if self.body is None else encoded(self.body).encode()

    def headers(self) -> dict[str, str]:
        """Of every try alike: the key makes the second one harmless."""
        headers = {"accept": "application/json, application/pdf"}
        if self.body is not None:
            headers["content-type"] = "application/json"
        if self.method == "POST":
            headers["idempotency-key"] = self.key or str(uuid4())
        return headers


def encoded(value: Any, name: str = "") -> str:
    """JSON in which an amount has exactly its digits. A float is refused: it is not what was meant."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(camel(key))}:{encoded(one, key)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(encoded(one, name) for one in value) + "]"
    if isinstance(value, Decimal) or (camel(name) in DECIMALS and value is not None):
        return _number(value, name)
    if isinstance(value, float):
        raise TypeError(f"{name} is a float: use Decimal, int or str")
    return json.dumps(_as_text(value) if isinstance(value, date) else value)


def _number(value: Any, name: str) -> str:
    if isinstance(value, (float, bool)):
        raise TypeError(f"{name} must be Decimal, int or str, such as Decimal('150.00')")
    try:
        number = Decimal(value)
    except (InvalidOperation, TypeError):
        raise ValueError(f"{name} is not a decimal number") from None
    if not number.is_finite():
        raise ValueError(f"{name} is not a finite number")
    return format(number, "f")


def _an_id(value: str) -> str:
    if value in ("", ".", ".."):  # of a path these are other places
        raise ValueError("an id is empty or dots")
    return value


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a datetime needs a time zone")
        return value.isoformat(timespec="milliseconds")
    return value.isoformat() if isinstance(value, date) else str(value)
