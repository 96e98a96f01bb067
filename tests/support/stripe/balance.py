"""The balance of the pretended account at Stripe: its own books, listed as Stripe lists them."""

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit


def made(prefix: str) -> str:
    return f"{prefix}_1{secrets.token_hex(12)}"


@dataclass
class Balance:
    """Amounts in minor units; `at` is when everything happens that follows."""

    transactions: list[dict[str, Any]] = field(default_factory=list)
    payouts: list[dict[str, Any]] = field(default_factory=list)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    page: int = 2

    @property
    def amount(self) -> int:
        """What is not paid out."""
        return sum(one["net"] for one in self.transactions)

    def add(self, category: str, amount: int, fee: int = 0, currency: str = "brl", **source: Any) -> dict[str, Any]:
        """A transaction; `source` is the charge, refund, dispute or payout that it is about."""
        about = {"amount": abs(amount), "currency": currency, "metadata": {}} | source
        one = {
            "id": made("txn"),
            "object": "balance_transaction",
            "amount": amount,
            "fee": fee,
            "net": amount - fee,
            "currency": currency,
            "created": int(self.at.timestamp()),
            "reporting_category": category,
            "source": about if source else None,
            "payout": None,
        }
        self.transactions.append(one)
        return one

    def pay_out(self, *, automatic: bool = True) -> dict[str, Any]:
        """Everything that was not paid out before."""
        payout = {"id": made("po"), "object": "payout", "automatic": automatic, "created": int(self.at.timestamp())}
        waiting = [one for one in self.transactions if one["payout"] is None]
        paid = self.add("payout", -sum(one["net"] for one in waiting), **payout)
        for one in (*waiting, paid):
            one["payout"] = payout["id"] if automatic else "manual"
        self.payouts.append(payout)
        return payout

    def answer(self, path: str) -> dict[str, Any] | None:
        """None for any other list."""
        parts = urlsplit(path)
        rows = {"/v1/balance_transactions": self.transactions, "/v1/payouts": self.payouts}.get(parts.path)
        if rows is None:
            return None
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        found = [one for one in rows if _is_asked_for(one, asked)][::-1]
        if after := asked.get("starting_after"):
            found = found[[one["id"] for one in found].index(after) + 1 :]
        more, found = len(found) > self.page, found[: self.page]
        if "expand[0]" not in asked:
            found = [one | {"source": (one.get("source") or {}).get("id")} for one in found]
        return {"object": "list", "url": parts.path, "has_more": more, "data": found}


def _is_asked_for(one: dict[str, Any], asked: dict[str, str]) -> bool:
    since, until = (int(asked.get(f"created[{name}]", "0")) for name in ("gte", "lt"))
    in_time = not until or since <= one["created"] < until
    return in_time and asked.get("payout") in (None, one.get("payout"))
