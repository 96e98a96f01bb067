"""Validation: the types of request members and their error messages (contract §2.2, §2.3, §15)."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, TypeVar

from django.utils.translation import gettext_noop as _
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from accounts.base.card_numbers import holds_card
from accounts.base.errors import Fault, InvalidRequest, Refusal
from accounts.base.text import HIDDEN, HIDDEN_BUT_LINES
from accounts.models import Merchant
from gateway.requests.errors import CardDataSent
from ledger.money import MAX_AMOUNT, MAX_SIGNIFICANT_DIGITS

LONGEST_PATH = 80
"""Longest member name that is repeated in an error: it is untrusted input."""
CENT = Decimal("0.01")
"""All payment currencies have two decimals (contract §2.4)."""
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s.]+(?:\.[^@\s.]+)+")


def wrong(code: str, message: str) -> PydanticCustomError:
    """A fault with a code of contract §2.2."""
    return PydanticCustomError(code, message)


class Input(BaseModel):
    """A request body or query: camelCase outside, unknown members ignored.

    `codes` maps the first part of a member's path to its refusal; the first invalid member in field order decides the
    code, and `error.fields` lists all.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True)
    codes: ClassVar[dict[str, type[Refusal]]] = {}
    otherwise: ClassVar[type[Refusal]] = InvalidRequest

    @classmethod
    def admit(cls, merchant: Merchant) -> None:
        """Runs before the body is validated: raises if this merchant may not send any."""

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        """Faults for this merchant beyond the format of each member. `content` may be invalid in any way."""
        return []

    @classmethod
    def preceding_refusal(cls, content: dict[str, Any], faults: list[Fault]) -> type[Refusal] | None:
        """The refusal that precedes the order of the fields, if any."""
        return None


class ExactInput(Input):
    """A body in which an omitted member has a meaning: a misspelt one must not count as omitted."""

    model_config = ConfigDict(extra="forbid")


T = TypeVar("T", bound=Input)


def validated(kind: type[T], content: dict[str, Any], merchant: Merchant | None = None) -> T:
    """The validated request, or the refusal that names every invalid member."""
    if merchant is not None:
        kind.admit(merchant)
    value, refusal = parsed(kind, content, merchant)
    if value is None or refusal:
        assert refusal is not None
        raise refusal
    return value


def parsed(kind: type[T], content: dict[str, Any], merchant: Merchant | None = None) -> tuple[T | None, Refusal | None]:
    """The parsed request if its format is valid, and its refusal, if any."""
    refuse_card_data(content)
    value, faults = None, []
    try:
        value = kind.model_validate(content)
    except ValidationError as error:
        faults = [_fault(detail) for detail in error.errors(include_url=False)]
    if merchant is not None:
        known = {fault.field for fault in faults}
        faults += [fault for fault in kind.faults_in(content, merchant) if fault.field not in known]
    return value, _refusal(kind, content, faults) if faults else None


_CARD_DATA = frozenset(
    ["card", "cardnumber", "pan", "cvv", "cvc", "cardcvc", "cardexpiry", "expirymonth", "expiryyear", "securitycode"]
)


_CODES = frozenset(
    [
        "pixkey", "clabe", "cbu", "cvu", "alias", "accountnumber", "taxid", "beneficiarytaxid", "documentnumber",
        "phone", "postalcode", "claimid", "quotetoken", "content", "body", "bodybase64", "secret", "apikey",
    ]
)  # fmt: skip
"""Not free text: members with digits of their own, files, and input of the signature checker, whose signatures may
contain any digits.
"""


def refuse_card_data(value: Any, path: str = "") -> None:
    """Raises ONP400_CARD_DATA for members named like parts of a card, and texts that contain a card number."""
    if isinstance(value, list):
        for n, item in enumerate(value):
            refuse_card_data(item, f"{path}[{n}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            bare = name.lower().replace("_", "").replace("-", "")
            here = f"{path}.{name}" if path else name
            if bare in _CARD_DATA or (bare == "number" and not path):
                raise _card_data(here)
            if isinstance(item, dict) or not (bare in _CODES or bare.endswith("signature")):
                refuse_card_data(item, here)
    elif isinstance(value, str) and holds_card(value):
        raise _card_data(path)


def _card_data(path: str) -> CardDataSent:
    return CardDataSent(faults=[Fault(path[:LONGEST_PATH], "NOT_ALLOWED", "Card data must not be sent to this API.")])


def _refusal(kind: type[Input], content: dict[str, Any], faults: list[Fault]) -> Refusal:
    order = [info.alias or name for name, info in kind.model_fields.items()]
    faults.sort(key=lambda fault: order.index(_member(fault)) if _member(fault) in order else len(order))
    first = kind.preceding_refusal(content, faults) or kind.codes.get(_member(faults[0]), kind.otherwise)
    return first(faults=faults)


def _member(fault: Fault) -> str:
    return re.split(r"[.\[]", fault.field, maxsplit=1)[0]


_KNOWN = {
    "missing": ("REQUIRED", _("This field is required.")),
    "string_too_short": ("TOO_SHORT", _("Must have at least %(min_length)s characters.")),
    "string_too_long": ("TOO_LONG", _("Must have at most %(max_length)s characters.")),
    "too_short": ("TOO_SHORT", _("Must have a length of at least %(min_length)s.")),
    "too_long": ("TOO_LONG", _("Must have a length of at most %(max_length)s.")),
    "literal_error": ("UNKNOWN_VALUE", _("Must be one of %(expected)s.")),
    "greater_than_equal": ("OUT_OF_RANGE", _("Must be at least %(ge)s.")),
    "less_than_equal": ("OUT_OF_RANGE", _("Must be at most %(le)s.")),
    "string_type": ("INVALID", _("Must be a string.")),
    "int_type": ("INVALID", _("Must be a whole number.")),
    "list_type": ("INVALID", _("Must be a list.")),
    "model_type": ("INVALID", _("Must be an object.")),
}
_OURS = {"REQUIRED", "INVALID", "TOO_SHORT", "TOO_LONG", "OUT_OF_RANGE", "NOT_ALLOWED", "UNKNOWN_VALUE"}


def _fault(detail: Any) -> Fault:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]).lstrip(".")
    if detail["type"] in _OURS:
        return Fault(path, detail["type"], detail["msg"])
    if detail["type"] == "extra_forbidden":
        return Fault(path[:LONGEST_PATH], "NOT_ALLOWED", "This body has no such member.")
    if detail["input"] is None:
        return Fault(path, *_KNOWN["missing"])
    code, sentence = _KNOWN.get(detail["type"], ("INVALID", _("This field has the wrong form.")))
    return Fault(path, code, sentence, detail.get("ctx"))


class _NotNull:
    """Marks a member that may be omitted but must not be null: `Annotated[Amount | None, NotNull] = None`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_not_null, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        described = handler(schema)
        kinds = [kind for kind in described.get("anyOf", []) if kind != {"type": "null"}]
        return kinds[0] if len(kinds) == 1 else described


def _not_null(value: Any) -> Any:
    if value is None:
        raise wrong("INVALID", "Must not be null: leave it out.")
    return value


NotNull = _NotNull()


# ── Types ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def _amount(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise wrong("INVALID", "Must be a JSON number, without quotation marks.")
    amount = Decimal(value)
    if amount <= 0:
        raise wrong("OUT_OF_RANGE", "Must be positive.")
    if amount > MAX_AMOUNT:
        raise wrong("OUT_OF_RANGE", "This number is too large.")
    if _significant_digits(amount) > MAX_SIGNIFICANT_DIGITS:
        raise wrong("OUT_OF_RANGE", "At most 15 significant digits.")
    if amount != amount.quantize(CENT):
        raise wrong("INVALID", "More decimals than the currency has.")
    return amount


def _significant_digits(amount: Decimal) -> int:
    """Counted in the literal: Decimal arithmetic would round first."""
    return len("".join(map(str, amount.as_tuple().digits)).strip("0"))


Amount = Annotated[
    Decimal,
    BeforeValidator(_amount),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "examples": [150.00]}),
]
"""A positive JSON number of at most 15 significant digits and 12 before the decimal point; at most two decimals."""


def _text(value: Any) -> Any:
    if isinstance(value, str):
        if HIDDEN.search(value):
            raise wrong("INVALID", "No control or invisible characters.")
        return value.strip()
    return value


Text = Annotated[str, BeforeValidator(_text)]
"""One line of text, trimmed, without control or invisible characters."""


def _lines(value: Any) -> Any:
    if isinstance(value, str):
        if HIDDEN_BUT_LINES.search(value):
            raise wrong("INVALID", "No control or invisible characters.")
        return value.strip()
    return value


Lines = Annotated[str, BeforeValidator(_lines)]
"""Text of one line or more, trimmed, without other control or invisible characters."""


def _email(value: str) -> str:
    address = value.lower()
    if len(address) > 254 or not _EMAIL.fullmatch(address):
        raise wrong("INVALID", "Must be an e-mail address.")
    return address


EmailText = Annotated[Text, AfterValidator(_email), WithJsonSchema({"type": "string", "format": "email"})]


def moment(value: Any) -> datetime:
    """An ISO 8601 timestamp with any offset, or a date, which means its first instant in UTC."""
    if not isinstance(value, str):
        raise wrong("INVALID", "Must be an ISO 8601 timestamp or a date.")
    try:
        # In a query a plus is a space.
        found = datetime.fromisoformat(value.strip().replace(" ", "+") if "T" in value else value)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise wrong("INVALID", "Must be an ISO 8601 timestamp or a date.") from None


TimestampText = Annotated[
    datetime,
    BeforeValidator(moment),
    WithJsonSchema({"type": "string", "examples": ["2026-11-20T12:00:00Z"]}),
]
