"""Whatever staff change needs a fresh second factor, and is written down with what was there before and after."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.core.cache import cache
from django.test import Client

from accounts.audit_words import ACTION
from accounts.models import ApiKey, AuditEntry, Company, Merchant, User
from accounts.proposals.kinds import KINDS
from accounts.second_factor import is_set_up
from gateway.models import MethodRule, PriceRule, Refund
from gateway.pausing import PAUSED, RESUMED
from gateway.refunds.proposals import AUDITED_AS
from gateway.staff.kit.audit_words import BY_STAFF, did
from gateway.staff.kit.columns import address as page_at
from gateway.staff.refund_decisions import DECISIONS
from gateway.withdrawals.proposals import OUTCOMES
from ledger.models import Advance, Hold
from ledger.receivables import advances
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import a_payment
from tests.support.people import PASSWORD, browser_of, set_up, shows_the_factor, signed_in
from tests.support.people import PASSWORD as USUAL
from tests.support.receivables import a_receivable
from tests.support.staff import LIFTED, block, change, do, everybodys, support
from tests.support.staff_refunds import NOTE, a_refund

NOTED = {"note": "Known for years"}


ROOT = Path(settings.BASE_DIR)
WRITTEN_BY = {
    "payout_batch": r'write_down\(by, batch, "(\w+)"',
    "provider_account": r'(?:write_down\(by, |_moved\(by, account, [\w.]+, )"(\w+)"',
}
"""How services write down what was done with these."""


def entries() -> list[tuple[str, Any, Any]]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", "before", "after"))


@pytest.fixture
def asked(acme: Shop) -> Advance:
    owner = User.objects.create_user("owner@acme.example", PASSWORD)
    return advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], owner)


# The second factor


def test_a_decision_waits_until_the_second_factor_is_shown(root: User, asked: Advance, acme: Shop) -> None:
    secret = set_up(root)
    browser = signed_in(root)
    refund = a_refund(acme.sandbox, "UNDER_REVIEW")

    for where, sent in (
        (do(asked, "approve"), NOTED),
        (do(refund, "for_payer"), NOTE),
        ("/admin/ledger/hold/add/", block(acme.sandbox.pk)),
        (page_at(Company, "change", acme.company.pk), {"trade_name": "Other"}),
    ):
        assert browser.get(where).status_code == 200
        answer = browser.post(where, form_in(browser.get(where).content) | sent)
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/accounts/2fa/reauthenticate/")
    asked.refresh_from_db()
    refund.refresh_from_db()
    acme.company.refresh_from_db()
    assert (asked.state, refund.status, Hold.objects.filter(reason="LEGAL_ORDER").count()) == (
        "UNDER_REVIEW",
        "UNDER_REVIEW",
        0,
    )
    assert (acme.company.trade_name, entries()) == ("Acme", [])

    browser.post(do(asked, "approve"), NOTED)
    shown = browser.get(shows_the_factor(browser, secret, "/accounts/confirm/")["location"])
    for said in ("Approve", "Acme", "Known for years"):
        assert said in shown.content.decode()
    asked.refresh_from_db()
    assert asked.state == "UNDER_REVIEW"
    browser.post(do(asked, "approve"), form_in(shown.content))

    asked.refresh_from_db()
    assert (asked.state, asked.note) == ("APPROVED", NOTED["note"])


def test_staff_without_a_second_factor_are_led_to_where_they_set_one_up(root: User, settings: Any) -> None:
    settings.LOCAL = False
    browser = signed_in(root)
    for where in ("/admin/", "/admin/gateway/payment/", "/admin/search/?s=pay"):
        assert browser.get(where)["Location"] == "/accounts/2fa/"
    settings.LOCAL = True
    assert browser.get("/admin/").status_code == 200
    assert browser.post("/admin/ledger/hold/add/", {}).status_code == 200  # nothing is saved


def test_on_a_developers_machine_a_decision_needs_one_too(root: User, asked: Advance, settings: Any) -> None:
    settings.LOCAL = True
    browser = signed_in(root)
    assert browser.get(do(asked, "approve")).status_code == 200
    assert browser.post(do(asked, "approve"), NOTED)["Location"] == "/accounts/2fa/"
    asked.refresh_from_db()
    assert (asked.state, entries()) == ("UNDER_REVIEW", [])


# The audit


def test_a_decision_is_written_down_with_its_note_for_staff_alone(
    staff: Client, root: User, acme: Shop, asked: Advance
) -> None:
    staff.post(do(asked, "approve"), NOTED)

    entry = AuditEntry.objects.get()
    assert (entry.action, entry.object_id, entry.note) == ("advance.approved", asked.id, "Known for years")
    assert (entry.actor, entry.by_staff, entry.company, entry.merchant) == (root, True, acme.company, acme.sandbox)
    assert (entry.address, entry.request_id[:4]) == ("10.0.0.1", "req_")
    assert entry.before and entry.after
    assert (entry.before["state"], entry.after["state"]) == ("UNDER_REVIEW", "APPROVED")
    assert "note" not in entry.after
    page = staff.get(page_at(AuditEntry, "change", entry.pk)).content.decode()
    assert "Known for years" in page
    log = page_at(AuditEntry, "changelist")
    for term in (asked.id, "advance: approved", "Advance acme", "Approved an advance Acme"):
        assert "Approved an advance" in staff.get(log, {"q": term}).content.decode(), term
    for term in ("advance approved globex", "Refused an advance", "an Acme"):
        assert "Approved an advance" not in staff.get(log, {"q": term}).content.decode(), term
    staff.cookies[settings.LANGUAGE_COOKIE_NAME] = "pt-br"
    for asked_for in ({"q": "aprovou uma antecipacao Acme"}, {"q": "advance approved"}, {"what": "Antecipação"}):
        assert "Aprovou uma antecipação" in staff.get(log, asked_for).content.decode(), asked_for
    history = staff.get(page_at(Advance, "change", asked.pk).replace("/change/", "/history/")).content.decode()
    assert "Aprovou uma antecipação" in history and "decidido em" in history
    assert "código" in b"".join(staff.get(f"{log}export/").streaming_content).decode().splitlines()[0]  # type: ignore[attr-defined]


def test_every_action_of_staff_has_words() -> None:
    code = "\n".join(
        path.read_text() for name in ("accounts", "gateway", "ledger") for path in (ROOT / name).rglob("*.py")
    )
    recorded = {*re.findall(r'audit\.record\([^"()]*"([a-z_]+\.[a-z_]+)"', code)}
    for subject, call in WRITTEN_BY.items():
        recorded |= {f"{subject}.{verb}" for verb in re.findall(call, code)}
    recorded |= {f"refund.{verb}" for verb in (*AUDITED_AS.values(), *DECISIONS)} | {PAUSED, RESUMED}
    recorded |= {f"advance.{state.lower()}" for state in ("APPROVED", "REFUSED")}
    recorded |= {f"withdrawal.{outcome}" for outcome in OUTCOMES} | {"payment.done", "payment.declined"}
    recorded |= {kind for kind in KINDS if kind.startswith("suspense.")} | {"bank_file.confirm", "settlement.accept"}

    assert {action for action in recorded if action not in BY_STAFF and action not in ACTION} == set()
    assert did("payment.exported") == "Exported a list: payments"
    assert did("group.changed") == "Changed: group"


def test_blocks_and_refunds_are_written_down_with_their_amounts(staff: Client, colleague: Client, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    staff.post("/admin/ledger/hold/add/", block(acme.sandbox.pk))
    colleague.post(do(Hold.objects.get(), "lift"), LIFTED)
    refund = a_refund(acme.sandbox, "UNDER_REVIEW")
    staff.post(do(refund, "for_company"), NOTE)

    (placed, _, block_), (lifted, *_), (decided, before, after) = entries()
    assert (placed, block_["amount"], block_["reason"]) == ("hold.added", "50.00 BRL", "LEGAL_ORDER")
    assert lifted == "hold.lifted"
    assert decided == "refund.for_company"
    assert (before["status"], after["status"]) == ("UNDER_REVIEW", "REJECTED")


def test_a_change_is_written_down_field_by_field(staff: Client, acme: Shop) -> None:
    change(staff, acme.company, city="RECIFE")
    change(staff, acme.company)
    change(staff, acme.sandbox, conversion_spread="2.5")
    change(staff, everybodys(), minimum="10.50")

    assert entries() == [
        ("company.changed", {"city": "SAO PAULO"}, {"city": "RECIFE"}),
        ("merchant.changed", {"conversion_spread": "1.5000"}, {"conversion_spread": "2.5000"}),
        ("method_rule.changed", {"minimum": "0.01 BRL"}, {"minimum": "10.50 BRL"}),
    ]
    assert list(AuditEntry.objects.order_by("pk").values_list("company__trade_name", flat=True)) == [
        "Acme",
        "Acme",
        None,
    ]


def test_what_is_added_and_deleted_is_written_down_whole(staff: Client, acme: Shop) -> None:
    rule = everybodys()
    own = form_in(staff.get(page_at(MethodRule, "change", rule.pk)).content)
    chosen = {"merchant": acme.sandbox.pk, "environment": "SANDBOX", "method": "PIX", "currency": "BRL"}
    staff.post("/admin/gateway/methodrule/add/", own | chosen | {"maximum": "99.99"})
    made = MethodRule.objects.get(merchant=acme.sandbox)
    staff.post(page_at(MethodRule, "change", made.pk).replace("/change/", "/delete/"), {"post": "yes"})

    (added, nothing, facts), (deleted, before, gone) = entries()
    assert (added, nothing, deleted, gone) == ("method_rule.added", None, "method_rule.deleted", None)
    assert facts == before
    assert (facts["maximum"], facts["method"]) == ("99.99 BRL", "PIX")


def test_who_may_do_what_is_written_down_and_no_secret_is(staff: Client, root: User, acme: Shop) -> None:
    group = Group.objects.create(name="Night desk")
    permission = Permission.objects.get(codename="view_refund")
    staff.post(f"/admin/auth/group/{group.pk}/change/", {"name": "Night desk", "permissions": [permission.pk]})
    merchant = NOTED | {"name": "Shop", "permissions": ["transactions:read"]}
    key = staff.post(f"/admin/accounts/merchant/{acme.sandbox.pk}/issue_key/", merchant).context["secret"]
    staff.post(do(ApiKey.objects.get(name="Shop"), "revoke"))

    told = {action: (before, after) for action, before, after in entries()}
    assert list(told) == ["group.changed", "api_key.issued", "api_key.revoked"]
    assert told["group.changed"] == ({"permissions": []}, {"permissions": [str(permission)]})
    assert told["api_key.issued"][1]["permissions"] == ["transactions:read"]
    secrets = (root.password, key, USUAL)
    assert [one for one in secrets if one in str(list(AuditEntry.objects.values()))] == []


def test_a_refusal_writes_nothing_down(staff: Client, root: User, acme: Shop, asked: Advance) -> None:
    own = advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], root)
    staff.post(do(own, "approve"), NOTED)
    staff.post("/admin/ledger/hold/add/", block(acme.sandbox.pk, amount="99999"))
    assert entries() == []


def test_nobody_changes_what_was_written_down(staff: Client, asked: Advance) -> None:
    staff.post(do(asked, "approve"), NOTED)
    entry = AuditEntry.objects.get()
    for page in ("change", "delete"):
        assert staff.post(do(entry, page), {"post": "yes", "action": "other"}).status_code == 403
    assert AuditEntry.objects.get().action == "advance.approved"


def test_versions_of_a_price_are_written_down(staff: Client, acme: Shop) -> None:
    price = {
        "merchant": str(acme.sandbox.pk),
        "method": "PIX",
        "currency": "BRL",
        "percentage": "2",
        "fixed": "0.50",
        "settlement_days": "0",
        "advance_monthly_rate": "0",
    }
    assert staff.post("/admin/gateway/pricerule/add/", price).status_code == 302
    [(action, _, after)] = entries()
    assert (action, after["fixed"], after["percentage"]) == ("price_rule.added", "0.50 BRL", "2.0000")
    made = PriceRule.objects.get(merchant=acme.sandbox)
    assert made.effective_from - timedelta(seconds=1) < AuditEntry.objects.get().created_at
    assert Merchant.objects.filter(pk=acme.sandbox.pk).exists()
    assert Refund.objects.count() == 0
    assert browser_of(support("view_pricerule")).post("/admin/gateway/pricerule/add/", price).status_code == 403


# Somebody who lost their second factor


def test_a_lost_second_factor_is_removed_and_its_person_told(
    staff: Client, root: User, acme: Shop, mailoutbox: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    person = User.objects.create_user("lost@acme.example", PASSWORD)
    browser = browser_of(person)
    where = f"/admin/accounts/user/{person.pk}/remove_second_factor/"
    assert f'href="{where}"' in staff.get(page_at(User, "change", person.pk)).content.decode()
    assert list(staff.post(where, {"note": ""}).context["form"].errors) == ["note"]
    assert is_set_up(person)
    mailoutbox.clear()

    with django_capture_on_commit_callbacks(execute=True):
        staff.post(where, {"note": "Called back at the number we know"})

    assert not is_set_up(person)
    assert browser.get("/dashboard/").status_code == 302
    [message] = mailoutbox
    assert message.to == [person.email]
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.object_id) == ("user.second_factor_removed", root, person.email)
    assert entry.note.endswith("Called back at the number we know")
    assert f'href="{where}"' not in staff.get(page_at(User, "change", person.pk)).content.decode()


def test_nobody_removes_their_own_or_that_of_staff_above_them(staff: Client, root: User) -> None:
    known = {"note": "Called back at the number we know"}
    assert staff.post(f"/admin/accounts/user/{root.pk}/remove_second_factor/", known).status_code == 403
    person = support("view_user", "change_user")
    browser = browser_of(person)
    for user in (root, person):
        assert browser.post(f"/admin/accounts/user/{user.pk}/remove_second_factor/", known).status_code == 403
        assert is_set_up(user)
    assert entries() == []


def test_a_changed_address_signs_in_and_the_one_before_does_not(staff: Client, acme: Shop) -> None:
    person = User.objects.create_user("before@acme.example", PASSWORD)
    staff.post(do(person, "change_email"), NOTED | {"email": "after@acme.example"})

    for email, status in (("before@acme.example", 200), ("after@acme.example", 302)):
        cache.clear()
        answer = Client().post("/accounts/login/", {"login": email, "password": PASSWORD})
        assert answer.status_code == status, email
    assert entries() == [
        ("user.email_changed", {"email": "before@acme.example"}, {"email": "after@acme.example"}),
    ]
