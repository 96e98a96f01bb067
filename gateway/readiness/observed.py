"""What a check has observed, in real time. Probes know nothing else."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeVar

from gateway.chaos.disturbances import AnswerDisturbance
from webhooks.disturbances import STRANGE, UNTRUE, Disturbance

T = TypeVar("T")


PATIENCE = timedelta(seconds=60)
"""How long a shop may take for what it has to do, before it counts as not done."""


@dataclass(frozen=True, slots=True)
class Try:
    """An attempt, and the receiver's status; None: no response."""

    at: datetime
    elapsed_ms: int
    http_status: int | None

    @property
    def is_accepted(self) -> bool:
        return self.http_status is not None and 200 <= self.http_status < 300


@dataclass(frozen=True)
class Sent:
    """A delivery. `says_paid`: its event carries `paidAt`; `says_refunded`: and the whole amount is refunded."""

    id: str
    event_id: str
    object_id: str
    sequence: int
    kind: Disturbance | None = None
    says_paid: bool = False
    says_refunded: bool = False
    tries: tuple[Try, ...] = ()

    @property
    def is_genuine(self) -> bool:
        return self.kind not in (*UNTRUE, *STRANGE)

    @cached_property
    def accepted_at(self) -> datetime | None:
        """When the attempt began that the receiver accepted."""
        return next((one.at for one in self.tries if one.is_accepted), None)

    @cached_property
    def accepted_by(self) -> datetime | None:
        """When that attempt was answered."""
        return next((one.at + timedelta(milliseconds=one.elapsed_ms) for one in self.tries if one.is_accepted), None)


@dataclass(frozen=True, slots=True)
class Call:
    """A request of the shop. `retry_after_s` and `kind` are set if its response was disturbed."""

    id: str
    at: datetime
    method: str
    path: str
    query: str = ""
    key: str | None = None
    status: int = 200
    code: str | None = None
    is_retryable: bool = False
    body: str | None = None
    reference: str | None = None
    object_id: str | None = None
    kind: AnswerDisturbance | None = None
    retry_after_s: float = 0

    def repeats(self, other: "Call") -> bool:
        """Whether it is sent again as it was: the same path with the same key, or the same read."""
        return (self.method, self.path, self.query, self.key) == (other.method, other.path, other.query, other.key)

    def starts_again(self, other: "Call") -> bool:
        """Whether it wants the same thing with another key."""
        if (self.method, self.path) != (other.method, other.path) or self.key == other.key or not other.key:
            return False
        return self.reference == other.reference if other.reference else self.body == other.body


@dataclass(frozen=True, slots=True)
class Release:
    """The shop has released the order of a payment; the payment's state is that of the moment."""

    payment_id: str
    at: datetime
    was_paid: bool = True
    was_refunded: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """A payment. `ended_at`: when it could no longer be paid, because it was or for another reason. `is_lost`: the
    event that said first that it is paid was withheld.
    """

    id: str
    reference: str
    at: datetime
    ended_at: datetime | None = None
    paid_at: datetime | None = None
    is_refunded: bool = False
    is_expired: bool = False
    is_lost: bool = False
    bought: str = ""
    """Who pays, how much, and in which currency."""

    @property
    def is_paid(self) -> bool:
        return self.paid_at is not None


@dataclass(frozen=True)
class Observed:
    """Everything up to `at`, oldest first."""

    at: datetime
    deliveries: tuple[Sent, ...] = ()
    calls: tuple[Call, ...] = ()
    releases: tuple[Release, ...] = ()
    orders: tuple[Order, ...] = ()

    def is_late(self, since: datetime) -> bool:
        """Whether the shop has had its time."""
        return self.at - since > PATIENCE

    def sent(self, *kinds: Disturbance) -> Iterator[Sent]:
        """Deliveries that were disturbed so, and attempted."""
        return (one for one in self.deliveries if one.kind in kinds and one.tries)

    def about(self, payment_id: str) -> list[Sent]:
        """The deliveries about a payment that say that it is paid, and must be accepted."""
        return [one for one in self._told.get(payment_id, ()) if one.kind not in UNTRUE]

    def untrue_about(self, payment_id: str) -> Sent | None:
        """The first attempted delivery that says so and must be refused."""
        return next((one for one in self._told.get(payment_id, ()) if one.kind in UNTRUE and one.tries), None)

    def released(self, payment_id: str) -> list[Release]:
        return self._released.get(payment_id, [])

    def read(self, payment_id: str) -> list[Call]:
        """The shop's own look-ups of a payment."""
        return self._read.get(payment_id, [])

    @cached_property
    def _told(self) -> dict[str, list[Sent]]:
        return _grouped((one.object_id, one) for one in self.deliveries if one.says_paid)

    @cached_property
    def _released(self) -> dict[str, list[Release]]:
        return _grouped((one.payment_id, one) for one in self.releases)

    @cached_property
    def _read(self) -> dict[str, list[Call]]:
        return _grouped((one.object_id or "", one) for one in self.calls if one.method == "GET" and one.status == 200)


def _grouped(named: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    groups: defaultdict[str, list[T]] = defaultdict(list)
    for name, one in named:
        groups[name].append(one)
    return groups
