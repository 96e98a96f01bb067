"""What a fake bank knows: charges, received money and returns, told as API Pix 2.9 tells them.

Answers are made of the published examples cobResponse1, pixWebhook2, devolucaoResponse1, getPix1, webhookResponse1
and those of problems, with our ids and sums in them.
"""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from gateway.methods.due_dates import SAO_PAULO
from gateway.methods.pix.brcode import br_code
from gateway.methods.pix.rail import end_to_end_id_of

EXAMPLES = Path(__file__).parent / "examples.json"
ERRORS = "https://pix.bcb.gov.br/api/v2/error/"
INVALID = {"cob": "CobOperacaoInvalida", "cobv": "CobVOperacaoInvalida"}
UNKNOWN = {"cob": "CobNaoEncontrado", "cobv": "CobVNaoEncontrada"}
BENEFICIARY = {
    "cnpj": "11222333000181", "nome": "Loja Exemplo LTDA", "logradouro": "Rua das Flores, 10", "cidade": "São Paulo",
    "uf": "SP", "cep": "01001000",
}  # fmt: skip
Told = tuple[int, dict[str, Any] | None]


@cache
def _examples() -> dict[str, Any]:
    return dict(json.loads(EXAMPLES.read_text()))


def example(name: str, *leave_out: str, **members: Any) -> dict[str, Any]:
    published = copy.deepcopy(_examples()[name])
    return {key: value for key, value in published.items() if key not in leave_out} | members


def problem(status: int, name: str, detail: str = "") -> Told:
    told = example("NaoEncontradoExample1", type=ERRORS + name, status=status, title=name)
    return status, told | ({"detail": detail} if detail else {})


@dataclass
class Books:
    """`charges` are of both kinds, `loc.tipoCob` tells of which; a txid is of one only.

    `existing` is what PUT does to a charge that exists: None alters it, as the file says; banks also answer 400
    and 409. `settles` is what becomes of a return at once, `meanwhile` what happens just before the
    next one.
    """

    key: str
    clock_offset: timedelta = timedelta(0)
    existing: int | None = None
    settles: str = "EM_PROCESSAMENTO"
    meanwhile: Callable[[], Any] | None = None
    gives_code: bool = True
    location_begins: str = "pix.example.com/qr/v2/"
    most_per_page: int = 1000
    webhook_url: str | None = None
    charges: dict[str, dict[str, Any]] = field(default_factory=dict)
    pix: dict[str, dict[str, Any]] = field(default_factory=dict)

    def pay(self, txid: str | None, amount: str | None = None) -> str:
        """Somebody pays: a charge, whatever became of it, or just the key. The endToEndId of the money."""
        end_to_end_id = end_to_end_id_of("E", "12345678", self._now())
        valor = amount or self.charges[str(txid)]["valor"]["original"]
        money = example("pixWebhook2", "txid", endToEndId=end_to_end_id, valor=valor, horario=self.time())
        self.pix[end_to_end_id] = money | ({"txid": txid} if txid else {})
        if txid in self.charges and self.charges[txid]["status"] == "ATIVA":
            self.charges[txid]["status"] = "CONCLUIDA"
        return end_to_end_id

    def settle(self, end_to_end_id: str, number: str, status: str, **members: str) -> None:
        """A return ends, or MED begins one."""
        returns = self.pix[end_to_end_id].setdefault("devolucoes", [])
        found = next((one for one in returns if one["id"] == number), None)
        if found is None:
            found = example("devolucaoResponse1", id=number, rtrId=end_to_end_id_of("D", "12345678", self._now()))
            returns.append(found)
        found |= {"status": status, **members}

    def take_back(self, end_to_end_id: str, amount: str | None = None, status: str = "DEVOLVIDO") -> str:
        """The bank returns money itself, as MED has it; the id of the return (rtrId)."""
        valor, number = amount or self.pix[end_to_end_id]["valor"], f"MED{len(self.pix)}{datetime.now(UTC):%H%M%S%f}"
        self.settle(end_to_end_id, number, status, valor=valor, natureza="MED_FRAUDE")
        return str(self.pix[end_to_end_id]["devolucoes"][-1]["rtrId"])

    def settle_all(self) -> int:
        """Completes every return under way; how many."""
        returns = [(e2e, one) for e2e, money in self.pix.items() for one in money.get("devolucoes", ())]
        under_way = [(e2e, one["id"]) for e2e, one in returns if one["status"] == "EM_PROCESSAMENTO"]
        for end_to_end_id, number in under_way:
            self.settle(end_to_end_id, number, "DEVOLVIDO")
        return len(under_way)

    def received(self) -> Decimal:
        return sum((Decimal(one["valor"]) for one in self.pix.values()), Decimal(0))

    def returned(self) -> Decimal:
        done = (one for money in self.pix.values() for one in money.get("devolucoes", ()))
        return sum((Decimal(one["valor"]) for one in done if one["status"] == "DEVOLVIDO"), Decimal(0))

    def callback(self, *end_to_end_ids: str) -> dict[str, Any]:
        return {"pix": [self.pix[one] for one in end_to_end_ids or self.pix]}

    def put_charge(self, kind: str, txid: str, asked: dict[str, Any]) -> Told:
        found = self.charges.get(txid)
        if found and (self.existing or found["status"] != "ATIVA" or found["loc"]["tipoCob"] != kind):
            return problem(self.existing or 400, INVALID[kind], "txid em uso")
        if asked["chave"] != self.key or Decimal(asked["valor"]["original"]) <= 0 or self._is_past(asked["calendario"]):
            return 400, example("RequisicaoInvalidaCobExample1", type=ERRORS + INVALID[kind])
        location = f"{self.location_begins}{'cobv/' if kind == 'cobv' else ''}{txid}"
        made = example("cobResponse1", "devedor", "solicitacaoPagador", "infoAdicionais", txid=txid, location=location)
        made["loc"] |= {"location": location, "txid": txid, "criacao": self.time(), "tipoCob": kind}
        made |= {"revisao": found["revisao"] + 1 if found else 0, "chave": asked["chave"], "valor": asked["valor"]}
        made["calendario"] = {"criacao": self.time(), **asked["calendario"]}
        if kind == "cobv":
            made |= {"devedor": asked["devedor"], "recebedor": BENEFICIARY}
        if self.gives_code:
            amount = Decimal(asked["valor"]["original"])
            made["pixCopiaECola"] = br_code(location=location, amount=amount, name="LOJA", city="SAO PAULO")
        self.charges[txid] = made
        return 201, made

    def get_charge(self, kind: str, txid: str) -> Told:
        if not self._has(kind, txid):
            return problem(404, UNKNOWN[kind])
        received = [one for one in self.pix.values() if one.get("txid") == txid]
        return 200, self.charges[txid] | ({"pix": received} if received else {})

    def patch_charge(self, kind: str, txid: str, asked: dict[str, Any]) -> Told:
        if not self._has(kind, txid):
            return problem(404, UNKNOWN[kind])
        if self.charges[txid]["status"] != "ATIVA":
            return 400, example("OperacaoInvalidaCobExample1", type=ERRORS + INVALID[kind])
        self.charges[txid] |= asked
        return 200, self.charges[txid]

    def put_return(self, end_to_end_id: str, number: str, asked: dict[str, Any]) -> Told:
        if self.meanwhile:
            happens, self.meanwhile = self.meanwhile, None
            happens()
        money = self.pix.get(end_to_end_id)
        if money is None:
            return problem(404, "PixNaoEncontrado")
        returns = money.setdefault("devolucoes", [])
        gone = sum(Decimal(one["valor"]) for one in returns if one["status"] != "NAO_REALIZADO")
        if any(one["id"] == number for one in returns):
            return problem(400, "PixDevolucaoInvalida", "id já utilizado")
        if gone + Decimal(asked["valor"]) > Decimal(money["valor"]):
            return problem(400, "PixDevolucaoInvalida", "excederia o valor do pix originário")
        self.settle(end_to_end_id, number, self.settles, valor=asked["valor"])
        return 201, returns[-1]

    def get_return(self, end_to_end_id: str, number: str) -> Told:
        returns = self.pix.get(end_to_end_id, {}).get("devolucoes", ())
        found = next((one for one in returns if one["id"] == number), None)
        return (200, found) if found else problem(404, "PixDevolucaoNaoEncontrada")

    def get_one_pix(self, end_to_end_id: str) -> Told:
        money = self.pix.get(end_to_end_id)
        return (200, money) if money else problem(404, "PixNaoEncontrado")

    def get_pix(self, query: dict[str, str]) -> Told:
        number, size = int(query["paginacao.paginaAtual"]), int(query["paginacao.itensPorPagina"])
        size = min(size, self.most_per_page)
        inside = list(self._between(query["inicio"], query["fim"]))
        if query.get("devolucaoPresente") == "true":
            inside = [one for one in inside if one.get("devolucoes")]
        paging = {
            "paginaAtual": number,
            "itensPorPagina": size,
            "quantidadeDePaginas": max(-(-len(inside) // size), 1),
            "quantidadeTotalDeItens": len(inside),
        }
        window = {"inicio": query["inicio"], "fim": query["fim"], "paginacao": paging}
        return 200, example("getPix1", parametros=window, pix=inside[number * size : (number + 1) * size], cobs=[])

    def get_webhook(self, key: str) -> Told:
        if self.webhook_url is None:
            return problem(404, "WebhookNaoEncontrado")
        return 200, example("webhookResponse1", webhookUrl=self.webhook_url, cnpj="12345678000195")

    def put_webhook(self, key: str, asked: dict[str, Any]) -> Told:
        if key != self.key or not asked["webhookUrl"].startswith("https://"):
            return 400, example("RequisicaoInvalidaWebhookExample1")
        self.webhook_url = asked["webhookUrl"]
        return 200, None

    def time(self) -> str:
        return self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _has(self, kind: str, txid: str) -> bool:
        return txid in self.charges and self.charges[txid]["loc"]["tipoCob"] == kind

    def _is_past(self, calendar: dict[str, Any]) -> bool:
        """Whether a charge would be due before the day of its creation."""
        today = self._now().astimezone(SAO_PAULO).date()
        return date.fromisoformat(calendar.get("dataDeVencimento", str(today))) < today

    def _between(self, since: str, until: str) -> Iterator[dict[str, Any]]:
        first, last = (datetime.fromisoformat(one) for one in (since, until))
        yield from (one for one in self.pix.values() if first <= datetime.fromisoformat(one["horario"]) <= last)

    def _now(self) -> datetime:
        return datetime.now(UTC) + self.clock_offset
