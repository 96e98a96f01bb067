"""The demo shop speaks the language of whoever tries it."""

import json
import re

from django.test import Client

from tests.support.companies import Shop


def test_the_shop_and_its_script_speak_the_language_of_the_browser(client: Client, acme: Shop) -> None:
    page = client.get("/demo/shop", headers={"accept-language": "pt-BR"}).content.decode()

    assert '<html lang="pt-br">' in page and "Pague alguma coisa" in page and "Recusado pelo banco do cartão" in page
    found = re.search(r'id="said-texts"[^>]*>(.*?)</script>', page)
    assert found and json.loads(found[1])["copy"] == "Copiar"
    assert "Pay for something" in client.get("/demo/shop", headers={"accept-language": "en"}).content.decode()
