"""The calls of API Pix 2.9 that we make. Each raises NotSent or Unclear without a clear answer."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeVar

from gateway.providers.bacen_pix.shapes import Charge, Listing, Nothing, ReceivedPix, ReturnedPix
from gateway.providers.client import Answer, Call
from gateway.providers.errors import ScopeRefused, Unclear
from gateway.providers.oauth2 import AuthorizedClient
from gateway.providers.problems import Problem, clear, told

SCOPES = "cob.write cob.read pix.write pix.read webhook.write webhook.read"
DUE_SCOPES = "cobv.write cobv.read"
"""Of a token of its own: some banks give none at all to a client that may not use one of its scopes."""
COB, COBV, PIX, WEBHOOK = "/cob/{txid}", "/cobv/{txid}", "/pix/{e2eid}", "/webhook/{chave}"
RETURN = f"{PIX}/devolucao/{{id}}"
UNKNOWN = ("NaoEncontrado", "NaoEncontrada")
PAGE_SIZE, MOST_PAGES = 500, 1000
Named = TypeVar("Named", Charge, ReceivedPix, ReturnedPix)
T = TypeVar("T")


class Charges:
    """Charges of one kind: immediate (cob) or with a due date (cobv). Amounts are in BRL."""

    def __init__(self, client: AuthorizedClient, url: str, pix_key: str) -> None:
        self._client, self._url, self._key = client, url, pix_key

    def create(self, txid: str, amount: Decimal, terms: Mapping[str, Any]) -> Charge | Problem:
        """`terms`: until when it can be paid, and by whom if the kind names a payer."""
        return self._send("PUT", txid, {**terms, "valor": {"original": f"{amount:.2f}"}, "chave": self._key})

    def find(self, txid: str, *, or_denied: bool = False) -> Charge | None:
        """None: the bank knows no such charge or, with `or_denied`, does not let us ask."""
        found = self._send("GET", txid)
        return None if or_denied and is_denied(found) else _known(found)

    def remove(self, txid: str) -> Charge | Problem:
        return self._send("PATCH", txid, {"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"})

    def _send(self, method: str, txid: str, json: Mapping[str, Any] | None = None) -> Charge | Problem:
        """Without the right to such charges some banks answer 403, and others give no token: here that is 403, too."""
        try:
            return _named(Charge, txid, self._client.send(Call(method, self._url, {"txid": txid}, txid, json=json)))
        except ScopeRefused:
            return Problem("AcessoNegado", "The account may not use such charges.", 403)


class PixApi:
    """One receiving key at one bank: its charges, returns and received money. Amounts are in BRL."""

    def __init__(self, client: AuthorizedClient, due_client: AuthorizedClient, base_url: str, pix_key: str) -> None:
        self._client, self._base_url, self._key = client, base_url, pix_key
        self.cob, self.cobv = Charges(client, base_url + COB, pix_key), Charges(due_client, base_url + COBV, pix_key)

    def give_back(self, end_to_end_id: str, number: str, amount: Decimal) -> ReturnedPix | Problem:
        ids, body = {"e2eid": end_to_end_id, "id": number}, {"valor": f"{amount:.2f}"}
        return _named(ReturnedPix, number, self._send("PUT", RETURN, ids, body))

    def returned(self, end_to_end_id: str, number: str) -> ReturnedPix | None:
        """None: the bank knows no such return."""
        ids = {"e2eid": end_to_end_id, "id": number}
        return _known(_named(ReturnedPix, number, self._send("GET", RETURN, ids)))

    def pix(self, end_to_end_id: str) -> ReceivedPix | None:
        """Money that arrived, with its returns. None: the bank knows none of this id."""
        return _known(_named(ReceivedPix, end_to_end_id, self._send("GET", PIX, {"e2eid": end_to_end_id})))

    def received(self, since: datetime, until: datetime, *, returned: bool = False) -> Iterator[ReceivedPix]:
        """All money that arrived in a window of whole seconds, with and without a charge, each once.

        `returned`: only money of which something was returned, or is being returned.
        """
        seen: set[str] = set()
        window = {"inicio": f"{since.astimezone(UTC):%FT%TZ}", "fim": f"{until.astimezone(UTC):%FT%TZ}"}
        window |= {"devolucaoPresente": "true"} if returned else {}
        for number in range(MOST_PAGES):
            paging = {"paginacao.paginaAtual": number, "paginacao.itensPorPagina": PAGE_SIZE}
            page = clear(told(self._send("GET", "/pix", query={**window, **paging}), Listing))
            fresh = {one.end_to_end_id: one for one in page.received if one.end_to_end_id not in seen}
            seen |= fresh.keys()
            yield from fresh.values()
            if number + 1 >= page.pages:
                return
        raise Unclear(f"more than {MOST_PAGES} pages")

    def reach_webhook(self) -> None:
        """Reads where callbacks go, if anywhere."""
        _known(told(self._send("GET", WEBHOOK, {"chave": self._key}), Nothing))

    def register_webhook(self, url: str) -> None:
        clear(told(self._send("PUT", WEBHOOK, {"chave": self._key}, {"webhookUrl": url}), Nothing))

    def _send(
        self,
        method: str,
        path: str,
        ids: Mapping[str, str] | None = None,
        json: Mapping[str, Any] | None = None,
        query: Mapping[str, str | int] | None = None,
    ) -> Answer:
        ids = ids or {}
        return self._client.send(Call(method, self._base_url + path, ids, ids.get("id", ""), query or {}, json))


def is_denied(answered: object) -> bool:
    """Whether our client may not do this."""
    return isinstance(answered, Problem) and answered.status == 403


def _named(shape: type[Named], name: str, answer: Answer) -> Named | Problem:
    found = told(answer, shape)
    if isinstance(found, Problem) or found.name == name:
        return found
    raise Unclear("an answer about something else")


def _known(answered: T | Problem) -> T | None:
    """None if the bank knows no such object: an address that does not exist is 404 as well, and says nothing."""
    if isinstance(answered, Problem) and answered.status == 404 and answered.name.endswith(UNKNOWN):
        return None
    return clear(answered)
