"""A company's own receiving accounts, as staff enter them for the manual provider."""

from typing import Any

from gateway.methods.spei.clabe import clabe
from gateway.providers.manual.credentials import ManualCredentials
from gateway.providers.manual.provider import ManualProvider

CLABE = clabe(bank="012", city="180", account=15_400_001)
CBU = "2850590940090418135201"
MEXICO = {"holder": "Acme SA de CV", "tax_id": "ACM010101ABA", "clabe": CLABE}
ARGENTINA = {"holder": "Acme SRL", "tax_id": "30500010912", "bank": "Banco Macro", "cbu": CBU, "alias": "acme.cobros"}
COLOMBIA = {
    "holder": "Acme SAS",
    "tax_id": "9001234567",
    "bank": "Bancolombia",
    "account_type": "SAVINGS",
    "account_number": "12345678901",
    "nequi_number": "3001234567",
    "bre_b_key": "@acme2026",
    "pse_page": "https://pagos.acme.example/pse",
    "instructions_en": "Send the receipt to pagos@acme.example.",
    "instructions_es": "Envíe el comprobante a pagos@acme.example.",
    "payers_time_s": 7200,
}
BRAZIL = {"holder": "Acme LTDA", "pix_key": "pagamentos@acme.example"}
CREDENTIALS: dict[str, dict[str, Any]] = {"MXN": MEXICO, "ARS": ARGENTINA, "COP": COLOMBIA, "BRL": BRAZIL}


def manual(given: dict[str, Any]) -> ManualProvider:
    return ManualProvider(ManualCredentials.model_validate(given))
