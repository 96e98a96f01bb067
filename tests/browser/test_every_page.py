"""Every kind of page with the eyes of axe: in one width light, in the other dark. No fault is too slight."""

import re
from collections.abc import Callable, Iterable
from zlib import crc32

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.test import Client, RequestFactory
from django.urls import resolve, reverse
from django_celery_beat.models import PeriodicTask

from accounts.models import AuditEntry, Company, User
from gateway.api.reference.site import GUIDES
from gateway.api.reference.site import address as place_of
from gateway.api.views import forbidden, not_found, server_error
from gateway.dashboard import urls
from gateway.payments.models import Payment
from gateway.readiness import services as readiness
from gateway.receipts.verification import link
from gateway.refunds.models import Refund
from gateway.staff.kit.columns import address as page_at
from ledger.models import Advance, Hold
from tests.support.api import Api
from tests.support.axe import faults_of
from tests.support.browser import SHORT, Watched, theme_of
from tests.support.checkout import opened
from tests.support.companies import Shop
from tests.support.effort import DAY
from tests.support.payment_links import a_link
from tests.support.people import signed_in_twice
from tests.support.staff import do
from tests.support.webhooks import registered

NOT_BY_LINK = {
    "bulk_template",
    "document",
    "month_file",
    "month_files",
    "month_script",
    "evidence_pack",
    "payment_receipt",
    "payments_csv",
    "statement_csv",
    "withdrawal_receipt",
}
"""What a browser keeps instead of showing it."""
STAFF_KEEPS = re.compile(r"/(export|file|download|logout|receipt)/?$")


def faults_on(watched: Watched, kind: str, path: str, *, axe: bool = True) -> list[str]:
    """What is wrong with the page of this kind."""
    watched.page.emulate_media(color_scheme=theme_of(kind, watched.page.viewport_size), reduced_motion="reduce")
    watched.go(path)
    return [f"{path}: {fault}" for fault in faults_now(watched, axe=axe)]


def faults_now(watched: Watched, *, axe: bool = True) -> list[str]:
    said = faults_of(watched.page) if axe else []
    if wider := watched.overflow():
        said.append(f"{wider} px too wide")
    if watched.page.locator("h1").count() != 1:
        said.append("one heading is needed")
    return said


def walk(watched: Watched, start: Iterable[str], kind_of: Callable[[str], str | None]) -> tuple[set[str], list[str]]:
    """The first page of each kind that an address or a link leads to: the kinds, and what is wrong.

    With SHORT=1 axe looks at a third of the kinds a day; all are opened.
    """
    seen, wrong, waiting = set[str](), list[str](), [*start]
    while waiting:
        where = waiting.pop(0)
        kind = kind_of(where)
        if kind is None or kind in seen:
            continue
        seen.add(kind)
        wrong += faults_on(watched, kind, where, axe=not SHORT or (crc32(kind.encode()) + DAY) % 3 == 0)
        links = watched.page.eval_on_selector_all("a[href]", "all => all.map(one => one.getAttribute('href'))")
        waiting += [one.split("#")[0] for one in links]
    return seen, wrong


def without_an_id(shop: Shop, browser: Client) -> list[str]:
    """The addresses of the pages that one reads without naming a record."""
    place = {"company_id": shop.company.pk, "environment": "sandbox"}
    plain = [page for page in urls.company if not page.pattern.converters]
    addresses = [reverse(f"dashboard:{page.name}", kwargs=place) for page in plain]
    answers = ((where, browser.get(where)) for where in addresses)
    return [where for where, answer in answers if answer.status_code == 200 and "html" in answer["Content-Type"]]


def test_the_dashboard(watched: Watched, old_shop: Shop, address: str) -> None:
    endpoint = registered(Api(old_shop.sandbox_key, address), "https://1.1.1.1/hooks")
    readiness.finish(old_shop.sandbox, readiness.start(old_shop.sandbox, endpoint.id).pk)
    ana = signed_in_twice(User.objects.get(email="ana@acme.example"))
    watched.enters(ana)
    home = f"/dashboard/{old_shop.company.pk}/sandbox/"

    def kind_of(where: str) -> str | None:
        name = str(resolve(where.split("?", maxsplit=1)[0]).url_name) if where.startswith(home) else ""
        return name if name and name not in NOT_BY_LINK else None

    seen, wrong = walk(watched, [home, *without_an_id(old_shop, ana)], kind_of)

    assert "\n".join(wrong) == ""
    assert len(seen) > len(urls.company) / 2


def test_the_pages_of_staff(watched: Watched, old_shop: Shop) -> None:
    """One page of each form; without SHORT=1 also each list, record and decision that a link leads to."""
    watched.enters(signed_in_twice(User.objects.get(email="staff@onpay.example")))

    def kind_of(where: str) -> str | None:
        path = where.split("?", maxsplit=1)[0]
        return resolve(path).url_name if path.startswith("/admin/") and not STAFF_KEEPS.search(path) else None

    pages = staff_pages(old_shop.company)
    wrong = [fault for path in pages for fault in faults_on(watched, path, path)]
    wrong += [] if SHORT else walk(watched, pages, kind_of)[1]
    assert "\n".join(wrong) == ""

    watched.go(do(old_shop.company, "look"))
    watched.page.get_by_label("Note").fill("They do not find a payment")
    watched.page.get_by_role("button", name="See what this company sees").click()
    watched.page.wait_for_url("**/dashboard/**")
    assert "You look at Acme as support" in watched.page.locator("body").inner_text()
    assert faults_now(watched) == []


def staff_pages(company: Company) -> list[str]:
    """A page of each form: list, search, record with its timeline, form, table of terms, decision, trail."""
    decided = Refund.objects.filter(status="UNDER_REVIEW").order_by("pk")[0]
    records = [Payment.objects.order_by("pk")[0], Advance.objects.order_by("pk")[0], company]
    return [
        "/admin/",
        f"{page_at(Payment, 'changelist')}?q=maria",
        page_at(PeriodicTask, "changelist"),
        page_at(AuditEntry, "changelist"),
        page_at(Hold, "changelist"),
        page_at(Hold, "add"),
        *(page_at(type(one), "change", one.pk) for one in records),
        page_at(Company, "history", company.pk),
        do(company, "go_live"),
        do(decided, "for_payer"),
    ]


def test_the_pages_of_payers_and_readers(watched: Watched, old_shop: Shop, address: str) -> None:
    """The link page, the checkout, a receipt, the guides."""
    paid = Payment.objects.filter(status="PAID", method="PIX").order_by("pk")[0]
    api = Api(old_shop.sandbox_key, address)
    shown = {
        "link": f"/pay/{a_link(api).token}",
        "checkout": opened(api).path,
        "receipt": f"/receipts/{link(paid).partition('/receipts/')[2]}",
        "guide": "/docs/cards",
        "errors": "/docs/errors",
        "e-mails": "/demo/mail",
        "terms": "/dashboard/legal/terms",
    }
    if not SHORT:
        shown |= {page: place_of(page, "pt-br") for page in (*GUIDES, "events")}
    shown |= {"docs' search": "/docs/es/search?q=reembolso"}

    assert [fault for kind, path in shown.items() for fault in faults_on(watched, kind, path)] == []


def test_the_pages_about_problems(watched: Watched, rf: RequestFactory) -> None:
    request = rf.get("/docs")
    for answer in (not_found(request, Http404()), forbidden(request, PermissionDenied()), server_error(request)):
        watched.page.set_content(answer.content.decode())
        assert faults_now(watched) == [], answer.status_code
