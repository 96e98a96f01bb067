"""An institution whose answers a test writes down beforehand, by our ids."""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from pydantic import SecretStr

from accounts.base.errors import Fault
from gateway.methods.card.acquirer import AcquirerCard
from gateway.methods.rail import (
    Market,
    PaymentAction,
    PaymentDraft,
    PaymentOrder,
    PaymentOutcome,
    PaymentResult,
    Rail,
    RefundOrder,
)
from gateway.methods.registry import by_currency
from gateway.payouts.pix.rail import PixPayout
from gateway.payouts.rail import PayoutOrder, PayoutOutcome, PayoutRail, PayoutResult
from gateway.providers import notices
from gateway.providers.certificates import Certificate, PrivateKey
from gateway.providers.disputes import DisputeAnswer, DisputeReport, Disputes
from gateway.providers.errors import Unreadable
from gateway.providers.models import ProviderAccount
from gateway.providers.observing import SERVED, saw
from gateway.providers.provider import Credentials, Message, Notice, Provider

MODULE = __name__
SIGNATURE = "x-scripted-signature"
Answer = PaymentOutcome | PayoutOutcome | BaseException


@dataclass
class Script:
    """What the institution does. `calls` are what it was asked: (account's user, what, our id)."""

    answers: dict[str, list[Answer]] = field(default_factory=dict)
    """What is asked, our id, or "*" for any → answers in order; the last one is repeated."""
    unreachable: Exception | None = None
    """Raised by the connection check."""
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    given: list[Mapping[str, Any] | None] = field(default_factory=list)
    """What the payers' browsers handed over."""
    fields: dict[str, Any] = field(default_factory=dict)
    """What browsers are told of the fields for cards, besides: whose they are."""
    heard: list[tuple[str, str]] = field(default_factory=list)
    """Notices about objects of tests: (account's id, our id)."""
    deaf: Exception | None = None
    """Raised by the handler of such notices."""
    deaf_to: str = ""
    """The only id whose notices raise it; "" for all."""

    meanwhile: Callable[[], None] | None = None
    """What happens once before the next answer comes."""

    disputes: dict[str, list[DisputeReport | BaseException]] = field(default_factory=dict)
    """What is said about a dispute, by its id, in order; the last one is repeated."""
    takes: list[BaseException] = field(default_factory=list)
    """What the next answers to disputes meet with; then they are taken."""
    handed: list[tuple[str, str]] = field(default_factory=list)
    """Answers to disputes: (accept or contest, our id of the answer)."""

    def answer(self, user: str, what: str, our_id: str) -> PaymentOutcome:
        found = self._next(user, what, our_id) or PaymentOutcome(PaymentResult.UNKNOWN)
        assert isinstance(found, PaymentOutcome)
        return found

    def answer_payout(self, user: str, what: str, our_id: str) -> PayoutOutcome:
        found = self._next(user, what, our_id) or PayoutOutcome(PayoutResult.UNKNOWN)
        assert isinstance(found, PayoutOutcome)
        return found

    def pass_time(self) -> None:
        """Lets happen what is to happen before the answer."""
        happens, self.meanwhile = self.meanwhile, None
        if happens:
            happens()

    def _next(self, user: str, what: str, our_id: str) -> PaymentOutcome | PayoutOutcome | None:
        self.calls.append((user, what, our_id))
        self.pass_time()
        named = (self.answers.get(name) for name in (f"{user} {what}", what, our_id, "*"))
        answers = next(filter(None, named), None)
        if answers is None:
            saw(SERVED)
            return None
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(found, BaseException):
            raise found
        saw(SERVED)
        return found


SCRIPT = Script()


def rewritten() -> Script:
    """The script, empty again."""
    SCRIPT.__init__()  # type: ignore[misc]
    return SCRIPT


class ScriptedCredentials(Credentials):
    user: str
    password: SecretStr
    certificate: Certificate | None = None
    private_key: PrivateKey | None = None
    callback_certificate: str = ""


class ScriptedRail(Rail):
    def __init__(self, user: str, method: str, currency: str) -> None:
        self.user = user
        self.simulator = by_currency(method)[currency]
        self.method = method  # type: ignore[misc]
        self.markets: tuple[Market, ...] = (self.simulator.market(currency),)  # type: ignore[misc]

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        return self.simulator.faults(draft, strict=strict)

    def calls_provider(self, order: PaymentOrder) -> bool:
        return True

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        return SCRIPT.answer(self.user, "instruct", order.payment_id)

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        return SCRIPT.answer(self.user, "ask", order.payment_id)

    def capture(self, order: PaymentOrder) -> PaymentOutcome:
        return SCRIPT.answer(self.user, "capture", order.payment_id)

    def cancel(self, order: PaymentOrder) -> PaymentOutcome:
        return SCRIPT.answer(self.user, "cancel", order.payment_id)

    def refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        return SCRIPT.answer(self.user, "refund", order.refund_id)

    def ask_refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        return SCRIPT.answer(self.user, "ask refund", order.refund_id)

    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        return self.simulator.shown(details)


class ScriptedCard(ScriptedRail, AcquirerCard):
    """Cards: the payer confirms in fields of the institution, and `given` is noted."""

    @property
    def library(self) -> tuple[str, str]:
        return SCRIPT.fields.get("acquirer", "scripted"), SCRIPT.fields.get("environment", "live")

    def fields(self, order: PaymentOrder) -> dict[str, Any]:
        return {"acquirer": "scripted", "publicKey": self.user, "secret": order.details["intent"]} | SCRIPT.fields

    def confirm(self, order: PaymentOrder, given: Mapping[str, Any] | None) -> PaymentOutcome:
        SCRIPT.given.append(given)
        return SCRIPT.answer(self.user, "confirm", order.payment_id)


class ScriptedDisputes(Disputes):
    most_files, most_bytes, content_types = 10, 20_000_000, ("application/pdf", "image/jpeg", "image/png")

    def ask(self, reference: str) -> DisputeReport | None:
        told = SCRIPT.disputes[reference]
        found = told.pop(0) if len(told) > 1 else told[0]
        if isinstance(found, BaseException):
            raise found
        return found

    def accept(self, answer: DisputeAnswer) -> None:
        self._take("accept", answer)

    def contest(self, answer: DisputeAnswer) -> None:
        self._take("contest", answer)

    def _take(self, what: str, answer: DisputeAnswer) -> None:
        SCRIPT.handed.append((what, answer.id))
        SCRIPT.pass_time()
        if SCRIPT.takes:
            raise SCRIPT.takes.pop(0)


class ScriptedPayout(PixPayout):
    def __init__(self, user: str) -> None:
        self.user = user

    def send(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        return SCRIPT.answer_payout(self.user, "send", order.withdrawal_id)

    def ask(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        return SCRIPT.answer_payout(self.user, "ask payout", order.withdrawal_id)


CARDS = (("CREDIT_CARD", "BRL"), ("DEBIT_CARD", "BRL"))


class ScriptedProvider(Provider[ScriptedCredentials]):
    name: ClassVar[str] = "scripted"
    title: ClassVar[str] = "Scripted bank"
    credentials_type: ClassVar[type[ScriptedCredentials]] = ScriptedCredentials
    methods: ClassVar[tuple[tuple[str, str], ...]] = (("PIX", "BRL"), ("SPEI", "MXN"), *CARDS)

    payouts: ClassVar[tuple[tuple[str, str], ...]] = (("PIX", "BRL"),)

    is_told_where_to_call = True

    def register_webhook(self, url: str) -> None:
        SCRIPT.calls.append((self.credentials.user, "register", url))
        if SCRIPT.unreachable:
            raise SCRIPT.unreachable

    def rails(self) -> Sequence[Rail]:
        user = self.credentials.user
        return [(ScriptedCard if pair in CARDS else ScriptedRail)(user, *pair) for pair in self.methods]

    def payout_rails(self) -> Sequence[PayoutRail]:
        return [ScriptedPayout(self.credentials.user)]

    def disputes(self) -> Disputes:
        return ScriptedDisputes()

    def check(self) -> None:
        SCRIPT.calls.append((self.credentials.user, "check", ""))
        if SCRIPT.unreachable:
            raise SCRIPT.unreachable

    def verify(self, message: Message) -> bool:
        if self.credentials.callback_certificate:
            return message.certificate == self.credentials.callback_certificate
        expected = signature(self.credentials.password.get_secret_value(), message.body)
        return hmac.compare_digest(message.headers.get(SIGNATURE, ""), expected)

    def read(self, message: Message) -> Sequence[Notice]:
        try:
            return [
                Notice(one["id"], PaymentAction.PAY, _result(one.get("told")), outcome=_claimed(one.get("claims")))
                for one in json.loads(message.body)
            ]
        except (ValueError, TypeError, KeyError) as wrong:
            raise Unreadable(f"not a list of ids: {type(wrong).__name__}") from wrong


def _result(told: str | None) -> PaymentResult | None:
    return PaymentResult(told) if told else None


def _claimed(told: str | None) -> PaymentOutcome | None:
    """An outcome, although nobody believes this bank."""
    return PaymentOutcome(PaymentResult(told)) if told else None


def signature(password: str, body: bytes) -> str:
    return hmac.new(password.encode(), body, hashlib.sha256).hexdigest()


@notices.register("tst")
def hear(notice: Notice, account: ProviderAccount) -> bool:
    """The handler of objects that only tests have: every one is known whose id does not end with X."""
    if SCRIPT.deaf and SCRIPT.deaf_to in ("", notice.object_id):
        raise SCRIPT.deaf
    SCRIPT.heard.append((account.pk, notice.object_id))
    return not notice.object_id.endswith("X")


PROVIDER = ScriptedProvider
