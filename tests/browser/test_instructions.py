"""Where to pay without any integration: the payer's page, at the width of a telephone and on a screen."""

import pytest
from playwright.sync_api import Request, expect

from tests.support.axe import faults_of
from tests.support.browser import Watched
from tests.support.checkout import Checkout
from tests.support.companies import Shop, a_shop
from tests.support.manual_provider import connected, live, ordered

TITLES = {"es-CO": "Transfiera exactamente", "pt-BR": "Transfira exatamente", "en": "Transfer exactly"}


@pytest.fixture
def shop(transactional_db: None) -> Shop:
    return a_shop("Acme")


def spoken(request: Request, language: str) -> dict[str, str]:
    """The headers of a payer whose browser asks for this language."""
    return request.headers | {"accept-language": language}


@pytest.mark.parametrize("language", list(TITLES))
def test_the_account_is_read_in_the_payers_language_and_nothing_is_wider_than_the_window(
    watched: Watched, shop: Shop, address: str, language: str
) -> None:
    connected(shop, "COP", bank="Banco Caja Social de la Ciudad de Bogotá", instructions_es="Escríbanos. " * 40)
    checkout = Checkout(ordered(live(shop, address), "BANK_TRANSFER", amount=49_999_999.99, reference="order" * 25))
    watched.page.route("**/checkout/*", lambda route: route.continue_(headers=spoken(route.request, language)))

    page = watched.go(checkout.path)

    expect(page.get_by_role("heading", level=2)).to_contain_text(TITLES[language])
    expect(page.get_by_text("12345678901")).to_be_visible()
    assert watched.overflow() == 0
    assert faults_of(page) == []


def test_a_payer_finds_the_way_to_the_bank_by_keyboard_and_sees_when_it_arrived(
    watched: Watched, shop: Shop, address: str
) -> None:
    connected(shop, "COP", pse_page=f"{watched.origin.replace('http:', 'https:')}/docs/errors")
    checkout = Checkout(ordered(live(shop, address), "PSE"))
    watched.page.emulate_media(color_scheme="dark")
    page = watched.go(checkout.path)

    page.keyboard.press("Tab")

    expect(page.get_by_role("link", name="Continue to the payment page")).to_be_focused()
    assert faults_of(page) == []
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=2)).to_have_text("How to pay")
