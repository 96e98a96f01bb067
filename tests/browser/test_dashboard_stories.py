"""What people come to the dashboard for, from the page where they begin to the page that says it is done."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from django.conf import settings
from django.db import connection
from playwright.sync_api import ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import AuditEntry, User
from gateway.refunds.models import Refund
from gateway.withdrawals.models import Withdrawal
from ledger.models import Advance
from tests.support.browser import WIDE, Watched
from tests.support.companies import Shop, a_shop
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in_twice
from tests.support.receiver import listening
from webhooks import services as webhooks
from webhooks.dispatch import deliver_due
from webhooks.models import Delivery


@pytest.fixture
def shop(transactional_db: None) -> Shop:
    """Ana's company."""
    made = a_shop("Acme")
    a_member(made.company, email="ana@acme.example")
    return made


@dataclass
class Desk(Watched):
    """A page before which people take turns, each in a session of their own."""

    sessions: dict[str, dict[str, str]] = field(default_factory=dict)
    """The cookies of each person: the session, and what tells the browser that showed the second factor."""

    def sit_down(self, email: str) -> Page:
        """Somebody signs in here, with their second factor, or comes back."""
        if email not in self.sessions:
            cookies = signed_in_twice(User.objects.get(email=email)).cookies
            self.sessions[email] = {name: cookies[name].value for name in ("session", settings.STEP_UP_COOKIE_NAME)}
        self.page.context.clear_cookies()
        for name, value in self.sessions[email].items():
            self.page.context.add_cookies([{"name": name, "value": value, "url": self.origin}])
        return self.go("/dashboard/")

    def on_console(self, message: ConsoleMessage) -> None:
        """Nothing is complained of here: pages lose their session in the middle of what they load."""


@pytest.fixture
def desk(page: Page, live_server: LiveServer, plain_static_files: None) -> Iterator[Desk]:
    found = Desk(page, live_server.url)
    with found.before(WIDE):
        yield found


def open_page(page: Page, title: str) -> None:
    """By the sidebar, where a page may have a count of what waits there behind its title."""
    name = re.compile(rf"^\s*{re.escape(title)}(\s*\d+\s*waiting for an answer)?\s*$")
    page.locator(".sidebar").get_by_role("link", name=name).click()


def test_a_payer_is_answered(desk: Desk, old_shop: Shop) -> None:
    page = desk.sit_down("ana@acme.example")
    open_page(page, "Refunds and disputes")
    page.locator("main tbody").get_by_role("link", name="Answer").first.click()
    page.get_by_role("link", name="Contest").click()
    page.locator("textarea").first.fill("Delivered on Monday, and signed for.")
    page.get_by_role("button", name="Review before sending").click()
    expect(page.get_by_text("Delivered on Monday, and signed for.")).to_be_visible()
    page.get_by_role("button", name="Send the answer").click()

    expect(page.get_by_text("Your answer is sent and under review now.")).to_be_visible()
    answered = Refund.objects.get(responses__message="Delivered on Monday, and signed for.")
    assert answered.status == "UNDER_REVIEW"


def test_an_advance_is_asked_for_and_granted(desk: Desk, old_shop: Shop) -> None:
    page = desk.sit_down("ana@acme.example")
    open_page(page, "Receivables")
    page.get_by_role("link", name="Advance receivables").click()
    page.get_by_role("button", name="See what it costs").click()
    page.get_by_role("link", name="Request this advance").click()
    page.get_by_role("button", name="Request ").click()
    expect(page.get_by_text("The advance is requested and under review.")).to_be_visible()

    asked = Advance.objects.order_by("requested_at").last()
    assert asked and asked.state == "UNDER_REVIEW"
    page = desk.sit_down("staff@onpay.example")
    desk.go(f"/admin/ledger/advance/{asked.pk}/change/")
    page.get_by_role("link", name="Approve").click()
    page.get_by_label("Note").fill("Good history.")
    page.get_by_role("button", name="Approve").click()

    page = desk.sit_down("ana@acme.example")
    open_page(page, "Receivables")
    page.get_by_role("link", name="Advances").click()
    expect(page.locator("main").get_by_text("Approved").first).to_be_visible()
    asked.refresh_from_db()
    assert asked.state == "APPROVED"


def test_money_is_withdrawn(desk: Desk, shop: Shop) -> None:
    a_payment(shop.sandbox, "PAID")
    page = desk.sit_down("ana@acme.example")
    open_page(page, "Withdrawals")
    page.get_by_role("link", name="New withdrawal").first.click()
    page.locator("main").get_by_role("link", name="PIX").first.click()
    page.get_by_label("Amount").first.fill("50,37")
    page.get_by_label("PIX key", exact=True).fill("52998224725")
    page.get_by_label("Kind of key").select_option("CPF")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("The withdrawal was accepted.")).to_be_visible()

    made = Withdrawal.objects.get()
    assert (made.amount, made.status) == (5037, "PROCESSING")
    assert AuditEntry.objects.filter(object_id=made.pk).exists()
    page.get_by_role("button", name="It arrives").click()
    made.refresh_from_db()
    assert made.status == "COMPLETED"


def deliver() -> None:
    """In a thread of its own: the browser's driver has the loop of this one."""
    with ThreadPoolExecutor(1) as other:
        other.submit(_deliver).result()


def _deliver() -> None:
    deliver_due()
    connection.close()


def test_a_webhook_is_mended(desk: Desk, shop: Shop) -> None:
    with listening() as receiver:
        receiver.will_answer(500)
        endpoint, _ = webhooks.register(shop.sandbox, receiver.url, ["*"], "Shop")
        webhooks.send_test(shop.sandbox, endpoint.pk)
        deliver()
        page = desk.sit_down("ana@acme.example")
        open_page(page, "Webhooks")
        page.locator("main").get_by_role("link", name=receiver.url).first.click()
        page.locator("main tbody a").first.click()
        expect(page.locator("main").get_by_text("500").first).to_be_visible()
        page.get_by_role("button", name="Send again").click()
        deliver()

        assert [one.headers["x-onpay-event"] for one in receiver.received] == ["webhook.test"] * 2
        assert Delivery.objects.filter(endpoint=endpoint, status="DELIVERED").exists()
