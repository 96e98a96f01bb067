"""Refusals: what the service will not do, and why. A bug is not a refusal."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong member of a request: its dotted path, a code of contract §2.2 and a sentence."""

    field: str
    code: str
    message: str


class Refusal(Exception):
    """A definite no, with a code of the contract (§15) whose digits are its HTTP status.

    `message` is one sentence for the integrator and never repeats a value of the request. `details` are further
    members of `error` (`paymentId`, …). `retry_after_s` is in whole seconds. What is `retryable` may be sent again
    unchanged; `final` says whether the answer is kept under the idempotency key (§2.7). Where it `keeps_changes`, what
    was written before it stays: a refused payment is a payment that FAILED.
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
        """The members of `error` that the refusal itself knows."""
        members: dict[str, Any] = {
            "code": self.public_code,
            "message": self.message,
            "retryable": self.retryable,
        }
        if self.field:
            members["field"] = self.field
        if self.faults:
            members["fields"] = [asdict(fault) for fault in self.faults]
        if self.retry_after_s is not None:
            members["retryAfter"] = self.retry_after_s
        return members | self.details


class MethodRefusal(Refusal):
    """A refusal whose code names the payment method: `ONP422_PIX_AMOUNT_TOO_SMALL`. `methods` None: any."""

    methods: ClassVar[Sequence[str] | None] = None

    def __init__(self, method: str, **details: Any) -> None:
        self.method = method
        super().__init__(**details)

    @property
    def public_code(self) -> str:
        return self.code.replace("<METHOD>", self.method)


class InvalidRequest(Refusal):
    code = "ONP400_VALIDATION"
    message = "The request is not valid."
    advice = "Correct the members listed in error.fields and send the request again."


class InvalidStatus(InvalidRequest):
    code = "ONP400_STATUS"
    message = "The status is not one that can be asked for."


class OwnRequest(Refusal):
    code = "ONP403_OWN_REQUEST"
    message = "Whoever asked for something does not decide it."
    advice = "Ask a colleague."


class RolesApart(Refusal):
    code = "ONP409_STAFF_ROLES"
    message = "Treasury and Onboarding are never one person."
    advice = "Give one of the two roles to a colleague."


class LastOwner(Refusal):
    code = "ONP409_LAST_OWNER"
    message = "A company keeps at least one owner."
    advice = "Make somebody else an owner first."


class KeyExceedsRights(Refusal):
    code = "ONP403_KEY_RIGHTS"
    message = "A live key cannot do more with money than the person who issues it."
    advice = "Leave out refunds:write, withdrawals:write and conversions:write, or ask an owner to issue the key."


class RoleExceedsRights(Refusal):
    code = "ONP403_ROLE_RIGHTS"
    message = "Nobody gives a role that may do more than their own."
    advice = "Ask an owner."


class TooManyCompanies(Refusal):
    code = "ONP429_COMPANIES"
    message = "Three companies of this person wait for their verification."
    advice = "Have one of them verified first, or write to us."


class InvalidCompanyName(InvalidRequest):
    code = "ONP400_COMPANY_NAME"
    message = "The name of a company cannot hold an internet or e-mail address."
    advice = "Write the name without it."


class AlreadyMember(Refusal):
    code = "ONP409_MEMBER"
    message = "This person is in the team already."
    advice = "Change their role in the list."


class TooManyInvitations(Refusal):
    code = "ONP429_INVITATIONS"
    message = "Too many invitations were sent within a day, or to this address."
    advice = "Send the next one tomorrow."


class InvalidAddress(InvalidRequest):
    code = "ONP400_WITHDRAWAL_IP"
    message = "This is not one public IP address."
    advice = "Enter the IPv4 or IPv6 address from which your backend reaches the internet; a network will not do."


class InvalidDocument(InvalidRequest):
    code = "ONP400_DOCUMENT"
    message = "The file cannot be taken."
    advice = "Hand in a PDF, PNG or JPEG of at most 10 MB."


class TooManyDocuments(Refusal):
    code = "ONP422_DOCUMENTS"
    message = "Twenty documents are handed in."
    advice = "Remove one, or put several pages into one PDF."


class DocumentUnknown(Refusal):
    code = "ONP404_DOCUMENT"
    message = "There is no such document."
    advice = "Compare the id."


class CompanyState(Refusal):
    code = "ONP409_COMPANY_STATE"
    message = "The company is not in a state that allows this."
    advice = "Look the company up again: its status says what comes next. A closed company stays closed."


class CompanyHasMoney(Refusal):
    code = "ONP409_COMPANY_MONEY"
    message = "A wallet of the company in production is not empty."
    advice = "Withdraw, release or settle what its wallets hold and what it owes, then close it."


class PersonState(Refusal):
    code = "ONP409_PERSON_STATE"
    message = "The person is not in a state that allows this."
    advice = "Look the person up again."


class VerificationState(Refusal):
    code = "ONP409_VERIFICATION_STATE"
    message = "The verification is not in a state that allows this."
    advice = "Look the page up again: it says what comes next."


def catalogue(kind: type[Refusal] = Refusal) -> list[type[Refusal]]:
    """Every refusal that can be answered, in the order of their codes."""
    found = [kind] if "code" in vars(kind) else []
    for child in kind.__subclasses__():
        found += catalogue(child)
    return sorted(set(found), key=lambda refusal: refusal.code)
