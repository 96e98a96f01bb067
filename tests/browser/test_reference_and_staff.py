"""The pages as people meet them, on a telephone and on a desk."""

import json

import pytest
from playwright.sync_api import expect

from accounts.models import User
from gateway.api.openapi.document import document, operations
from gateway.models import Payment
from gateway.staff.kit.columns import address
from tests.support.browser import SHORT, Watched
from tests.support.companies import a_shop
from tests.support.payments import a_payment
from webhooks.kinds import KINDS

CLICK = "button => button.click()"
"""Swagger UI reads the whole contract before it opens an operation: a click of the driver may not wait that long."""
PASSWORD = "correct horse battery staple"


@pytest.fixture
def staff(transactional_db: None) -> User:
    return User.objects.create_superuser("staff@onpay.example", PASSWORD)


@pytest.fixture
def paid(transactional_db: None) -> Payment:
    return a_payment(a_shop("Acme").sandbox, "PAID")


def test_the_reference_shows_every_operation_and_every_event(watched: Watched) -> None:
    page = watched.go("/docs/reference")
    shown = page.locator(".opblock-summary")
    expect(shown).to_have_count(len(list(operations())) + len(KINDS))
    for operation_id in longest_of_each_tag()[: 2 if SHORT else None]:
        page.locator(f"#operations-{operation_id} .opblock-summary-control").evaluate(CLICK)
        described = page.locator(f"#operations-{operation_id} .opblock-body .responses-wrapper")
        expect(described).to_be_visible()
    # Addresses of servers can be long.
    page.locator(".servers option").first.evaluate("(option) => { option.textContent += '.onpay.example'.repeat(9) }")
    assert watched.overflow() == 0


def longest_of_each_tag() -> list[str]:
    """The longest first. Opening one takes a browser seconds; where the longest fit, the others do."""
    longest: dict[str, tuple[int, str]] = {}
    for methods in document()["paths"].values():
        for described in methods.values():
            tag, length = described["tags"][0], len(json.dumps(described))
            longest[tag] = max(
                longest.get(tag, (0, "")), (length, f"{tag}-{described['operationId']}".replace(" ", "_"))
            )
    return [operation_id for _, operation_id in sorted(longest.values(), reverse=True)]


def test_a_call_is_tried_from_the_reference(watched: Watched) -> None:
    shop = a_shop("Acme")
    payment = a_payment(shop.sandbox, "PAID")
    page = watched.go("/docs/reference")
    page.get_by_role("button", name="Authorize").first.click()
    page.locator(".auth-container input").first.fill(shop.sandbox_key)
    page.locator(".auth-btn-wrapper .authorize").click()
    page.locator(".btn-done").click()
    call = page.locator(".opblock", has=page.locator('[data-path="/api/v2/payments"]')).and_(
        page.locator(".opblock-get")
    )
    call.locator(".opblock-summary-control").evaluate(CLICK)
    call.get_by_role("button", name="Try it out").click()
    call.get_by_role("button", name="Execute").click()
    expect(call.locator(".live-responses-table")).to_contain_text(payment.id)
    assert page.evaluate("JSON.stringify(localStorage)").count(shop.sandbox_key) == 0


def test_an_error_link_leads_to_its_explanation(watched: Watched) -> None:
    page = watched.go("/docs/errors#ONP422_PIX_AMOUNT_TOO_SMALL")
    article = page.locator("article", has=page.locator("#ONP422_PIX_AMOUNT_TOO_SMALL"))
    expect(article).to_be_in_viewport(ratio=1)
    expect(article).to_have_css("background-color", "rgb(242, 248, 255)")
    expect(page.locator("article", has=page.locator("#ONP400_AMOUNT"))).not_to_be_in_viewport()
    assert watched.overflow() == 0


def test_staff_find_a_payment_with_its_entries_and_events(watched: Watched, staff: User, paid: Payment) -> None:
    page = watched.go("/admin/")
    page.get_by_label("Email").fill(staff.email)
    page.get_by_label("Password").fill(PASSWORD)
    assert watched.overflow() == 0
    page.get_by_role("button", name="Sign In", exact=True).click()
    expect(page.get_by_text("To find a record")).to_be_visible()
    assert watched.overflow() == 0

    watched.go(address(Payment, "changelist"))
    assert watched.overflow() == 0
    page.get_by_role("link", name=paid.id).click()
    entries = page.locator(".staff-related", has=page.get_by_role("heading", name="Entries"))
    for amount in ("148.50 BRL", "1.50 BRL", "-150.00 BRL"):
        expect(entries.get_by_text(amount, exact=True).first).to_be_visible()
    events = page.locator(".staff-related", has=page.get_by_role("heading", name="Events"))
    expect(events).to_contain_text("payment.paid")
    assert watched.overflow() == 0
    events.get_by_role("link").first.click()
    expect(page.locator(".staff-block")).to_contain_text('"type": "payment.paid"')
    assert watched.overflow() == 0


def test_an_id_typed_anywhere_leads_to_its_record(watched: Watched, staff: User, paid: Payment) -> None:
    page = watched.go("/admin/login/?next=/admin/")
    page.get_by_label("Email").fill(staff.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()
    page.wait_for_url("**/admin/")
    page.keyboard.press("Control+k")
    page.locator("#search-input-command").press_sequentially(paid.reference)
    page.locator("#command-results").get_by_role("link", name=paid.id).click()
    expect(page.get_by_text("The merchant's own order reference")).to_be_visible()
