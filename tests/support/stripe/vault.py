"""What localstripe lacks of saved cards: it keeps no card with a payment, and lists no payments of one customer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

Told = tuple[int, str, bytes]
INTENTS = "/v1/payment_intents"


@dataclass
class Vault:
    """`forward` reaches localstripe. Cards of `saved` are kept for the customer once they are confirmed."""

    saved: set[str] = field(default_factory=set)
    ours: list[str] = field(default_factory=list)
    plays: dict[str, str] = field(default_factory=dict)
    """Payment method → the number of the card that the charge is to play instead."""

    def answer(self, forward: Any, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Told:
        if method == "POST" and path == INTENTS:
            return self._create(forward, body, headers)
        asked = parse_qs(urlsplit(path).query)
        if method == "GET" and path.startswith(f"{INTENTS}?") and "customer" in asked:
            return self._list(forward, asked["customer"][0], headers)
        told: Told = forward(method, path, body, headers)
        return told

    def _create(self, forward: Any, body: bytes, headers: Mapping[str, str]) -> Told:
        form = [(name, value) for name, value in parse_qsl(body.decode()) if name != "setup_future_usage"]
        form = [(name, self._played(forward, value, headers) if value in self.plays else value) for name, value in form]
        told: Told = forward("POST", INTENTS, urlencode(form).encode(), headers)
        if told[0] < 300:
            intent = json.loads(told[2])["id"]
            self.ours.append(intent)
            if b"setup_future_usage" in body:
                self.saved.add(intent)
        return told

    def _played(self, forward: Any, method: str, headers: Mapping[str, str]) -> str:
        card = {"card[number]": self.plays[method], "card[exp_month]": 12, "card[exp_year]": 2040, "card[cvc]": "123"}
        made = forward("POST", "/v1/payment_methods", urlencode({"type": "card", **card}).encode(), headers)
        return str(json.loads(made[2])["id"])

    def _list(self, forward: Any, customer: str, headers: Mapping[str, str]) -> Told:
        expanded = "expand[]=latest_charge&expand[]=payment_method"
        found = [json.loads(forward("GET", f"{INTENTS}/{one}?{expanded}", b"", headers)[2]) for one in self.ours]
        data = [one for one in reversed(found) if one["customer"] == customer]
        return 200, "application/json", json.dumps({"object": "list", "data": data, "has_more": False}).encode()
