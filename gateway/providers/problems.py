"""Refusals by an institution (RFC 7807), and when they are believed."""

from collections.abc import Callable
from typing import TypeVar

from pydantic.dataclasses import dataclass

from gateway.providers.client import Answer
from gateway.providers.errors import NotSent, Unclear

NOT_APPLIED = (400, 403, 404, 409, 422)
"""Statuses of a refused request. A repeated request may get one as well, although the first one took effect."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request was refused."""

    type: str
    title: str
    status: int
    detail: str = ""

    @property
    def name(self) -> str:
        """The last part of the type."""
        return "".join(filter(str.isalnum, self.type.rpartition("/")[2]))[:40]

    @property
    def failure(self) -> tuple[str, str]:
        return self.name, (self.detail or self.title)[:255]


def told(answer: Answer, shape: type[T]) -> T | Problem:
    """The object of a successful answer, or the problem. Raises Unclear for a body that is neither."""
    if answer.status < 300:
        return answer.read(shape)
    return Answer(answer.status, {**answer.body, "status": answer.status}).read(Problem)


def clear(answered: T | Problem) -> T:
    """The object. Raises Unclear for a problem."""
    if isinstance(answered, Problem):
        raise Unclear(f"HTTP {answered.status} {answered.name}")
    return answered


def settled(answered: T | Problem, read: Callable[[], T | None]) -> T | Problem:
    """What a request led to. A refusal is believed only if nothing can be read under our id.

    Raises Unclear, never NotSent: a request was transmitted before.
    """
    if not isinstance(answered, Problem) or answered.status not in NOT_APPLIED:
        return clear(answered)
    try:
        found = read()
    except NotSent as failed:
        raise Unclear(failed.reason) from None
    return answered if found is None else found
