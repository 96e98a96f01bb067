"""Moves what is sealed under an older encryption key to the first one, while the service runs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.db import models, transaction
from django.db.models import Exists, OuterRef

from accounts.base.sealing import key_of, resealed
from accounts.proposals.models import Proposal
from gateway.cells.placement import each_cell_of
from gateway.payments.models import Payment
from gateway.payments.saved import VAULT
from gateway.payout_batches.models import PayoutBatch
from gateway.providers.models import ProviderAccount
from gateway.withdrawals.models import Status, Withdrawal

AT_ONCE = 25
"""Rows of a batch: a sealed file may have megabytes."""
_MEMBERS: dict[type[models.Model], tuple[str, tuple[str, ...]]] = {
    Authenticator: ("data", ("secret", "seed")),
    Payment: ("details", ("secret", VAULT)),
    Proposal: ("values", ("sealed",)),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A column of sealed values, or a JSON column some of whose members are sealed."""

    model: type[models.Model]
    column: str
    members: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.model._meta.db_table}.{self.column}"

    def sealed_in(self, value: Any) -> list[bytes]:
        if not self.members:
            return [bytes(value)] if value else []
        return [value[name].encode() for name in self.members if value.get(name)]

    def resealed(self, value: Any) -> Any:
        """Raises InvalidToken if no key opens it."""
        if not self.members:
            return resealed(bytes(value))
        found = {name: resealed(value[name].encode()).decode() for name in self.members if value.get(name)}
        return value | found


@dataclass(slots=True)
class Found:
    """What a place holds: how many rows under each key, by its place among the keys, and the rows no key opens."""

    place: Place
    under: Counter[int] = field(default_factory=Counter)
    undecided: int = 0
    lost: list[str] = field(default_factory=list)

    @property
    def older(self) -> int:
        return sum(rows for key, rows in self.under.items() if key > 0)


def places() -> list[Place]:
    """Every column of every table that holds sealed values: binary ones are named `sealed…`."""
    known = apps.get_models()
    binary = [
        Place(model, one.name)
        for model in known
        for one in model._meta.local_concrete_fields
        if isinstance(one, models.BinaryField) and one.name.startswith("sealed")
    ]
    return sorted(binary + [Place(model, *where) for model, where in _MEMBERS.items()], key=str)


def reseal(place: Place) -> int:
    """Seals again with the first key what an older one opens; how many rows.

    Each batch is a transaction of its own. A row that is in use is passed over, as is what somebody still decides on,
    and what no key opens stays as it is.
    """
    done = 0
    for _ in each_cell_of(place.model):
        for batch in _batches(place):
            older = [pk for pk, value in batch if any(key_of(one) for one in place.sealed_in(value))]
            done += _reseal(place, older) if older else 0
    return done


def count(place: Place) -> Found:
    """Reads all rows of a place."""
    found = Found(place)
    for _ in each_cell_of(place.model):
        _count_here(found)
    return found


def _count_here(found: Found) -> None:
    place = found.place
    for batch in _batches(place):
        older = []
        for pk, value in batch:
            keys = [key_of(one) for one in place.sealed_in(value)]
            if None in keys:
                found.lost.append(str(pk))
            elif keys:
                oldest = max(key for key in keys if key is not None)
                found.under[oldest] += 1
                older += [pk] if oldest else []
        if older:
            found.undecided += len(older) - _free(place).filter(pk__in=older).count()


@transaction.atomic
def _reseal(place: Place, ids: list[Any]) -> int:
    held = _free(place).filter(pk__in=ids).order_by("pk")
    rows = list(held.select_for_update(no_key=True, skip_locked=True, of=("self",)).values_list("pk", place.column))
    done = 0
    for pk, value in rows:
        keys = [key_of(one) for one in place.sealed_in(value)]
        if any(keys) and None not in keys:
            done += place.model._base_manager.filter(pk=pk).update(**{place.column: place.resealed(value)})
    return done


def _batches(place: Place) -> Iterator[list[tuple[Any, Any]]]:
    """By the primary key alone: no statement reads more than its batch, however few of the rows hold a secret."""
    rows = place.model._base_manager.order_by("pk").values_list("pk", place.column)
    batch = list(rows[:AT_ONCE])
    while batch:
        yield batch
        batch = list(rows.filter(pk__gt=batch[-1][0])[:AT_ONCE])


def _free(place: Place) -> models.QuerySet[Any]:
    """All rows but those whose sealed bytes are in the digest of a proposal or an approval that is still to be used."""
    rows = place.model._base_manager.all()
    if place.model is Withdrawal:
        return rows.exclude(status=Status.PROCESSING)
    if place.model is Proposal:
        return rows.exclude(state=Proposal.State.OPEN)
    if place.model is ProviderAccount:
        open_ones = Proposal.objects.filter(state=Proposal.State.OPEN)
        batches = PayoutBatch.objects.filter(account=OuterRef("pk"))
        of_a_batch = batches.filter(Exists(open_ones.filter(object_id=OuterRef("pk"))))
        return rows.exclude(Exists(open_ones.filter(object_id=OuterRef("pk")))).exclude(Exists(of_a_batch))
    return rows
