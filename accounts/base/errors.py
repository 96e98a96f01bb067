"""Refusals: requests that the service rejects, and why. A bug is not a refusal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils import translation
from django.utils.translation import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Fault:
    """One invalid member of a request: its dotted path, a code of contract §2.2 and a sentence.

    The sentence is constant, so that it can be translated: `facts` fill in its `%(names)s`. Literals are collected by
    makemessages; a sentence that is written elsewhere is marked with `gettext_noop`.
    """

    field: str
    code: str
    sentence: str
    facts: Mapping[str, Any] | None = None

    @property
    def message(self) -> str:
        """As responses have it: in English."""
        return self.sentence % self.facts if self.facts else self.sentence

    def in_words(self) -> str:
        """As pages have it: in the reader's language."""
        told = translation.gettext(self.sentence)
        return told % self.facts if self.facts else told


class Refusal(Exception):
    """A definite rejection with a code of the contract (§15) whose digits are its HTTP status.

    `message` is one sentence for the integrator and never repeats a value of the request; `advice` says what to do.
    Responses have the message in English; pages have both in the reader's language, so both are marked with
    `gettext_noop`. `details` are further members of `error` (`paymentId`, …). `retry_after_s` is in whole seconds. A
    `retryable` request may be sent again unchanged; `final` says whether the answer is stored under the idempotency key
    (§2.7). With `keeps_changes` the transaction is committed: a declined payment is a payment that FAILED.
    """

    code: ClassVar[str]
    message: ClassVar[str]
    advice: ClassVar[str] = ""
    retryable: ClassVar[bool] = False
    keeps_changes: ClassVar[bool] = False
    retry_after_s: int | None = None

    def __init__(self, *, field: str | None = None, faults: Sequence[Fault] = (), **details: Any) -> None:
        super().__init__(self.message)
        self.field = field or (faults[0].field if faults else None)
        self.faults = faults
        self.details = details

    @property
    def public_code(self) -> str:
        return self.code

    @property
    def status(self) -> int:
        return int(self.code[3:6])

    @property
    def final(self) -> bool:
        return self.status in (409, 422)

    def body(self) -> dict[str, Any]:
        """The members of `error` that come from the refusal itself."""
        members: dict[str, Any] = {
            "code": self.public_code,
            "message": self.message,
            "retryable": self.retryable,
        }
        if self.field:
            members["field"] = self.field
        if self.faults:
            members["fields"] = [
                {"field": fault.field, "code": fault.code, "message": fault.message} for fault in self.faults
            ]
        if self.retry_after_s is not None:
            members["retryAfter"] = self.retry_after_s
        return members | self.details


class MethodRefusal(Refusal):
    """A refusal whose code names the payment method: `ONP422_PIX_AMOUNT_TOO_SMALL`. `methods` None: any method."""

    methods: ClassVar[Sequence[str] | None] = None

    def __init__(self, method: str, **details: Any) -> None:
        self.method = method
        super().__init__(**details)

    @property
    def public_code(self) -> str:
        return self.code.replace("<METHOD>", self.method)


class InvalidRequest(Refusal):
    code = "ONP400_VALIDATION"
    message = _("The request is not valid.")
    advice = _("Correct the fields listed in error.fields and send the request again.")


class InvalidStatus(InvalidRequest):
    code = "ONP400_STATUS"
    message = _("This status cannot be requested.")


class Unavailable(Refusal):
    code = "ONP503"
    message = _("The service is temporarily unavailable.")
    advice = _("Send the same request again with the same key after retryAfter seconds, with backoff and jitter.")
    retryable = True
    retry_after_s = 5


def catalogue(kind: type[Refusal] = Refusal) -> list[type[Refusal]]:
    """Every refusal that can be returned, ordered by code."""
    found = [kind] if "code" in vars(kind) else []
    for child in kind.__subclasses__():
        found += catalogue(child)
    return sorted(set(found), key=lambda refusal: refusal.code)
