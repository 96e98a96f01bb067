"""Who counts as the same: a person, the keys that they issued, and the keys that those replaced."""

from collections.abc import Collection
from dataclasses import dataclass

from accounts.models import ApiKey, User


@dataclass(frozen=True, slots=True)
class Requester:
    """Who asks for or decides about a withdrawal: a person in the dashboard, or a key. Without either: the system.

    `others`: further people who took part in asking, for example who uploaded a file that another confirmed.
    """

    person_id: int | None = None
    key_id: str | None = None
    others: tuple[int, ...] = ()

    @classmethod
    def of_person(cls, person: User) -> "Requester":
        return cls(person_id=person.pk)

    @classmethod
    def of_key(cls, key: ApiKey) -> "Requester":
        return cls(key_id=key.pk)

    def identities(self) -> list[str]:
        """All that counts as this requester. Two requesters with one in common are the same."""
        found = [person(user_id) for user_id in (self.person_id, *self.others) if user_id is not None]
        key_id = self.key_id
        while key_id is not None:
            key = ApiKey.objects.only("created_by", "replaces").get(pk=key_id)
            found += [key.pk, *([person(key.created_by_id)] if key.created_by_id else [])]
            key_id = key.replaces_id
        return sorted(set(found))


_PERSON = "person:"


def person(user_id: int) -> str:
    return f"{_PERSON}{user_id}"


def names(identities: Collection[str]) -> list[str]:
    """Who they are, for people to read: keys by their names, people by their addresses."""
    people = [int(one.removeprefix(_PERSON)) for one in identities if one.startswith(_PERSON)]
    keys = ApiKey.objects.filter(pk__in=identities, revoked_at=None).order_by("pk")
    return [*map(str, keys), *User.objects.filter(pk__in=people).order_by("email").values_list("email", flat=True)]
