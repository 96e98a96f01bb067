"""What every institution must pass: a new one adds accounts that together serve each of its
methods and payouts."""

from typing import Any

from tests.support.adyen.acquirer import Acquirer
from tests.support.bacen_pix.bank import Papers
from tests.support.batches import BY_CNAB, BY_PAIN
from tests.support.boleto_bank import CREDENTIALS as BOLETOS
from tests.support.manual_provider import CBU, CREDENTIALS
from tests.support.stp.service import Stp
from tests.support.stripe.stand_in import StandIn

_PAPERS = Papers.of("onpay.test")

ACCOUNTS: dict[str, list[dict[str, Any]]] = {
    "bank-boletos": [BOLETOS],
    "bank-files": [
        BY_CNAB,
        BY_PAIN,
        BY_PAIN | {"currency": "ARS", "clabe": "", "cbu": CBU},
        BY_PAIN | {"currency": "COP", "clabe": "", "bank": "1007", "account": "12345678901"},
    ],
    "manual": [*CREDENTIALS.values(), {"holder": "Acme SAS", "crypto_wallet": "bc1qacme"}],
    "bacen-pix": [
        {
            "base_url": "https://bank.example/api",
            "token_url": "https://bank.example/oauth/token",
            "client_id": "onpay",
            "client_secret": "the bank's secret",
            "certificate": _PAPERS.certificate,
            "private_key": _PAPERS.private_key,
            "pix_key": "pagamentos@acme.example",
        }
    ],
    "stripe": [StandIn(0, "https://acquirer.example").credentials()],
    "stp": [Stp(url="https://acquirer.example").credentials()],
    "adyen": [Acquirer(url="https://acquirer.example").credentials()],
}
"""The name of a provider → credentials as staff enter them. Nothing is called with them."""
