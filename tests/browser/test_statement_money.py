"""Staff record another amount, and the refusal leads them to the form that holds it."""

from playwright.sync_api import expect

from accounts.models import User
from gateway.models import Payment
from tests.support.browser import Watched
from tests.support.companies import a_shop
from tests.support.manual_provider import connected, live, ordered
from tests.support.people import browser_of
from tests.support.proposals import action


def test_another_amount_is_entered_from_the_refusal(watched: Watched, transactional_db: None) -> None:
    shop = a_shop("Acme")
    connected(shop, "MXN")
    payment = Payment.objects.get(pk=ordered(live(shop, "10.1.1.1"), "SPEI")["id"])
    staff = User.objects.create_superuser("staff@onpay.example", "correct horse battery staple")
    cookies = [{"name": name, "value": one.value} for name, one in browser_of(staff).cookies.items()]
    watched.page.context.add_cookies([one | {"url": watched.origin} for one in cookies])  # type: ignore[arg-type]

    page = watched.go(action(payment, "paid"))
    page.get_by_label("Amount received").fill("1600.50")
    page.get_by_label("Bank reference").fill("MBAN7")
    page.get_by_label("Note").fill("The statement of Monday")
    page.get_by_role("button", name="Record as paid").click()
    page.get_by_role("link", name="Enter the money").click()
    expect(page.get_by_label("Bank reference")).to_have_value("MBAN7")
    expect(page.get_by_label("Amount received")).to_have_value("1600.50")
    assert watched.overflow() == 0
    page.get_by_label("Note").fill("The statement of Monday")
    page.get_by_role("button", name="Enter received money").click()
    expect(page.get_by_text("1,600.50 MXN").first).to_be_visible()
    assert watched.overflow() == 0
