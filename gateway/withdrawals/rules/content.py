"""What withdrawal rules say, and whether others are weaker. Pure values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from accounts.roles import GRANTS, May, Role

APPROVER_ROLES = (Role.OWNER, Role.FINANCE)
MOST_PEOPLE = 5
MOST_HOURS = 168


class Outside(StrEnum):
    """What applies to an account that is not a usable beneficiary, from weak to strict."""

    ALLOWED = "ALLOWED"
    APPROVED = "APPROVED"
    REFUSED = "REFUSED"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a merchant. Amounts are minor units by currency of the wallet; the default has no effect.

    `people` must approve above the amount `above`, and every amount of a currency without one. They have one of
    `roles` or are one of `persons` (user ids); keys count if `keys`. `outside_book`: see `Outside`. `per_day` and
    `per_beneficiary` limit what is withdrawn in any 24 hours.
    """

    people: int = 0
    above: Mapping[str, int] = field(default_factory=dict)
    roles: frozenset[Role] = frozenset(APPROVER_ROLES)
    persons: frozenset[int] = frozenset()
    keys: bool = True
    valid_for_h: int = 24
    outside_book: Outside = Outside.ALLOWED
    cooling_off_h: int = 0
    per_day: Mapping[str, int] = field(default_factory=dict)
    per_beneficiary: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_on(self) -> bool:
        """Whether they have any effect."""
        return self != Rules() and bool(
            self.people or self.outside_book != Outside.ALLOWED or self.per_day or self.per_beneficiary
        )

    @property
    def valid_for(self) -> timedelta:
        return timedelta(hours=self.valid_for_h)

    @property
    def cooling_off(self) -> timedelta:
        return timedelta(hours=self.cooling_off_h)

    def approvals_for(self, currency: str, amount: int, *, is_known: bool) -> int:
        """How many people must approve an amount for a usable beneficiary, or for another account."""
        if not is_known and self.outside_book == Outside.APPROVED:
            return self.people
        least = self.above.get(currency)
        return self.people if least is None or amount > least else 0

    def as_json(self) -> dict[str, Any]:
        return {
            "people": self.people,
            "above": dict(self.above),
            "roles": sorted(self.roles),
            "persons": sorted(self.persons),
            "keys": self.keys,
            "valid_for_h": self.valid_for_h,
            "outside_book": self.outside_book.value,
            "cooling_off_h": self.cooling_off_h,
            "per_day": dict(self.per_day),
            "per_beneficiary": dict(self.per_beneficiary),
        }

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "Rules":
        return cls(
            **{
                **content,
                "roles": frozenset(map(Role, content["roles"])),
                "persons": frozenset(content["persons"]),
                "outside_book": Outside(content["outside_book"]),
            }
        )


def may_be_named(role: Role) -> bool:
    """Whether somebody with this role can approve if the rules name them: they see money."""
    return May.READ_MONEY in GRANTS[role]


def weakened(old: Rules, new: Rules) -> list[str]:
    """The names of the rules that `new` weakens. None: it is at least as strict everywhere."""
    found = {
        "people": new.people < old.people,
        "above": bool(old.people) and any(_is_above(old.above, new.above, currency) for currency in new.above),
        "approvers": bool(old.people)
        and not (new.roles <= old.roles and new.persons <= old.persons and new.keys <= old.keys),
        "valid_for_h": bool(old.people) and new.valid_for_h > old.valid_for_h,
        "outside_book": _STRICTER.index(new.outside_book) < _STRICTER.index(old.outside_book),
        "cooling_off_h": old.outside_book != Outside.ALLOWED and new.cooling_off_h < old.cooling_off_h,
        "per_day": _is_limit_weaker(old.per_day, new.per_day),
        "per_beneficiary": _is_limit_weaker(old.per_beneficiary, new.per_beneficiary),
    }
    return [name for name, is_weaker in found.items() if is_weaker]


_STRICTER = tuple(Outside)


def _is_above(old: Mapping[str, int], new: Mapping[str, int], currency: str) -> bool:
    """A currency without a threshold needs approval for every amount, like a threshold of zero."""
    return new[currency] > old.get(currency, 0)


def _is_limit_weaker(old: Mapping[str, int], new: Mapping[str, int]) -> bool:
    return any(currency not in new or new[currency] > limit for currency, limit in old.items())
