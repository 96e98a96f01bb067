"""An Adyen to try the service with: `python -m tests.support.adyen FOLDER`.

Writes what staff enter for a provider account to the folder, then takes commands on standard input: `webhook URL`
(where webhooks go: the address that the page of the account shows), `pay`, `refuse` and `close` (the newest payment),
`settle` and `fail` (captures, cancellations and refunds under way), `silent` (acts and does not answer once), `list`,
`quit`.
"""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.support.adyen.acquirer import Acquirer, open_acquirer
from tests.support.adyen.books import Change, Payment
from tests.support.adyen.webhooks import EVENTS, item, message

NEWEST = {"pay": ("AUTHORISATION", True), "refuse": ("AUTHORISATION", False), "close": ("OFFER_CLOSED", True)}


@dataclass
class Console:
    acquirer: Acquirer
    webhook: str = ""
    settled: int = 0
    """How many changes have been told."""

    def obey(self, command: str, *named: str) -> str:
        books = self.acquirer.books
        if command == "webhook" and named:
            self.webhook = named[0]
            return f"webhooks go to {self.webhook}"
        if command in NEWEST:
            event, success = NEWEST[command]
            return self._tell(event, books.newest(), success) if books.payments else "there is no payment"
        if command in ("settle", "fail"):
            changes, self.settled = books.changes[self.settled :], len(books.changes)
            told = [self._tell(EVENTS[one.kind], one, command == "settle") for one in changes]
            return "; ".join(told) or "nothing is under way"
        if command == "silent":
            self.acquirer.will("timeout after")
            return "the next request is carried out and not answered"
        if command == "list":
            return json.dumps([asdict(one) for one in books.payments.values()], indent=2)
        return "webhook URL | pay | refuse | close | settle | fail | silent | list | quit"

    def _tell(self, event: str, of: Payment | Change, success: bool) -> str:
        body = message(item(event, of, success=success))
        request = Request(self.webhook, body, {"content-type": "application/json"})
        try:
            with urlopen(request, timeout=10) as answer:
                return f"{event} {of.reference}: HTTP {answer.status}"
        except (URLError, ValueError) as failed:
            return f"{event} {of.reference}: not delivered, {failed}"


def papers(acquirer: Acquirer, folder: Path) -> dict[str, str]:
    """The members of the credentials; the certificate is a file of the folder."""
    given = acquirer.credentials()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "ca_certificates.pem"
    file.write_text(given["ca_certificates"])
    return given | {"ca_certificates": str(file)}


def main(folder: Path) -> None:
    with open_acquirer() as acquirer:
        acquirer.stalls_s = 60
        for name, value in papers(acquirer, folder).items():
            print(f"  {name:<16} {value}", flush=True)
        console = Console(acquirer)
        for line in sys.stdin:
            words = line.split()
            if words == ["quit"]:
                return
            if words:
                print(f"  {console.obey(*words)}", flush=True)
