"""What people did for a company, as its owners read it."""

import csv
import io
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.audit_words import ACTION
from accounts.base.clock import utcnow
from accounts.company import ADDRESS_CHANGED
from accounts.models import AuditEntry, Company, User
from accounts.roles import Role
from gateway.dashboard.lab.detail import MOVED
from gateway.staff.kit.columns import address as page_at
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Page, text_of
from tests.support.people import PASSWORD, a_member, a_person, signed_in, signed_in_twice

ROOT = Path(settings.BASE_DIR)
STAFF = "root@onpay.example"
NAMED = {
    ADDRESS_CHANGED,
    MOVED,
    "refund.contested",
    "member.added",
    "user.deactivated",
    "user.reactivated",
    "withdrawal.approved",
    "withdrawal.rejected",
    "payment_link.ended",
    "bulk_file.approved",
    "bulk_file.rejected",
    "reserve.changed",
    "reserve.released",
    "payment.asked_about",
    "payment.expired",
}
"""Actions that the code calls by a name, or puts together."""
OF_NO_COMPANY = {
    "user.joined_staff",
    "user.staff_invited",
    "user.staff_rights_changed",
    "bank_account.mapped",
    "bank_account.saved",
    "bank_file.uploaded",
    "registration_file.downloaded",
}
"""Actions that are written down without a company: no company reads them, and staff have words for them."""


def log_of(shop: Shop, query: str = "") -> str:
    return f"/dashboard/{shop.company.pk}/sandbox/audit/?{query}"


def file_of(shop: Shop, query: str = "") -> str:
    return log_of(shop, f"{query}&format=csv")


@pytest.fixture
def owner(acme: Shop) -> User:
    return a_member(acme.company)


@pytest.fixture
def browser(owner: User) -> Client:
    return signed_in(owner)


def written(shop: Shop, action: str, **facts: Any) -> AuditEntry:
    given = {"company": shop.company, "action": action, "address": "8.8.8.8", "request_id": "req_1"} | facts
    return AuditEntry.objects.create(**given)


@pytest.fixture
def history(acme: Shop, globex: Shop, owner: User) -> list[AuditEntry]:
    """What three people did to two companies on three days."""
    finance = a_member(acme.company, Role.FINANCE)
    root, now = a_person(STAFF, is_staff=True), utcnow()
    written(globex, "api_key.issued", actor=root, object_id="key_globex")
    return [
        written(acme, "company.changed", actor=owner, created_at=now - timedelta(days=40), object_id=acme.company.pk,
                before={"city": "Recife"}, after={"city": "Natal"}),
        written(acme, "refund.asked", actor=finance, created_at=now - timedelta(days=2), merchant=acme.production,
                object_id="ref_1", after={"amount": "10.00"}),
        written(acme, "company.verified", actor=root, by_staff=True, address="9.9.9.9", created_at=now),
    ]  # fmt: skip


def test_it_says_who_did_what_to_what_with_before_and_after(
    acme: Shop, browser: Client, history: list[AuditEntry]
) -> None:
    page = browser.get(log_of(acme)).content.decode()

    changed, refunded, verified = (page.split("</thead>", 1)[1].split("<tr>\n      <td>")[n] for n in (3, 2, 1))
    assert "Changed the company&#x27;s data" in changed and "Recife" in changed and "Natal" in changed
    assert "finance@acme.example" in refunded and "Production" in refunded and "8.8.8.8" in refunded
    assert "Support" in verified
    assert STAFF not in page and "9.9.9.9" not in page and "globex" not in page


@pytest.mark.parametrize(
    ("query", "actions"),
    [
        ("", ["company.verified", "refund.asked", "company.changed"]),
        ("who=support", ["company.verified"]),
        ("who={owner}", ["company.changed"]),
        ("action=refund.asked", ["refund.asked"]),
        ("since={three_days_ago}", ["company.verified", "refund.asked"]),
        ("until={three_days_ago}", ["company.changed"]),
        ("since={two_days_ago}&until={two_days_ago}", ["refund.asked"]),
        ("who={stranger}", ["company.verified", "refund.asked", "company.changed"]),
        ("until=9999-12-31", ["company.verified", "refund.asked", "company.changed"]),
        ("since=yesterday", ["company.verified", "refund.asked", "company.changed"]),
    ],
)
def test_it_is_filtered_by_person_action_and_day(
    acme: Shop, globex: Shop, owner: User, browser: Client, history: list[AuditEntry], query: str, actions: list[str]
) -> None:
    days = {f"{name}_days_ago": utcnow() - timedelta(days=n) for name, n in (("two", 2), ("three", 3))}
    asked = query.format(
        owner=owner.pk, stranger=a_member(globex.company).pk, **{name: f"{day:%Y-%m-%d}" for name, day in days.items()}
    )

    found = browser.get(file_of(acme, asked))
    rows = list(csv.DictReader(io.StringIO(found.getvalue().decode("utf-8-sig"))))  # type: ignore[attr-defined]

    assert [row["Action"] for row in rows] == actions
    page = browser.get(log_of(acme, asked)).content.decode()
    assert page.count("<tr>\n      <td><time") == len(actions)


def test_the_file_has_the_columns_of_the_screen_and_no_formula(
    acme: Shop, owner: User, browser: Client, history: list[AuditEntry]
) -> None:
    written(acme, "member.invited", actor=owner, object_id="=cmd@x.example", after={"role": "VIEWER"})

    answer = browser.get(file_of(acme))
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))  # type: ignore[attr-defined]

    assert answer["Content-Disposition"] == f'attachment; filename="audit-log-{utcnow():%Y-%m-%d}.csv"'
    assert rows[0] | {"Time (UTC)": ""} == {
        "Time (UTC)": "", "Person": "owner@acme.example", "Action": "member.invited",
        "What was done": "Invited a member", "Object": "'=cmd@x.example", "Environment": "", "Before": "",
        "After": '{"role":"VIEWER"}', "IP address": "8.8.8.8", "RequestId": "req_1",
    }  # fmt: skip
    assert (rows[1]["Person"], rows[1]["IP address"]) == ("Support", "")


def test_objects_lead_to_their_pages_in_their_environment(acme: Shop, owner: User, browser: Client) -> None:
    places = {
        acme.company.pk: "/sandbox/settings/",
        "doc_1": "/sandbox/verification/",
        "nina@acme.example": "/sandbox/team/",
    }
    for object_id in places:
        written(acme, "x.done", actor=owner, object_id=object_id)
    written(acme, "x.done", actor=owner, object_id="key_1", merchant=acme.production)

    page = browser.get(log_of(acme)).content.decode()

    for object_id, place in places.items():
        assert f'<a href="/dashboard/{acme.company.pk}{place}"><code>{object_id}</code></a>' in page
    assert f'<a href="/dashboard/{acme.company.pk}/production/keys/"><code>key_1</code></a>' in page


def test_long_logs_are_read_page_by_page(
    acme: Shop, owner: User, browser: Client, django_assert_max_num_queries: Any
) -> None:
    for n in range(120):
        written(acme, "x.done", actor=owner, object_id=f"object-{n:03}")

    with django_assert_max_num_queries(13):
        first = browser.get(log_of(acme)).content.decode()

    assert "object-119" in first and "object-069" not in first
    older = first.split('rel="next" href="?')[1].split('"')[0].replace("&amp;", "&")
    assert "object-069" in browser.get(log_of(acme, older)).content.decode()
    found = browser.get(file_of(acme)).getvalue().decode()  # type: ignore[attr-defined]
    assert found.count("x.done") == 120


def test_an_empty_log_says_what_it_is_for(acme: Shop, browser: Client) -> None:
    assert "Nothing yet" in browser.get(log_of(acme)).content.decode()
    assert "No entries found" in browser.get(log_of(acme, "who=support")).content.decode()


@pytest.mark.parametrize("role", [role for role in Role if role not in (Role.OWNER, Role.FINANCE)])
def test_only_owners_and_finance_read_it(role: Role, acme: Shop, globex: Shop, history: list[AuditEntry]) -> None:
    browser = signed_in(a_member(acme.company, role, "other@acme.example"))
    stranger = signed_in(a_member(globex.company))

    for place in (log_of(acme), file_of(acme)):
        assert browser.get(place).status_code == 403
        assert stranger.get(place).status_code == 404


def test_what_support_changed_is_read_without_their_name(acme: Shop, browser: Client) -> None:
    root = User.objects.create_superuser(STAFF, PASSWORD)
    staff = signed_in_twice(root)
    page = page_at(Company, "change", acme.company.pk)
    staff.post(page, form_in(staff.get(page).content) | {"withdrawal_ip": "8.8.4.4", "city": "NATAL"})

    log = browser.get(log_of(acme)).content.decode()

    assert "Changed the company&#x27;s data" in log and "NATAL" in log and "Support" in log
    assert "8.8.4.4" not in log, "the address is a decision of two people, not of this form"
    assert STAFF not in log


def test_everything_that_is_written_down_has_words_and_nothing_else() -> None:
    call = re.compile(r'\b(?:record|_record_and_notify|_turn|_write_down)\(\s*(?:[^"()]*,\s*)?"([a-z_]+\.[a-z_]+)"')
    sources = [path.read_text() for name in ("accounts", "gateway") for path in (ROOT / name).rglob("*.py")]

    assert {action for source in sources for action in call.findall(source)} | NAMED == set(ACTION) | OF_NO_COMPANY


def test_finance_reads_what_concerns_money_and_nothing_else(acme: Shop, page: Page, finance: Client) -> None:
    person = a_member(acme.company, Role.OWNER, "ana@acme.example")
    for action in (
        "withdrawal.asked",
        "refund.accepted",
        "month.closed",
        "payment_link.created",
        "api_key.issued",
        "member.removed",
        "webhook.created",
    ):
        written(acme, action, actor=person, merchant=acme.sandbox)

    for address in (page("audit"), page("audit") + "?action=api_key.issued", page("audit") + "?format=csv"):
        answer = finance.get(address)
        said = b"".join(answer) if answer.streaming else answer.content
        assert b"Issued an API key" not in said and b"member.removed" not in said
    read = text_of(finance.get(page("audit")))
    assert "Withdrew money" in read and "Closed a month" in read and "Made a payment link" in read
    told = text_of(finance.get(page("notifications")))
    assert "ana@acme.example withdrew money" in told and "issued an API key" not in told
    assert "issued an API key" in text_of(signed_in(person).get(page("notifications")))
