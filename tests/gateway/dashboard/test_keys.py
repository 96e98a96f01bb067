"""API keys in their owner's hands: issued once, replaced without a gap, revoked, and looked after."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.advice import Advice, advice
from accounts.base.clock import utcnow
from accounts.models import ApiKey, AuditEntry
from accounts.permissions import ALL, PERMISSIONS, PRODUCTION_DEFAULT
from accounts.roles import Role
from accounts.services import issue_key, rotate_key
from gateway.dashboard.keys.new import PRESETS
from gateway.dashboard.keys.words import ADVICE, PERMISSION
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.people import a_member, signed_in, signed_in_twice

TEXT = re.compile(r"onp_(?:sandbox|live)_[A-Za-z0-9_-]{43}")


def keys_of(shop: Shop, environment: str = "sandbox") -> str:
    return f"/dashboard/{shop.company.pk}/{environment}/keys/"


def shown_in(answer: HttpResponse) -> str:
    found = TEXT.search(answer.content.decode())
    assert answer.status_code == 200 and found, answer.content.decode()
    return found[0]


def wish(browser: Client, address: str, **members: Any) -> dict[str, Any]:
    page = browser.get(address)
    assert page.status_code == 200, page
    return {"once": form_in(page.content)["once"]} | members


@pytest.fixture
def developer(acme: Shop) -> Client:
    return signed_in_twice(a_member(acme.company, Role.DEVELOPER))


@pytest.mark.parametrize(
    ("environment", "usual"),
    [("sandbox", set(PRODUCTION_DEFAULT)), ("production", set(PRODUCTION_DEFAULT) - {"refunds:write"})],
)
def test_each_environment_has_its_own_beginning(
    developer: Client, acme: Shop, environment: str, usual: set[str]
) -> None:
    page = developer.get(f"{keys_of(acme, environment)}new").content.decode()

    ticked = set(re.findall(r'value="([a-z-]+:[a-z]+)"[^>]* checked', page))
    assert ticked == usual


@pytest.mark.parametrize(("preset", "permissions"), [(name, permissions) for name, _, permissions in PRESETS])
def test_a_preset_ticks_what_it_names(developer: Client, acme: Shop, preset: str, permissions: tuple[str, ...]) -> None:
    page = developer.get(f"{keys_of(acme)}new?preset={preset}").content.decode()

    assert set(re.findall(r'value="([a-z-]+:[a-z]+)"[^>]* checked', page)) == set(permissions)


def test_a_key_is_shown_once_and_calls(developer: Client, acme: Shop, api: Api) -> None:
    address = f"{keys_of(acme)}new"
    form = wish(developer, address, name="Till", permissions=["transactions:read"])

    answer = developer.post(address, form)
    api.key = shown_in(answer)

    assert answer["Cache-Control"] == "no-store"
    assert api.get("/payments").status_code == 200
    assert api.post("/payments", {}).status_code == 403
    listed = developer.get(keys_of(acme)).content.decode()
    assert "Till" in listed and api.key[-4:] in listed and "developer@acme.example" in listed
    assert api.key not in listed
    entry = AuditEntry.objects.get(action="api_key.issued")
    assert entry.after == {"name": "Till", "permissions": ["transactions:read"]}
    assert api.key not in repr(AuditEntry.objects.values())


def test_the_same_form_issues_one_key(developer: Client, acme: Shop) -> None:
    address = f"{keys_of(acme)}new"
    form = wish(developer, address, name="Till", permissions=["transactions:read"])
    developer.post(address, form)

    again = developer.post(address, form, follow=True)

    assert ApiKey.objects.filter(name="Till").count() == 1
    assert not TEXT.search(again.content.decode())
    assert "nothing was done twice" in again.content.decode()


@pytest.mark.parametrize(
    "wrong", [{"permissions": []}, {"permissions": ["payments:everything"]}, {"name": ""}, {"name": "x" * 81}]
)
def test_what_is_not_filled_in_right_is_said(developer: Client, acme: Shop, wrong: dict[str, Any]) -> None:
    address = f"{keys_of(acme)}new"
    before = ApiKey.objects.count()

    answer = developer.post(address, wish(developer, address, name="Till", permissions=list(ALL)) | wrong)

    assert "invalid-feedback" in answer.content.decode()
    assert ApiKey.objects.count() == before


def test_a_rotated_key_works_beside_the_new_one_until_it_ends(developer: Client, acme: Shop, api: Api) -> None:
    old, old_text = issue_key(acme.sandbox, ["transactions:read", "refunds:read"], "Till")
    address = f"{keys_of(acme)}{old.pk}/rotate"

    new_text = shown_in(developer.post(address, wish(developer, address, overlap="24")))

    new = ApiKey.objects.get(name="Till", expires_at=None)
    old.refresh_from_db()
    assert new.permissions == old.permissions
    assert old.expires_at and abs(old.expires_at - utcnow() - timedelta(hours=24)) < timedelta(minutes=1)
    for api.key in (old_text, new_text):
        assert api.get("/payments").status_code == 200
    ApiKey.objects.filter(pk=old.pk).update(expires_at=utcnow())
    api.key = old_text
    assert api.get("/payments").status_code == 401
    listed = developer.get(keys_of(acme)).content.decode()
    assert new_text[-4:] in listed and old_text[-4:] not in listed
    assert old_text[-4:] in developer.get(f"{keys_of(acme)}?ended=1").content.decode()


def test_a_rotated_key_can_stop_at_once(developer: Client, acme: Shop, api: Api) -> None:
    old, api.key = issue_key(acme.sandbox, ["transactions:read"], "Till")
    address = f"{keys_of(acme)}{old.pk}/rotate"

    new_text = shown_in(developer.post(address, wish(developer, address, overlap="0")))

    assert api.get("/payments").status_code == 401
    api.key = new_text
    assert api.get("/payments").status_code == 200


@pytest.mark.parametrize(("days", "is_taken"), [(3, True), (-1, False), (91, False), (None, False)])
def test_the_end_of_the_old_key_may_be_chosen(developer: Client, acme: Shop, days: int | None, is_taken: bool) -> None:
    old, _ = issue_key(acme.sandbox, ["transactions:read"], "Till")
    address = f"{keys_of(acme)}{old.pk}/rotate"
    until = f"{utcnow() + timedelta(days=days):%Y-%m-%dT%H:%M}" if days is not None else ""

    developer.post(address, wish(developer, address, overlap="", until=until))

    old.refresh_from_db()
    assert (old.expires_at is not None) == is_taken
    assert ApiKey.objects.filter(name="Till").count() == 1 + is_taken


def test_a_key_is_replaced_once(developer: Client, acme: Shop) -> None:
    old, _ = issue_key(acme.sandbox, ["transactions:read"], "Till")
    address = f"{keys_of(acme)}{old.pk}/rotate"
    form = wish(developer, address, overlap="24")
    rotate_key(old, utcnow() + timedelta(hours=1))

    answer = developer.post(address, form, follow=True)

    assert "already replaced" in answer.content.decode()
    assert ApiKey.objects.filter(name="Till").count() == 2


def test_a_revoked_key_is_refused_and_shown_on_demand(developer: Client, acme: Shop, api: Api) -> None:
    key, api.key = issue_key(acme.sandbox, ["transactions:read"], "Till")
    api.get("/payments")
    address = f"{keys_of(acme)}{key.pk}/revoke"
    assert "something still calls with it" in developer.get(address).content.decode()

    for _ in range(2):
        assert developer.post(address).status_code == 302

    assert api.get("/payments").status_code == 401
    assert key.last4 not in developer.get(keys_of(acme)).content.decode()
    assert "Revoked" in developer.get(f"{keys_of(acme)}?ended=1").content.decode()
    assert AuditEntry.objects.filter(action="api_key.revoked", object_id=key.pk).count() == 1


def test_nobody_touches_a_key_of_somebody_else(developer: Client, acme: Shop, globex: Shop) -> None:
    theirs, _ = issue_key(globex.sandbox, ["transactions:read"], "Theirs")
    other, _ = issue_key(acme.production, ["transactions:read"], "Other environment")

    for key in (theirs, other):
        for act in ("rotate", "revoke"):
            for ask in (developer.get, developer.post):
                assert ask(f"{keys_of(acme)}{key.pk}/{act}").status_code == 404
        key.refresh_from_db()
        assert key.is_live and key.expires_at is None
    assert developer.get(keys_of(globex)).status_code == 404
    assert "Theirs" not in developer.get(keys_of(acme)).content.decode()


@pytest.mark.parametrize("role", [Role.FINANCE, Role.SUPPORT, Role.VIEWER])
def test_only_developers_change_keys(acme: Shop, role: Role) -> None:
    key, _ = issue_key(acme.sandbox, ["transactions:read"], "Till")
    browser = signed_in_twice(a_member(acme.company, role))

    assert browser.get(keys_of(acme)).status_code == (200 if role == Role.VIEWER else 403)
    for act in ("new", f"{key.pk}/rotate", f"{key.pk}/revoke"):
        assert browser.post(f"{keys_of(acme)}{act}").status_code == 403
    key.refresh_from_db()
    assert key.is_live and ApiKey.objects.filter(merchant=acme.sandbox).count() == 2


def test_keys_want_the_second_factor_again(acme: Shop) -> None:
    key, _ = issue_key(acme.sandbox, ["transactions:read"], "Till")
    browser = signed_in(a_member(acme.company, Role.DEVELOPER))

    assert browser.get(keys_of(acme)).status_code == 200
    for act in ("new", f"{key.pk}/rotate", f"{key.pk}/revoke"):
        for ask in (browser.get, browser.post):
            answer = ask(f"{keys_of(acme)}{act}")
            assert answer.status_code == 302 and "/accounts/2fa" in answer["Location"]
    key.refresh_from_db()
    assert key.is_live


# ── Advice ────────────────────────────────────────────────────────────────────────────────────────────────────────
def aged(key: ApiKey, **facts: Any) -> ApiKey:
    ApiKey.objects.filter(pk=key.pk).update(**facts)
    key.refresh_from_db()
    return key


def days(ago: int) -> Any:
    return utcnow() - timedelta(days=ago)


def test_each_use_of_a_permission_is_noted_by_its_day(api: Api, acme: Shop) -> None:
    key, api.key = issue_key(acme.sandbox, ["transactions:read", "refunds:read"], "Till")

    api.get("/payments")
    api.get("/payments")
    api.post("/payments", {})

    key.refresh_from_db()
    assert key.permissions_used == {"transactions:read": utcnow().date().isoformat()}


def test_a_call_looks_its_key_up_once_and_writes_nothing_more_that_day(api: Api, acme: Shop) -> None:
    api.get("/payments")
    api.get("/payments")  # the first use was noted in the key's row, which is read once more

    with CaptureQueriesContext(connection) as asked:
        api.get("/payments")

    assert sum("accounts_apikey" in one["sql"] for one in asked.captured_queries) == 1


def test_a_key_that_nobody_uses_is_told(acme: Shop) -> None:
    key, _ = issue_key(acme.sandbox, ["transactions:read"], "Till")

    assert advice(key) == []
    assert advice(aged(key, created_at=days(61))) == [Advice.NEVER_USED]
    assert advice(aged(key, last_used_at=days(61))) == [Advice.UNUSED]
    today = utcnow().date().isoformat()
    assert advice(aged(key, last_used_at=days(1), permissions_used={"transactions:read": today})) == []


def test_a_key_that_may_more_than_it_uses_is_told(acme: Shop) -> None:
    key, _ = issue_key(acme.sandbox, ["transactions:read", "refunds:write"], "Till")
    used = {"transactions:read": days(1).date().isoformat(), "refunds:write": days(61).date().isoformat()}

    assert advice(aged(key, last_used_at=days(1), permissions_used=used)) == []
    assert advice(aged(key, created_at=days(31))) == [Advice.MAY_TOO_MUCH]
    assert advice(aged(key, expires_at=utcnow() + timedelta(days=1))) == []


def test_a_production_key_that_may_everything_is_told(acme: Shop) -> None:
    for merchant, told in ((acme.production, [Advice.MAY_EVERYTHING]), (acme.sandbox, [])):
        assert advice(issue_key(merchant, ALL, "All")[0]) == told


def test_advice_stands_at_the_key(developer: Client, acme: Shop) -> None:
    key, _ = issue_key(acme.sandbox, ["transactions:read"], "Till")
    aged(key, created_at=days(61))

    assert "was never used" in developer.get(keys_of(acme)).content.decode()


def test_every_permission_and_every_advice_has_words() -> None:
    assert {name: str(sentence) for name, sentence in PERMISSION.items()} == PERMISSIONS
    assert set(ADVICE) == set(Advice)


def test_the_list_asks_little(developer: Client, acme: Shop, django_assert_max_num_queries: Any) -> None:
    for number in range(15):
        issue_key(acme.sandbox, ALL, f"Till {number}")
    developer.get(keys_of(acme))

    with django_assert_max_num_queries(9):
        developer.get(f"{keys_of(acme)}?ended=1")
