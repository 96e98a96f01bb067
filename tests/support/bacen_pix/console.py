"""A bank with API Pix to try the service with: `python -m tests.support.bacen_pix FOLDER`.

Writes what staff enter for a provider account to the folder, then takes commands on standard input: `pay [TXID]`,
`settle` (completes the returns under way), `med [AMOUNT]` (takes the newest money back itself), `silent` (acts and does
not answer once), `list`, `quit`. `pay TXID AMOUNT` pays another amount.
"""

import json
import sys
from pathlib import Path

from tests.support.bacen_pix.bank import KEY, Bank, Papers, authority, open_bank


def papers(bank: Bank, folder: Path) -> dict[str, str]:
    """The members of the credentials; those that are PEM texts are files of the folder."""
    ours = Papers.of("onpay.test")
    texts = {
        "certificate.pem": ours.certificate,
        "private_key.pem": ours.private_key,
        "ca_certificates.pem": authority().cert_pem.bytes().decode(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o600)
    return {
        "base_url": bank.url,
        "token_url": bank.token_url,
        "client_id": bank.client_id,
        "client_secret": bank.client_secret,
        "pix_key": KEY,
        **{name.removesuffix(".pem"): str(folder / name) for name in texts},
    }


def obey(bank: Bank, command: str, *named: str) -> str:
    if command == "pay":
        txid, amount = (*named, None, None)[:2]
        txid = txid or next(reversed(bank.books.charges), None)
        return f"paid: {bank.books.pay(txid, amount)}" if txid in bank.books.charges else "no such charge"
    if command == "settle":
        return f"returned: {bank.books.settle_all()}"
    if command == "med":
        newest = next(reversed(bank.books.pix), None)
        return f"taken back: {bank.books.take_back(newest, *named)}" if newest else "no money has arrived"
    if command == "silent":
        bank.will("timeout after", on="PUT")
        return "the next order is carried out and not answered"
    if command == "list":
        return json.dumps({"charges": bank.books.charges, "pix": bank.books.pix}, indent=2)
    return "pay [TXID [AMOUNT]] | settle | med [AMOUNT] | silent | list | quit"


def main(folder: Path) -> None:
    with open_bank() as bank:
        bank.stalls_s = 60
        for name, value in papers(bank, folder).items():
            print(f"  {name:<16} {value}", flush=True)
        for line in sys.stdin:
            words = line.split()
            if words == ["quit"]:
                return
            if words:
                print(f"  {obey(bank, *words)}", flush=True)
