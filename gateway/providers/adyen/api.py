"""The calls of Checkout v72 that we make. Each raises NotSent or Unclear without a clear answer."""

import hashlib
from collections.abc import Mapping
from typing import Any, TypeVar

from gateway.methods.card.cards import Tokenized
from gateway.providers.adyen.credentials import AdyenCredentials
from gateway.providers.adyen.shapes import Methods, Paid, Received, Refused, Stored, StoredMethods
from gateway.providers.client import Answer, Call, Client
from gateway.providers.errors import Unclear

T = TypeVar("T")
NO_SUCH_TOKEN = ("800", "803")
"""Error codes: no contract, no details of this shopper."""
CHANGE = "/payments/{psp}/"
"""Followed by what is asked for: captures, cancels or refunds."""


class CheckoutApi:
    """One merchant account. A POST with a key is carried out once, however often it is sent within seven days."""

    def __init__(self, client: Client, credentials: AdyenCredentials) -> None:
        self._client, self.credentials = client, credentials

    def methods(self) -> Methods | Refused:
        return self._send("/paymentMethods", Methods)

    def pay(self, payment_id: str, body: Mapping[str, Any]) -> Paid | Refused:
        """A payment with our id as its reference. Raises Unclear for an answer about another one."""
        paid = self._send("/payments", Paid, {**body, "reference": payment_id}, f"{payment_id}-pay", about=payment_id)
        return paid if isinstance(paid, Refused) else _of(payment_id, paid)

    def confirm(self, payment_id: str, details: Mapping[str, Any]) -> Paid | Refused:
        """The payment after its payer has confirmed it. `details` are what the payer's browser was given."""
        key = f"{payment_id}-{_digest(repr(sorted(details.items())))}"
        paid = self._post("/payments/details", Paid, details, key, about=payment_id)
        return paid if isinstance(paid, Refused) else _of(payment_id, paid)

    def capture(self, psp: str, payment_id: str, amount: Mapping[str, Any]) -> Received | Refused:
        return self._change(psp, "captures", payment_id, {"amount": amount})

    def cancel(self, psp: str | None, payment_id: str) -> Received | Refused:
        """Without Adyen's own id it is found by ours."""
        if psp:
            return self._change(psp, "cancels", payment_id, {})
        body = {"paymentReference": payment_id, "reference": payment_id}
        return self._send("/cancels", Received, body, f"{payment_id}-technical-cancel", about=payment_id)

    def remove_token(self, card: Tokenized) -> None:
        """Removes a card from the vault. Raises Unclear unless it is gone, and NotSent."""
        owner = {"merchantAccount": self.credentials.merchant_account, "shopperReference": card.holder}
        headers = {"X-API-Key": self.credentials.api_key.get_secret_value()}
        url = self.credentials.address + "/storedPaymentMethods/{token}"
        answer = self._client.send(Call("DELETE", url, {"token": card.token}, query=owner, headers=headers))
        if answer.status >= 300 and answer.body.get("errorCode") not in NO_SUCH_TOKEN:
            raise Unclear(f"not removed: HTTP {answer.status}, error {str(answer.body.get('errorCode'))[:20]}")

    def tokens(self, shopper: str) -> list[Stored]:
        """The cards of a shopper in the vault. Raises Unclear and NotSent."""
        owner = {"merchantAccount": self.credentials.merchant_account, "shopperReference": shopper}
        headers = {"X-API-Key": self.credentials.api_key.get_secret_value()}
        url = self.credentials.address + "/storedPaymentMethods"
        answer = self._client.send(Call("GET", url, query=owner, headers=headers))
        if answer.status >= 300:
            raise Unclear(f"HTTP {answer.status}")
        return answer.read(StoredMethods).methods

    def refund(self, psp: str, refund_id: str, amount: Mapping[str, Any]) -> Received | Refused:
        return self._change(psp, "refunds", refund_id, {"amount": amount})

    def dispute(self, what: str, psp: str, our_id: str, body: Mapping[str, Any], shape: type[T]) -> T | Refused:
        """A call of the Disputes API, which knows no idempotency keys: each can be repeated, or is refused then."""
        merchant = {"merchantAccountCode": self.credentials.merchant_account, "disputePspReference": psp}
        return self._post(what, shape, {**body, **merchant}, about=our_id, address=self.credentials.disputes)

    def _change(self, psp: str, what: str, our_id: str, body: Mapping[str, Any]) -> Received | Refused:
        body = {**body, "reference": our_id}
        return self._send(CHANGE + what, Received, body, f"{our_id}-{what}", psp=psp, about=our_id)

    def _send(
        self,
        path: str,
        shape: type[T],
        body: Mapping[str, Any] | None = None,
        key: str = "",
        psp: str = "",
        about: str = "",
    ) -> T | Refused:
        return self._post(
            path, shape, {**(body or {}), "merchantAccount": self.credentials.merchant_account}, key, psp, about
        )

    def _post(
        self,
        path: str,
        shape: type[T],
        body: Mapping[str, Any],
        key: str = "",
        psp: str = "",
        about: str = "",
        address: str = "",
    ) -> T | Refused:
        headers = {"X-API-Key": self.credentials.api_key.get_secret_value()}
        if key:  # unique among all accounts of a company at Adyen, and of 64 characters at most
            headers["Idempotency-Key"] = f"{key}-{_digest(self.credentials.merchant_account)}"
        url = (address or self.credentials.address) + path
        call = Call("POST", url, {"psp": psp} if psp else {}, about, json=body, headers=headers)
        return _told(self._client.send(call), shape)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _told(answer: Answer, shape: type[T]) -> T | Refused:
    if answer.status < 300:
        return answer.read(shape)
    without_body = {"errorCode": "000", "errorType": "security"} if answer.status == 401 else {}
    return Answer(answer.status, {**without_body, **answer.body, "status": answer.status}).read(Refused)


def _of(payment_id: str, paid: Paid) -> Paid:
    if paid.reference not in (None, payment_id):
        raise Unclear("an answer about something else")
    return paid
