"""The calls to Stripe that we make. Each raises NotSent or Unclear without a clear answer."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, TypeVar

import stripe

from accounts.base.wire import dumps
from gateway.methods.card.cards import Tokenized
from gateway.providers.client import Call, Client, shaped
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.stripe.credentials import StripeCredentials
from gateway.providers.stripe.settlements import PAYMENT, REFUND
from gateway.providers.stripe.shapes import Customer, Dispute, File, Intent, PaidBy, Refund

stripe.enable_telemetry = False
EXPAND = ["latest_charge", "payment_method"]
MOST_REFUNDS = MOST_INTENTS = 100
CUSTOMER = "onpay_customer"
MISSING = "resource_missing"
"""An object of that id does not exist. A 404 without it is about something else, as an address that is not served."""
PAGE = 50
"""Lines with their sources on one page, so that it stays far below the largest answer."""
NOT_STARTED = (401, 403, 429)
"""Statuses of a request that Stripe turned away before it looked at it: a wrong key, too many requests."""
T = TypeVar("T", Customer, Intent, Refund, Dispute, File)


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that was definitely not carried out. `code` is Stripe's."""

    status: int
    code: str
    decline_code: str | None = None

    @property
    def is_not_started(self) -> bool:
        """Whether the same request may be sent again."""
        return self.status in NOT_STARTED

    @property
    def is_missing(self) -> bool:
        """Whether what the request is about does not exist."""
        return self.code == MISSING


class _Http(stripe.HTTPClient):
    """The library's requests, by our client: one connection, one deadline, no redirects, no repetition."""

    name = "onpay"

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    def request(
        self, method: str, url: str, headers: Mapping[str, str] | None, post_data: Any = None, **_: Any
    ) -> tuple[str, int, Mapping[str, str]]:
        headers = headers or {}
        about = headers.get("Idempotency-Key", "") if method == "post" else ""
        answer = self._client.send(Call(method.upper(), url, about=about, content=post_data, headers=headers))
        return dumps(answer.body).decode(), answer.status, {}


class StripeApi:
    """One account."""

    def __init__(self, client: Client, credentials: StripeCredentials) -> None:
        self._stripe = stripe.StripeClient(
            credentials.secret_key.get_secret_value(),
            base_addresses={"api": credentials.address, "files": credentials.files_address},
            http_client=_Http(client),
            max_network_retries=0,
        ).v1

    def create(self, payment_id: str, amount: int, currency: str, **more: Any) -> Intent | Refused:
        """An intent to be confirmed in the browser and captured by us. Repeated within a day, it is the same one."""
        asked: Any = {
            "amount": amount,
            "currency": currency.lower(),
            "capture_method": "manual",
            "payment_method_types": ["card"],
            "metadata": {PAYMENT: payment_id},
            **more,
        }
        options: Any = {"idempotency_key": payment_id}
        return _told(Intent, lambda: self._stripe.payment_intents.create(asked, options))

    def create_customer(self, payment_id: str, customer_id: str) -> Customer | Refused:
        """A customer for the card that the payment saves: each has its own, so that deleting it leaves nothing."""
        asked: Any = {"metadata": {PAYMENT: payment_id, CUSTOMER: customer_id}}
        options: Any = {"idempotency_key": f"{payment_id}-customer"}
        return _told(Customer, lambda: self._stripe.customers.create(asked, options))

    def charge(
        self, payment_id: str, amount: int, currency: str, card: Tokenized, *, payer_is_present: bool
    ) -> Intent | Refused:
        """Charges a saved card. Without the payer, a bank that wants a confirmation declines."""
        said: Any = {"customer": card.holder, "payment_method": card.token, "confirm": True, "expand": EXPAND}
        off_session = {} if payer_is_present else {"off_session": True}
        return self.create(payment_id, amount, currency, **said, **off_session)

    def charged(self, payment_id: str, customer: str) -> Intent | None:
        """The intent of our id that charges a saved card. None: there is none."""
        asked: Any = {"customer": customer, "limit": MOST_INTENTS, "expand": [f"data.{name}" for name in EXPAND]}
        found = _clear(_answered(lambda: self._stripe.payment_intents.list(asked)))
        intents = [shaped(one, Intent) for one in found["data"]]
        ours = next((one for one in intents if one.metadata.get(PAYMENT) == payment_id), None)
        if ours is None and found.get("has_more"):
            raise Unclear(f"more than {MOST_INTENTS} payments of a saved card")
        return ours

    def delete_customer(self, customer: str) -> None:
        """With its card. Raises Unclear unless both are gone, and NotSent."""
        told = _told(Customer, lambda: self._stripe.customers.delete(customer))
        if isinstance(told, Refused) and not told.is_missing:
            raise Unclear(f"not removed: HTTP {told.status} {told.code[:40]}")

    def payment_method(self, card: Tokenized) -> PaidBy | None:
        """None: it is of no customer any more. Raises Unclear and NotSent."""
        found = _answered(lambda: self._stripe.payment_methods.retrieve(card.token))
        if isinstance(found, Refused) and found.is_missing:
            return None
        method = shaped(_clear(found), PaidBy)
        return method if method.customer == card.holder else None

    def intent(self, intent_id: str) -> Intent:
        """Raises Unclear, also for an unknown one: ours are never deleted."""
        found = _clear(_answered(lambda: self._stripe.payment_intents.retrieve(intent_id, {"expand": EXPAND})))
        return shaped(found, Intent)

    def capture(self, intent_id: str) -> Intent | Refused:
        return _told(Intent, lambda: self._stripe.payment_intents.capture(intent_id, {"expand": EXPAND}))

    def cancel(self, intent_id: str) -> Intent | Refused:
        return _told(Intent, lambda: self._stripe.payment_intents.cancel(intent_id))

    def refund(self, refund_id: str, intent_id: str, amount: int) -> Refund | Refused:
        """Repeated within a day, it is the same one; afterwards the list of refunds says whether there is one."""
        asked: Any = {"payment_intent": intent_id, "amount": amount, "metadata": {REFUND: refund_id}}
        options: Any = {"idempotency_key": refund_id}
        return _told(Refund, lambda: self._stripe.refunds.create(asked, options))

    def refunded(self, refund_id: str, intent_id: str) -> Refund | None:
        """The refund of our id. None: there is none."""
        asked: Any = {"payment_intent": intent_id, "limit": MOST_REFUNDS}
        found = _clear(_answered(lambda: self._stripe.refunds.list(asked)))
        refunds = [shaped(one, Refund) for one in found["data"]]
        if found.get("has_more"):
            raise Unclear(f"more than {MOST_REFUNDS} refunds")
        return next((one for one in refunds if one.metadata.get(REFUND) == refund_id), None)

    def balance_transactions(self, which: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """All of these, each with its source. Raises Unclear or NotSent while iterated."""
        return _pages(self._stripe.balance_transactions.list, {**which, "expand": ["data.source"]})

    def payouts(self, which: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """All of these. Raises Unclear or NotSent while iterated."""
        return _pages(self._stripe.payouts.list, which)

    def dispute(self, dispute_id: str) -> Dispute | Refused:
        return _told(Dispute, lambda: self._stripe.disputes.retrieve(dispute_id))

    def disputes(self, since: int, until: int) -> Iterator[Dispute]:
        """Those created in the window. Raises Unclear or NotSent while iterated."""
        listed = _pages(self._stripe.disputes.list, {"created": {"gte": since, "lte": until}})
        return (shaped(one, Dispute) for one in listed)

    def upload(self, key: str, name: str, content: bytes) -> File | Refused:
        file = BytesIO(content)
        file.name = name
        asked: Any = {"purpose": "dispute_evidence", "file": file}
        options: Any = {"idempotency_key": key}
        return _told(File, lambda: self._stripe.files.create(asked, options))

    def defend(self, key: str, dispute_id: str, evidence: Mapping[str, str]) -> Dispute | Refused:
        """Hands the evidence to the card's bank, which is possible once."""
        asked: Any = {"evidence": dict(evidence), "submit": True}
        options: Any = {"idempotency_key": key}
        return _told(Dispute, lambda: self._stripe.disputes.update(dispute_id, asked, options))

    def give_up(self, key: str, dispute_id: str) -> Dispute | Refused:
        options: Any = {"idempotency_key": key}
        return _told(Dispute, lambda: self._stripe.disputes.close(dispute_id, options=options))

    def refunds_of(self, charge: str) -> list[Refund]:
        """All refunds of a charge. Raises Unclear or NotSent."""
        return [shaped(one, Refund) for one in _pages(self._stripe.refunds.list, {"charge": charge})]

    def reach(self) -> None:
        """Lists one intent, so that the key is tried. Raises Unclear or NotSent."""
        _clear(_answered(lambda: self._stripe.payment_intents.list({"limit": 1})))


def _pages(listed: Callable[[Any], Any], which: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    asked: dict[str, Any] = {**which, "limit": PAGE}
    while True:
        found = _clear(_answered(lambda asked=asked: listed(asked)))  # type: ignore[misc]
        yield from found["data"]
        if not found.get("has_more"):
            return
        asked = {**asked, "starting_after": found["data"][-1]["id"]}


def _told(shape: type[T], call: Callable[[], Any]) -> T | Refused:
    answered = _answered(call)
    return answered if isinstance(answered, Refused) else shaped(answered, shape)


def _answered(call: Callable[[], Any]) -> dict[str, Any] | Refused:
    """The object, or a refusal. What may have been carried out is unclear."""
    try:
        found: dict[str, Any] = call().to_dict()
        return found
    except (stripe.AuthenticationError, stripe.PermissionError, stripe.RateLimitError) as refused:
        return Refused(refused.http_status or 0, refused.code or "")
    except stripe.IdempotencyError as error:  # another request with the same key, or one in progress
        raise Unclear(f"HTTP {error.http_status}, idempotency") from None
    except (stripe.InvalidRequestError, stripe.CardError) as refused:
        if refused.http_status in (400, 402, 404):
            return Refused(refused.http_status, refused.code or "", _decline_code(refused))
        raise Unclear(f"HTTP {refused.http_status}") from None
    except stripe.StripeError as error:
        raise Unclear(f"HTTP {error.http_status} {type(error).__name__}") from None


def _decline_code(refused: stripe.StripeError) -> str | None:
    found = refused.error.decline_code if refused.error else None
    return str(found) if found else None


def _clear(answered: dict[str, Any] | Refused) -> dict[str, Any]:
    if isinstance(answered, Refused):
        raise Unclear(f"HTTP {answered.status} {answered.code[:40]}".strip())
    return answered


def settled(asked: Callable[[], T | Refused], read: Callable[[], T]) -> T:
    """What became of it: a refusal may be about a request that had been carried out before.

    Raises Unclear, never NotSent once a request was transmitted.
    """
    answered = asked()
    if not isinstance(answered, Refused):
        return answered
    try:
        return read()
    except NotSent as failed:
        raise Unclear(failed.reason) from None
