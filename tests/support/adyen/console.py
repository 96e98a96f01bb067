"""An Adyen to try the service with: `python -m tests.support.adyen FOLDER`.

Writes what staff enter for a provider account to the folder, then takes commands on standard input: `webhook URL`
(where webhooks go: the address that the page of the account shows), `pay`, `refuse` and `close` (the newest payment),
`settle` and `fail` (captures, cancellations and refunds under way), `dispute [PSP]` (the newest payment), `won` and
`lost` (the newest dispute), `report` (what has moved since the last one, with fees, and its payout: a file of the
folder, and announced), `silent` (acts and does not answer once), `list`, `quit`.
"""

import json
import sys
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.support.adyen.acquirer import Acquirer, open_acquirer
from tests.support.adyen.books import Change, Payment, psp
from tests.support.adyen.in_browsers import serving
from tests.support.adyen.settled import Settled
from tests.support.adyen.settlements import available
from tests.support.adyen.webhooks import EVENTS, item, message

NEWEST = {"pay": ("AUTHORISATION", True), "refuse": ("AUTHORISATION", False), "close": ("OFFER_CLOSED", True)}
COMMANDS = (
    "webhook URL | pay | refuse | close | settle | fail | dispute [PSP] | won | lost | report | silent | list | quit"
)


@dataclass
class Console:
    acquirer: Acquirer
    folder: Path
    webhook: str = ""
    told: int = 0
    """How many changes have been told."""
    settled: Settled = field(default_factory=Settled)

    def obey(self, command: str, *named: str) -> str:
        books = self.acquirer.books
        if command == "webhook" and named:
            self.webhook = named[0]
            return f"webhooks go to {self.webhook}"
        if command in NEWEST or command == "dispute":
            return self._of_payment(command, *named) if books.payments else "there is no payment"
        if command in ("settle", "fail"):
            changes, self.told = books.changes[self.told :], len(books.changes)
            return "; ".join(self._carry_out(one, success=command == "settle") for one in changes) or "nothing to do"
        if command in ("won", "lost"):
            return self._end(command) if self.settled.disputes else "there is no dispute"
        if command == "silent":
            self.acquirer.will("timeout after")
            return "the next request is carried out and not answered"
        if command == "list":
            return json.dumps([asdict(one) for one in books.payments.values()], indent=2)
        return self._report() if command == "report" else COMMANDS

    def _of_payment(self, command: str, *named: str) -> str:
        books = self.acquirer.books
        payment = books.payments.get(named[0]) if named else books.newest()
        if payment is None:
            return "there is no such payment"
        return self._dispute(payment) if command == "dispute" else self._decide(payment, *NEWEST[command])

    def _decide(self, payment: Payment, event: str, success: bool) -> str:
        """What is no card is paid at once."""
        if event == "AUTHORISATION" and success and payment.method != "scheme":
            self.settled.move("Settled", payment)
        return self._tell(event, payment, success)

    def _carry_out(self, change: Change, *, success: bool) -> str:
        if success and change.payment and change.kind in ("captures", "refunds"):
            is_refund = change.kind == "refunds"
            self.settled.move("Refunded" if is_refund else "Settled", change if is_refund else change.payment)
        return self._tell(EVENTS[change.kind], change, success)

    def _dispute(self, payment: Payment) -> str:
        """The card's bank takes the money back, and the company can defend itself for 20 days."""
        dispute = Change(psp(), payment, "disputes", payment.reference, payment.amount)
        self.settled.disputes.append(dispute)
        self.settled.move("Chargeback", dispute)
        ends = datetime.now(UTC) + timedelta(days=20)
        facts = {"chargebackReasonCode": "13.1", "defensePeriodEndsAt": ends.isoformat(), "defendable": "true"}
        events = ("NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK")
        return "; ".join(self._tell(event, dispute, True, additionalData=facts) for event in events)

    def _end(self, command: str) -> str:
        dispute = self.settled.disputes[-1]
        if command == "won":
            self.settled.move("ChargebackReversed", dispute)
        return self._tell("CHARGEBACK_REVERSED" if command == "won" else "SECOND_CHARGEBACK", dispute, True)

    def _report(self) -> str:
        batches = self.settled.pay_out()
        for batch in batches:
            self.acquirer.reports[batch.name] = batch.file()
            (self.folder / batch.name).write_bytes(batch.file())
        told = (f"{one.currency} {one.paid_out}, {self._post(available(one), one.name)}" for one in batches)
        return "; ".join(told) or "nothing has moved"

    def _tell(self, event: str, of: Payment | Change, success: bool, **more: Any) -> str:
        return self._post(message(item(event, of, success=success, **more)), f"{event} {of.reference}")

    def _post(self, body: bytes, about: str) -> str:
        request = Request(self.webhook, body, {"content-type": "application/json"})
        try:
            with urlopen(request, timeout=10) as answer:
                return f"{about}: HTTP {answer.status}"
        except (URLError, ValueError) as failed:
            return f"{about}: not delivered, {failed}"


def papers(acquirer: Acquirer, folder: Path) -> dict[str, str]:
    """The members of the credentials; the certificate is a file of the folder."""
    given = acquirer.credentials()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "ca_certificates.pem"
    file.write_text(given["ca_certificates"])
    return given | {"ca_certificates": str(file)}


def main(folder: Path) -> None:
    with open_acquirer() as acquirer, serving() as script:
        acquirer.stalls_s = 60
        for name, value in (papers(acquirer, folder) | {"library": f"adyen={script}"}).items():
            print(f"  {name:<16} {value}", flush=True)
        console = Console(acquirer, folder)
        for line in sys.stdin:
            words = line.split()
            if words == ["quit"]:
                return
            if words:
                print(f"  {console.obey(*words)}", flush=True)
