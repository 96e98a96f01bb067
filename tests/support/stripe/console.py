"""A Stripe to try the service with: `python -m tests.support.stripe FOLDER`.

Writes what staff enter for a provider account to the folder, then takes commands on standard input: `webhook URL`
(where webhooks go: the address that the page of the account shows), `pay` and `refuse` (the newest payment, whose
payer's browser never comes back), `credit`, `debit` and `prepaid` (what cards are from now on), `refusal CODE` (why
cards are refused from now on), `dispute [INTENT]` (the newest payment), `won` and `lost` (the newest dispute), `book`
(what has moved, with fees, into the balance), `payout` (books, and pays the balance out), `silent` (acts and does not
answer once), `list`, `quit`.
"""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.support.stripe.balance import made
from tests.support.stripe.events import event, signed
from tests.support.stripe.in_browsers import serving
from tests.support.stripe.stand_in import APPROVED, REFUSED, StandIn, in_front_of, localstripe

RATE_BP, FIXED, DISPUTE = 399, 39, 5_500
"""Fees in minor units: of a payment, of its amount in hundredths of a percent; and of a dispute."""
CARDS = ("credit", "debit", "prepaid")
COMMANDS = (
    "webhook URL | pay | refuse | credit | debit | prepaid | refusal CODE | dispute [INTENT] | won | lost | book | "
    "payout | silent | list | quit"
)


@dataclass
class Console:
    stand_in: StandIn
    webhook: str = ""
    booked: set[tuple[str, str]] = field(default_factory=set)
    """What has moved already: an object, and how."""

    def obey(self, command: str, *named: str) -> str:
        if command == "webhook" and named:
            self.webhook = named[0]
            return f"webhooks go to {self.webhook}"
        if command in CARDS:
            self.stand_in.funding = command
            return f"all cards are {command} cards"
        if command == "refusal" and named:
            self.stand_in.refusal = named[0]
            return f"cards are refused with {named[0]}"
        if command == "silent":
            self.stand_in.will("timeout after")
            return "the next request is carried out and not answered"
        if command in ("pay", "refuse", "dispute"):
            intents = [*self.stand_in.vault.ours, *named]
            return self._of_payment(command, intents[-1]) if intents else "there is no payment"
        if command in ("won", "lost"):
            return self._decide(command)
        return self._look(command)

    def _look(self, command: str) -> str:
        if command in ("book", "payout"):
            return self._book(pays_out=command == "payout")
        if command == "list":
            return json.dumps([self._intent(one) for one in self.stand_in.vault.ours], indent=2)
        return COMMANDS

    def _of_payment(self, command: str, intent_id: str) -> str:
        if command != "dispute":
            self.stand_in.confirm(intent_id, APPROVED if command == "pay" else REFUSED)
            kind = "amount_capturable_updated" if command == "pay" else "payment_failed"
            return self._tell(f"payment_intent.{kind}", self._intent(intent_id))
        intent = self._intent(intent_id)
        if intent["status"] != "succeeded":
            return f"{intent_id} is {intent['status']}"
        charge = intent["latest_charge"]["id"]
        opened = self.stand_in.disputes.open(charge, intent["amount"], currency=intent["currency"], id=made("dp"))
        return self._tell("charge.dispute.created", opened)

    def _decide(self, status: str) -> str:
        disputes = list(self.stand_in.disputes.disputes.values())
        if not disputes:
            return "there is no dispute"
        disputes[-1]["status"] = status
        return self._tell("charge.dispute.closed", disputes[-1])

    def _book(self, *, pays_out: bool) -> str:
        for intent in map(self._intent, self.stand_in.vault.ours):
            if intent["status"] == "succeeded":
                self._book_payment(intent)
        for dispute in self.stand_in.disputes.disputes.values():
            about = {"id": dispute["id"], "charge": dispute["charge"]}
            self._once("dispute", -dispute["amount"], DISPUTE, dispute["currency"], **about)
            if dispute["status"] == "won":
                self._once("dispute_reversal", dispute["amount"], -DISPUTE, dispute["currency"], **about)
        balance = self.stand_in.balance
        owed = balance.amount
        if pays_out:
            balance.pay_out()
        return f"{len(balance.transactions)} transactions; {'paid out' if pays_out else 'owed'}: {owed / 100:.2f}"

    def _book_payment(self, intent: dict[str, Any]) -> None:
        amount, currency, charge = intent["amount"], intent["currency"], intent["latest_charge"]["id"]
        fee = (amount * RATE_BP + 5_000) // 10_000 + FIXED
        self._once("charge", amount, fee, currency, id=charge, metadata=intent["metadata"])
        for refund in self.stand_in.call("GET", f"/v1/refunds?charge={charge}&limit=100")["data"]:
            about = {"id": refund["id"], "charge": charge, "metadata": refund["metadata"] or {}}
            self._once("refund", -refund["amount"], 0, currency, **about)

    def _once(self, category: str, amount: int, fee: int, currency: str, **about: Any) -> None:
        if (about["id"], category) not in self.booked:
            self.booked.add((about["id"], category))
            self.stand_in.balance.add(category, amount, fee, currency, **about)

    def _intent(self, intent_id: str) -> dict[str, Any]:
        return dict(self.stand_in.call("GET", f"/v1/payment_intents/{intent_id}?expand[]=latest_charge"))

    def _tell(self, kind: str, subject: dict[str, Any]) -> str:
        body = event(kind, subject)
        headers = {"content-type": "application/json", "stripe-signature": signed(body)}
        try:
            with urlopen(Request(self.webhook, body, headers), timeout=10) as answer:
                return f"{kind} {subject['id']}: HTTP {answer.status}"
        except (URLError, ValueError) as failed:
            return f"{kind} {subject['id']}: not delivered, {failed}"


def papers(stand_in: StandIn, folder: Path) -> dict[str, str]:
    """The members of the credentials; the certificate is a file of the folder."""
    given = stand_in.credentials()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "ca_certificates.pem"
    file.write_text(given["ca_certificates"])
    return given | {"ca_certificates": str(file)}


def main(folder: Path) -> None:
    with localstripe() as port, in_front_of(port) as stand_in, serving(stand_in) as script:
        stand_in.stalls_s = 60
        for name, value in (papers(stand_in, folder) | {"library": f"stripe={script}"}).items():
            print(f"  {name:<16} {value}", flush=True)
        console = Console(stand_in)
        for line in sys.stdin:
            words = line.split()
            if words == ["quit"]:
                return
            if words:
                print(f"  {console.obey(*words)}", flush=True)
