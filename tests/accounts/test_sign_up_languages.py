"""Signing up in the languages that we speak, to the last word."""

import re

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from tests.support.people import PASSWORD

LANGUAGES = {"es": ("Inicie sesión", "localhost"), "pt-br": ("Entre", "localhost")}


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    cache.clear()
    return str(request.param)


@pytest.mark.django_db
def test_the_page_has_no_english_word(language: str) -> None:
    page = Client(headers={"accept-language": language}).get("/accounts/signup/").content.decode()

    assert LANGUAGES[language][0] in page
    assert "sign in" not in page.lower()


@pytest.mark.django_db
def test_the_mail_names_where_one_signed_up(language: str) -> None:
    founder = {"trade_name": "Padaria", "legal_name": "Padaria LTDA", "country": "BR", "tax_id": "11.222.333/0001-81"}
    person = {"email": "ana@padaria.example", "password1": PASSWORD, "terms": "on"}

    Client(REMOTE_ADDR="10.1.1.1", headers={"accept-language": language}).post("/accounts/signup/", founder | person)

    body = str(mail.outbox[-1].body)
    assert LANGUAGES[language][1] in body
    assert " em ." not in body and " en ." not in body


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("languages", "chosen"), [("es-MX,es;q=0.9", "MX"), ("en-US,pt-BR;q=0.5", "BR"), ("es-ES,es;q=0.9", ""), ("", "")]
)
def test_the_country_is_the_one_that_the_browser_names_and_otherwise_chosen(languages: str, chosen: str) -> None:
    page = Client(headers={"accept-language": languages}).get("/accounts/signup/").content.decode()

    assert re.findall(r'<option value="(\w*)" selected>', page) == [chosen]
