"""What an explanation of an error is made of: its cause, and the calls that provoke it in the sandbox."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_noop as _

from gateway.simulations.examples import COMPANY

KEY, API_KEY = "idempotency-key", "x-api-key"


class Given(StrEnum):
    """What people have to do in the dashboard before the calls."""

    NOTHING = ""
    NARROW_KEY = _("Issue a sandbox key that has transactions:read only, and call with it.")
    OTHER_ADDRESS = _("Register an address for withdrawals that is not your backend's.")
    ADDRESS = _("Register the public address of your backend for withdrawals.")
    APPROVALS = _(
        "Register your address, set withdrawal rules that require one approval, and call with a sandbox key that has "
        "every permission, withdrawals:approve too."
    )
    LIMITS = _(
        "Register your address, and set withdrawal rules with limits in 24 hours: 15 reais, and 10 to one beneficiary."
    )
    BOOK = _("Register your address, and set withdrawal rules that allow only beneficiaries added 24 hours ago.")


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `{name}` in the path, the body or a header is what an earlier call gave.

    `gives` names what this one gives: the member `of` of its data. `{company}` is the company of the key, `{key}` one
    idempotency key for several calls; without it each POST has its own. A header that is None is left out. A body that
    is a string is sent as it is.
    """

    method: str
    path: str
    body: Mapping[str, Any] | str | None = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    gives: str = ""
    of: str = "id"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What usually leads to an error, and the calls whose last is answered with it; or `words`, if no call can."""

    cause: str
    calls: tuple[Call, ...] = ()
    given: Given = Given.NOTHING
    words: str = ""


Explanations = dict[str, Explanation]
"""By the code of the refusal: `ONP422_<METHOD>_REJECTED`."""


def get(path: str, **options: Any) -> Call:
    return Call("GET", path, **options)


def post(path: str, body: Mapping[str, Any] | str | None = None, **options: Any) -> Call:
    return Call("POST", path, body, **options)


def of_ours(order: Mapping[str, Any]) -> dict[str, Any]:
    """An example's order, of the company of the key."""
    return {name: "{company}" if value == COMPANY else value for name, value in order.items()}
