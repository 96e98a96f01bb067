"""The page on which a receipt is verified, as whoever scanned its code sees it."""

from playwright.sync_api import expect

from gateway.receipts.verification import code, link
from tests.support.browser import Watched
from tests.support.companies import a_shop
from tests.support.payments import a_payment


def path(address: str) -> str:
    return "/receipts/" + address.partition("/receipts/")[2]


def test_a_receipt_is_verified(watched: Watched, transactional_db: None) -> None:
    payment = a_payment(a_shop("Acme").sandbox, "PAID", "249999.99")
    page = watched.go(path(link(payment)))

    for shown in ("Acme", "R$ 249.999,99", "SANDBOX"):
        expect(page.locator("body")).to_contain_text(shown)
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
    assert watched.overflow() == 0

    page.emulate_media(color_scheme="dark")
    assert watched.overflow() == 0


def test_a_receipt_with_another_code_is_unknown(watched: Watched, transactional_db: None) -> None:
    payment = a_payment(a_shop("Acme").sandbox, "PAID")
    page = watched.go(path(link(payment)).replace(code(payment), "0000-0000-0000-0000"))

    expect(page.locator("body")).not_to_contain_text("Acme")
    assert watched.overflow() == 0
    assert [complaint for complaint in watched.complaints if "404" not in complaint] == []
    watched.complaints.clear()  # a browser says of a 404 that it failed to load
