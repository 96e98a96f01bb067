"""STP to try the service with: `python -m tests.support.stp FOLDER`.

Writes the PEM texts that staff enter for a provider account to the folder, then takes commands on standard input:
`webhook URL` (where callbacks go), `deposit CLABE AMOUNT` and `again` (repeats the last callback), `settle`, `cancel`
(orders under way), `back` (the newest settled order is returned), `refuse -7` (the next order), `silent` (the next
order is carried out and not answered), `list`, `quit`.
"""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.support.stp.books import deposit_message, state_message
from tests.support.stp.service import Stp, open_stp

HELP = "webhook URL | deposit CLABE AMOUNT | again | settle | cancel | back | refuse NUMBER | silent | list | quit"
TEXTS = ("private_key", "ca_certificates")


@dataclass
class Console:
    stp: Stp
    webhook: str = ""
    last: dict[str, Any] = field(default_factory=dict)

    def obey(self, command: str, *named: str) -> str:
        act, expected = {
            "webhook": (self._calls, 1),
            "deposit": (self._deposit, 2),
            "again": (self._again, 0),
            "settle": (self._settle, 0),
            "cancel": (self._cancel, 0),
            "back": (self._send_back, 0),
            "refuse": (self._refuse, 1),
            "silent": (self._fall_silent, 0),
            "list": (self._list, 0),
        }.get(command, (None, 0))
        return act(*named) if act and len(named) == expected else HELP

    def _calls(self, url: str) -> str:
        self.webhook = url
        return "callbacks go there"

    def _deposit(self, clabe: str, amount: str) -> str:
        return self._tell(deposit_message(self.stp.books.deposit(clabe, amount)))

    def _again(self) -> str:
        return self._tell(self.last) if self.last else "nothing was told yet"

    def _settle(self, state: str = "LQ") -> str:
        ended = self.stp.books.settle(state)
        return "; ".join(self._tell(state_message(one)) for one in ended) or "no order is under way"

    def _cancel(self) -> str:
        return self._settle("CN")

    def _refuse(self, error: str) -> str:
        self.stp.books.refuses.append(int(error))
        return "the next order is refused"

    def _fall_silent(self) -> str:
        self.stp.will("timeout after", on="/registra")
        return "the next order is carried out and not answered"

    def _list(self) -> str:
        return json.dumps({"sent": self.stp.books.sent, "received": self.stp.books.received}, indent=2, default=str)

    def _send_back(self) -> str:
        settled = [one for one in self.stp.books.sent if one["estado"] == "LQ"]
        if not settled:
            return "no order is settled"
        self.stp.books.send_back(settled[-1])
        return self._tell(state_message(settled[-1]))

    def _tell(self, told: dict[str, Any]) -> str:
        self.last = told
        about = told.get("claveRastreo") or told.get("folioOrigen")
        body = json.dumps(told, default=float).encode()
        try:
            with urlopen(Request(self.webhook, body, {"content-type": "application/json"}), timeout=10) as answer:
                return f"{about}: HTTP {answer.status} {answer.read().decode()}"
        except (URLError, ValueError) as failed:
            return f"{about}: not delivered, {failed}"


def papers(stp: Stp, folder: Path) -> dict[str, str]:
    """The members of the credentials; those that are PEM texts are files of the folder."""
    given = stp.credentials(callback_addresses="127.0.0.1 ::1", holder="Onpay")
    folder.mkdir(parents=True, exist_ok=True)
    for name in TEXTS:
        file = folder / f"{name}.pem"
        file.write_text(given[name])
        file.chmod(0o600)
        given[name] = str(file)
    return given


def main(folder: Path) -> None:
    with open_stp() as stp:
        stp.stalls_s = 60
        for name, value in papers(stp, folder).items():
            print(f"  {name:<20} {value}", flush=True)
        console = Console(stp)
        for line in sys.stdin:
            words = line.split()
            if words == ["quit"]:
                return
            if words:
                print(f"  {console.obey(*words)}", flush=True)
