"""What PyPI `stpmex` would send to STP: run by the interpreter that has it, with JSON on standard input.

`asked` are pairs of a kind, "order" or "query", and the members of the request. Answers the requests, signed.
"""

import json
import sys
from typing import Any
from unittest.mock import patch

from stpmex import Client  # type: ignore[import-not-found]
from stpmex.resources.ordenes import Orden  # type: ignore[import-not-found]
from stpmex.utils import strptime  # type: ignore[import-not-found]


def order(members: dict[str, Any]) -> dict[str, Any]:
    """Members that its constructor does not take are set afterwards, as its signature reads them."""
    members |= {name: str(members[name]) for name in ("institucionContraparte", "institucionOperante")}
    taken = {name: value for name, value in members.items() if name in Orden.__dataclass_fields__}
    made = Orden(**taken)
    for name in members.keys() - taken:
        setattr(made, name, members[name])
    return dict(made.to_dict())


def query(client: Any, members: dict[str, Any]) -> dict[str, Any]:
    sent = []
    day = members.get("fechaOperacion") and strptime(members["fechaOperacion"])

    def post(_: str, data: dict[str, Any], **__: object) -> dict[str, Any]:
        sent.append(data)
        return {"ordenPago": {}, "lst": []}

    with patch.object(client, "post", post):
        if "claveRastreo" in members:
            Orden._consulta_clave_rastreo_enviada(members["claveRastreo"], members["institucionOperante"], day)
        else:
            Orden.consulta_recibidas(day)
    return sent[0]


def main() -> None:
    given = json.load(sys.stdin)
    client = Client(given["empresa"], given["key"], given["passphrase"], demo=True)
    told = [order(members) if kind == "order" else query(client, members) for kind, members in given["asked"]]
    json.dump(told, sys.stdout)


main()
