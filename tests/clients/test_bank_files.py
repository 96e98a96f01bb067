"""Files to banks in the hands of two JavaScript libraries: what others read in them is what was ordered."""

import json
from pathlib import Path
from typing import Any

from gateway.bank_files.cnab.payment_files import write
from gateway.bank_files.shapes import Order
from tests.support.bank_orders import by_account, by_key, file_of
from tests.support.tools import run

PLACED = """
const {makeLine, readYaml} = require("@banco-br/nodejs-cnab/dist/lib/utils");
const layouts = require("path").dirname(require.resolve("@banco-br/cnab_yaml/package.json")) + "/cnab240/341/";
const kinds = {0: "header_arquivo", 1: "header_lote", 5: "trailer_lote", 9: "trailer_arquivo"};
const lines = require("fs").readFileSync(process.argv[1], "utf8").split("\\r\\n").filter(Boolean);
console.log(JSON.stringify(lines.map((line) => {
  const kind = kinds[line[7]] || "remessa/detalhe_segmento_" + line[13].toLowerCase();
  return [kind, makeLine(readYaml(layouts + kind + ".yml"), line)];
})));
"""
"""By the library's own layouts of Itaú, which its public function applies to returns only."""
RETURNED = """
const {Layout, RetornoFile} = require("nodenab");
const layouts = require("nodenab/layouts/237/240/multipag_transferencias.json");
const layout = new Layout(237, "240", layouts, {loadFromFile: false});
const file = require("fs").readFileSync(process.argv[1], "utf8").replaceAll("\\r", "");
const lots = new RetornoFile(layout, file).generate().lotes;
console.log(JSON.stringify(lots.flatMap((lot) => lot.detalhes.map((one) => one.A))));
"""
ORDERS = (by_key("KEY1", "10.25"), by_account("TED1", "1234.06"), by_account("TED2", "7.00"))


def told_by(script: str, tools: Path, folder: Path, bank: str, *orders: Order) -> Any:
    file = folder / "orders.rem"
    file.write_bytes(write(file_of(*orders, bank=bank)))
    return json.loads(run("node", "-e", script, file, cwd=tools.parents[1]))


def test_banco_br_finds_our_orders_in_a_file_for_itau(tools: Path, tmp_path: Path) -> None:
    found = told_by(PLACED, tools, tmp_path, "341", *ORDERS)

    orders = [line for kind, line in found if kind.endswith("segmento_a")]
    assert [one["seu_numero"].strip() for one in orders] == ["KEY1", "TED1", "TED2"]
    assert [int(one["valor_pagamento"]) for one in orders] == [1025, 123406, 700]
    assert [one["agencia_favorecido"] for one in orders[1:]] == ["04321 000000987654 3"] * 2
    assert [one["numero_inscricao"] for one in orders] == ["00052998224725", *["11222333000181"] * 2]
    assert [line["email"].strip() for kind, line in found if kind.endswith("segmento_b")] == ["ana@loja.example"]
    assert [line["forma_pagamento"] for kind, line in found if kind == "header_lote"] == ["45", "41"]
    [end] = [line for kind, line in found if kind == "trailer_arquivo"]
    assert (int(end["qtde_lotes"]), int(end["qtde_registros"])) == (2, len(found))


def test_nodenab_finds_our_orders_in_a_file_for_bradesco(tools: Path, tmp_path: Path) -> None:
    """In whole reais: it joins reais and cents as two texts, so that 10.25 becomes 100.25."""
    found = told_by(RETURNED, tools, tmp_path, "237", by_key("KEY1", "10.00"), *ORDERS[2:])

    names = ("numero_documento_empresa", "valor_pagamento", "conta_favorecido", "codigo_banco_favorecido")
    told = [tuple(one[name] for name in names) for one in found]
    assert told == [("KEY1", 10, 0, 0), ("TED2", 7, 987654, 1)]
