"""The demo shop speaks the language of whoever tries it."""

import json
import re
from typing import Any

from django.test import Client

from tests.support.companies import Shop


def test_the_shop_and_its_script_speak_the_language_of_the_browser(client: Client, acme: Shop) -> None:
    page = client.get("/demo/shop", headers={"accept-language": "pt-BR"}).content.decode()

    assert '<html lang="pt-br">' in page and "Pague alguma coisa" in page and "Recusado pelo banco do cartão" in page
    found = re.search(r'id="said-texts"[^>]*>(.*?)</script>', page)
    assert found and json.loads(found[1])["copy"] == "Copiar"
    assert "Pay for something" in client.get("/demo/shop", headers={"accept-language": "en"}).content.decode()


def test_the_customer_pays_the_same_order_another_way(client: Client, acme: Shop) -> None:
    def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = client.post(f"/demo/shop/payments{path}", json.dumps(body), "application/json")
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    pix = post("", {"method": "PIX", "currency": "BRL", "amount": 150})
    ended = post(f"/{pix['id']}/end", {})
    assert (ended["payment"]["status"], [event["type"] for event in ended["events"]]) == (
        "EXPIRED",
        ["payment.expired"],
    )

    boleto = post("", {"method": "BOLETO", "currency": "BRL", "amount": 150, "instead": pix["id"]})

    assert (boleto["method"], boleto["reference"]) == ("BOLETO", pix["reference"])
