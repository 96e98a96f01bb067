"""Saved cards of the pretended Adyen: tokens by shopper, and what each card plays when it is charged."""

import secrets
import string
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

Told = tuple[int, dict[str, Any]]


@dataclass
class Vault:
    """Token → its shopper and what the card plays. `tells` False: only a webhook tells of a new token."""

    cards: dict[str, tuple[str, str]] = field(default_factory=dict)
    tells: bool = True

    def save(self, shopper: str, plays: str) -> str:
        known = (token for token, kept in self.cards.items() if kept == (shopper, plays))
        token = next(known, "") or "".join(secrets.choice(string.ascii_uppercase) for _ in range(16))
        self.cards[token] = shopper, plays
        return token

    def plays(self, body: dict[str, Any]) -> str | None:
        """Of the saved card that a payment charges; None where it is not this shopper's."""
        shopper, plays = self.cards.get(body["paymentMethod"]["storedPaymentMethodId"], ("", ""))
        return plays if shopper == body["shopperReference"] and body["shopperInteraction"] == "ContAuth" else None

    def extra(self, token: str) -> dict[str, str]:
        shopper, _ = self.cards[token]
        if not self.tells:
            return {}
        return {"tokenization.storedPaymentMethodId": token, "tokenization.shopperReference": shopper}

    def answer(self, method: str, path: str) -> Told:
        """Lists the cards of a shopper, or removes one."""
        asked = parse_qs(urlsplit(path).query)
        shopper = asked["shopperReference"][0]
        if method == "GET":
            shown = {"brand": "visa", "lastFour": "1881", "expiryMonth": "11", "expiryYear": "45", "type": "scheme"}
            mine = [token for token, (owner, _) in self.cards.items() if owner == shopper]
            return 200, {"shopperReference": shopper, "storedPaymentMethods": [{"id": one, **shown} for one in mine]}
        token = urlsplit(path).path.rpartition("/")[2]
        if self.cards.get(token, ("",))[0] != shopper:
            return 422, {"status": 422, "errorCode": "800", "message": "Contract not found", "errorType": "validation"}
        del self.cards[token]
        return 204, {}
