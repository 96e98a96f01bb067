"""How people come in: they found a company, are invited to one, show a second factor, and are shut out."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.core.cache import cache
from django.http import HttpRequest
from django.test import Client

from accounts.base.clock import utcnow
from accounts.known_browsers import browser_id
from accounts.models import AuditEntry, Company, Invitation, Membership, User
from accounts.roles import Role
from tests.support.companies import Shop
from tests.support.people import PASSWORD, a_member, a_person, code_of, set_up, signed_in, signed_in_twice

FOUNDER = {
    "trade_name": "Padaria Central",
    "legal_name": "Padaria Central LTDA",
    "country": "BR",
    "tax_id": "11.222.333/0001-81",
    "email": "Ana@Padaria.example",
    "password1": PASSWORD,
    "terms": "on",
}


@pytest.fixture(autouse=True)
def nobody_failed_before() -> None:
    cache.clear()


@pytest.fixture
def browser(address: str) -> Client:
    return Client(REMOTE_ADDR=address, headers={"accept-language": "en"})


def home_of(company: Company, environment: str = "sandbox") -> str:
    return f"/dashboard/{company.pk}/{environment}/"


def code_in_the_mail() -> str:
    found = re.search(r"^([0-9A-Z]{4}-[0-9A-Z]{4})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found, mail.outbox[-1].body
    return found[1]


def logged_in(browser: Client, email: str, password: str = PASSWORD) -> Any:
    return browser.post("/accounts/login/", {"login": email, "password": password})


def is_in(browser: Client) -> bool:
    return "_auth_user_id" in browser.session


# ── A company of one's own ────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.django_db
def test_a_founder_proves_their_address_and_has_a_sandbox_at_once(browser: Client) -> None:
    answer = browser.post("/accounts/signup/", FOUNDER)

    assert (answer.status_code, is_in(browser)) == (302, False)
    assert mail.outbox[-1].to == ["ana@padaria.example"]
    browser.post("/accounts/confirm-email/", {"code": code_in_the_mail()})
    company = Company.objects.get()
    assert (company.trade_name, company.tax_id, company.tax_id_type, company.status) == (
        "Padaria Central", "11222333000181", "CNPJ", "PENDING_VERIFICATION",
    )  # fmt: skip
    assert Membership.objects.get().role == Role.OWNER
    answer = browser.get("/dashboard/", follow=True)
    assert answer.redirect_chain[-1][0] == home_of(company)
    assert b"No real money is involved." in answer.content
    assert [entry.action for entry in AuditEntry.objects.order_by("id")] == ["terms.accepted", "company.founded"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wrong", "at"),
    [
        ({"tax_id": "11.222.333/0001-82"}, "tax_id"),
        ({"country": "MX"}, "tax_id"),
        ({"country": "US"}, "country"),
        ({"trade_name": ""}, "trade_name"),
        ({"password1": "password1234"}, "password1"),
        ({"password1": "short"}, "password1"),
        ({"email": "ana"}, "email"),
    ],
)
def test_what_is_wrong_with_a_sign_up_is_said_and_nothing_is_founded(
    browser: Client, wrong: dict[str, str], at: str
) -> None:
    answer = browser.post("/accounts/signup/", FOUNDER | wrong)

    assert answer.status_code == 200
    assert f'id="id_{at}_error"' in answer.content.decode()
    assert (User.objects.count(), Company.objects.count(), len(mail.outbox)) == (0, 0, 0)


@pytest.mark.django_db
def test_who_signs_up_with_a_known_address_learns_nothing(browser: Client, acme: Shop) -> None:
    a_member(acme.company, email="ana@padaria.example")

    answer = browser.post("/accounts/signup/", FOUNDER)

    assert (answer.status_code, is_in(browser)) == (302, False)
    assert Company.objects.count() == 1
    assert "account" in mail.outbox[-1].subject.lower()


@pytest.mark.django_db
def test_a_person_has_several_companies(acme: Shop) -> None:
    owner = a_member(acme.company)
    browser = signed_in(owner)

    form = {name: FOUNDER[name] for name in ("trade_name", "legal_name", "country", "tax_id")}
    answer = browser.post("/dashboard/companies/new", form)

    mine = Company.objects.get(trade_name="Padaria Central")
    assert answer["location"] == home_of(mine)
    page = browser.get(home_of(acme.company)).content.decode()
    assert home_of(mine) in page


# ── The second factor ─────────────────────────────────────────────────────────────────────────────────────────────
def test_a_password_alone_opens_nothing_where_there_is_a_second_factor(browser: Client, acme: Shop) -> None:
    owner = a_member(acme.company)
    secret = set_up(owner)

    assert logged_in(browser, owner.email)["location"].startswith("/accounts/2fa/authenticate/")
    assert browser.get(home_of(acme.company)).status_code == 302
    assert browser.post("/accounts/2fa/authenticate/", {"code": "000000"}).status_code == 200
    assert not is_in(browser)

    browser.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert browser.get(home_of(acme.company)).status_code == 200


def test_a_code_is_good_once(browser: Client, acme: Shop, address: str) -> None:
    owner = a_member(acme.company)
    code = code_of(set_up(owner))
    other = Client(REMOTE_ADDR=address)
    for one in (browser, other):
        logged_in(one, owner.email)
        one.post("/accounts/2fa/authenticate/", {"code": code})

    assert (is_in(browser), is_in(other)) == (True, False)


def test_a_recovery_code_is_good_once_and_sealed_at_rest(acme: Shop, address: str) -> None:
    owner = a_member(acme.company)
    browser = signed_in_twice(owner)
    page = browser.get("/accounts/2fa/recovery-codes/generate/")
    assert page.status_code == 200
    browser.post("/accounts/2fa/recovery-codes/generate/")
    shown = browser.get("/accounts/2fa/recovery-codes/").content.decode()
    code = re.findall(r"\b[0-9]{8}\b", shown)[0]
    stored = " ".join(str(one.data) for one in Authenticator.objects.all())
    assert code not in stored

    tries = []
    for _ in range(2):
        again = Client(REMOTE_ADDR=address)
        logged_in(again, owner.email)
        again.post("/accounts/2fa/authenticate/", {"code": code})
        tries.append(is_in(again))
    assert tries == [True, False]


def test_the_seed_of_an_app_is_sealed_at_rest(acme: Shop) -> None:
    secret = set_up(a_member(acme.company))

    assert secret not in str(Authenticator.objects.get(type="totp").data)


def test_who_must_set_one_up_is_led_there_and_back(acme: Shop) -> None:
    owner = a_member(acme.company)
    browser = signed_in(owner)
    wanted = f"{home_of(acme.company)}keys/new"

    answer = browser.get(wanted)

    assert answer["location"] == "/accounts/2fa/"
    assert f'href="{wanted}"' in browser.get("/accounts/2fa/").content.decode()


def test_outside_a_developers_machine_nobody_gets_past_the_door_without_one(acme: Shop, settings: Any) -> None:
    settings.LOCAL = False
    owner = a_member(acme.company)

    assert signed_in(owner).get(home_of(acme.company))["location"] == "/accounts/2fa/"
    assert signed_in_twice(owner).get(home_of(acme.company)).status_code == 200


# ── Shut out ──────────────────────────────────────────────────────────────────────────────────────────────────────
def wrong(browser: Client, email: str, times: int) -> None:
    for _ in range(times):
        logged_in(browser, email, "wrong")


SHUT = b"Too many failed login attempts"


def test_ten_wrong_passwords_shut_out_their_place_and_no_other(browser: Client, acme: Shop) -> None:
    owner = a_member(acme.company)
    wrong(browser, owner.email, 10)

    assert SHUT in logged_in(browser, owner.email).content
    assert not is_in(browser)
    elsewhere = Client(REMOTE_ADDR="10.200.1.1")
    logged_in(elsewhere, owner.email)
    assert is_in(elsewhere)


def test_who_is_shut_out_is_told_once(browser: Client, acme: Shop) -> None:
    owner = a_member(acme.company)
    wrong(browser, owner.email, 10)
    assert len(mail.outbox) == 0
    wrong(browser, owner.email, 3)

    [told] = mail.outbox
    assert (told.to, told.subject) == ([owner.email], "Onpay Gateway: Someone is trying to sign in as you")
    assert "/accounts/password/reset/" in str(told.body)


def test_a_browser_that_signed_in_before_is_let_in_from_a_place_that_is_shut(browser: Client, acme: Shop) -> None:
    owner = a_member(acme.company)
    known = Client(REMOTE_ADDR=browser.defaults["REMOTE_ADDR"])
    logged_in(known, owner.email)
    known.post("/accounts/logout/")
    wrong(browser, owner.email, 10)
    assert SHUT in logged_in(browser, owner.email).content

    logged_in(known, owner.email)

    assert is_in(known)


def test_a_known_browser_is_counted_too_and_ends_with_the_password(browser: Client, acme: Shop) -> None:
    owner = a_member(acme.company)
    logged_in(browser, owner.email)
    browser.post("/accounts/logout/")
    wrong(browser, owner.email, 10)
    assert SHUT in logged_in(browser, owner.email).content

    stranger = a_member(acme.company, Role.VIEWER)
    assert SHUT not in logged_in(browser, stranger.email, "wrong").content
    owner.set_password("another horse, another staple")
    owner.save()
    request = HttpRequest()
    request.COOKIES = {name: one.value for name, one in browser.cookies.items()}
    assert browser_id(request, owner) is None


def test_a_forged_mark_makes_no_browser_known(browser: Client, acme: Shop) -> None:
    owner = a_member(acme.company)
    wrong(browser, owner.email, 10)
    browser.cookies["known-browser"] = f"{owner.pk}:x:0123456789abcdef:1:forged"

    assert SHUT in logged_in(browser, owner.email).content


def test_many_places_are_braked_together_and_the_known_browser_is_not(acme: Shop, address: str) -> None:
    owner = a_member(acme.company)
    known = Client(REMOTE_ADDR=address)
    logged_in(known, owner.email)
    known.post("/accounts/logout/")
    for place in range(6):
        wrong(Client(REMOTE_ADDR=f"10.201.0.{place}"), owner.email, 9)
    assert SHUT not in logged_in(Client(REMOTE_ADDR="10.201.1.1"), owner.email, "wrong").content
    wrong(Client(REMOTE_ADDR="10.201.1.2"), owner.email, 6)

    assert SHUT in logged_in(Client(REMOTE_ADDR="10.201.1.3"), owner.email).content
    logged_in(known, owner.email)
    assert is_in(known)


@pytest.mark.django_db
def test_signing_up_hashes_a_password_whether_the_address_is_known_or_not(address: str, settings: Any) -> None:
    settings.PASSWORD_HASHERS = [f"{Counting.__module__}.Counting"]
    hashed = []
    for email in ("ana@padaria.example", a_person("known@padaria.example").email):
        Counting.hashed = 0
        answer = Client(REMOTE_ADDR=address).post("/accounts/signup/", FOUNDER | {"email": email})
        assert answer["location"] == "/accounts/confirm-email/"
        hashed.append(Counting.hashed)

    assert hashed == [1, 1]
    assert User.objects.count() == 2


class Counting(MD5PasswordHasher):
    """Counts how often a password was hashed."""

    hashed = 0

    def encode(self, password: str, salt: str) -> str:
        type(self).hashed += 1
        return super().encode(password, salt)


def test_an_unknown_address_is_answered_like_a_wrong_password(browser: Client, acme: Shop) -> None:
    owner = a_member(acme.company)

    unknown, wrong = (logged_in(browser, email, "wrong").content.decode() for email in ("x@y.example", owner.email))

    said = re.compile(r'role="alert">([^<]*)<')
    assert said.findall(unknown) == said.findall(wrong) != []


def test_after_a_while_without_a_request_one_signs_in_again(acme: Shop, settings: Any) -> None:
    browser = signed_in(a_member(acme.company))
    assert browser.get(home_of(acme.company)).status_code == 200
    session = browser.session
    session["seen_at"] -= settings.SESSION_IDLE_S + 1
    session.save()

    answer = browser.get(home_of(acme.company))

    assert unquote(answer["location"]) == f"/accounts/login/?next={home_of(acme.company)}"
    assert not is_in(browser)


def test_signing_out_ends_the_session_on_the_server(acme: Shop) -> None:
    browser = signed_in(a_member(acme.company))
    old = browser.cookies["session"].value

    browser.post("/accounts/logout/")
    browser.cookies["session"] = old

    assert browser.get(home_of(acme.company)).status_code == 302


def test_the_sessions_are_listed_and_the_others_can_be_ended(acme: Shop, address: str) -> None:
    owner = a_member(acme.company)
    phone, desk = (Client(REMOTE_ADDR=address, headers={"user-agent": name}) for name in ("Phone", "Desk"))
    for one in (phone, desk):
        logged_in(one, owner.email)
    assert b"Phone" in desk.get("/accounts/sessions/").content

    desk.post("/accounts/sessions/")

    assert phone.get(home_of(acme.company)).status_code == 302
    assert desk.get(home_of(acme.company)).status_code == 200


def test_a_new_password_ends_the_other_sessions(acme: Shop, address: str) -> None:
    owner = a_member(acme.company)
    phone, desk = Client(REMOTE_ADDR=address), Client(REMOTE_ADDR=address)
    for one in (phone, desk):
        logged_in(one, owner.email)

    asked = desk.get("/accounts/password/change/").context["form"]
    assert list(asked.fields) == ["oldpassword", "password1"]
    fresh = {"oldpassword": PASSWORD, "password1": "another horse, another staple"}
    assert desk.post("/accounts/password/change/", fresh).status_code == 302

    assert phone.get(home_of(acme.company)).status_code == 302
    assert desk.get(home_of(acme.company)).status_code == 200


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_signing_in_leads_nowhere_else(browser: Client, acme: Shop, elsewhere: str) -> None:
    owner = a_member(acme.company)

    answer = browser.post("/accounts/login/", {"login": owner.email, "password": PASSWORD, "next": elsewhere})

    assert answer["location"] == "/dashboard/"


def test_our_staff_are_led_to_their_admin_and_others_are_not_let_in(browser: Client, acme: Shop) -> None:
    staff, owner = a_person("staff@onpay.example", is_staff=True, is_superuser=True), a_member(acme.company)

    assert browser.get("/admin/")["location"].startswith("/admin/login/")
    assert browser.get("/admin/login/?next=/admin/")["location"] == "/accounts/login/?next=%2Fadmin%2F"
    assert logged_in(browser, staff.email)["location"] == "/admin/"
    assert browser.get("/admin/").status_code == 200
    assert signed_in(owner).get("/admin/", follow=True).status_code == 403


# ── Invited ───────────────────────────────────────────────────────────────────────────────────────────────────────
def invited(acme: Shop, email: str, role: Role = Role.FINANCE) -> str:
    """The address in the e-mail."""
    from django.http import HttpRequest

    from accounts import joining

    request = HttpRequest()
    request.user = User.objects.filter(memberships__company=acme.company).first() or a_member(acme.company)
    request.META["REMOTE_ADDR"] = "10.0.0.1"
    joining.invite(request, acme.company, email, role)
    found = re.search(r"https?://[^/]+(/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


@pytest.mark.django_db(transaction=True)
def test_who_is_invited_signs_up_without_a_company_and_joins(browser: Client, acme: Shop) -> None:
    link = invited(acme, "bia@acme.example")
    assert b"Join Acme" in browser.get(link).content

    form = browser.get(f"/accounts/signup/?next={link}").content.decode()
    assert 'name="tax_id"' not in form
    assert 'value="bia@acme.example"' in form
    browser.post("/accounts/signup/", {"email": "bia@acme.example", "password1": PASSWORD, "terms": "on", "next": link})
    assert browser.post("/accounts/confirm-email/", {"code": code_in_the_mail(), "next": link})["location"] == link
    answer = browser.post(link)

    assert answer["location"] == home_of(acme.company)
    assert Membership.objects.get(user__email="bia@acme.example").role == Role.FINANCE
    assert Company.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_invitation_is_for_one_address_and_for_once(acme: Shop, globex: Shop) -> None:
    link = invited(acme, "bia@acme.example")
    stranger, bia = a_member(globex.company), a_person("bia@acme.example")

    assert signed_in(stranger).post(link).status_code == 200
    assert not Membership.objects.filter(company=acme.company, user=stranger).exists()
    assert signed_in(bia).post(link).status_code == 302
    assert signed_in(bia).get(link).status_code == 410


@pytest.mark.django_db(transaction=True)
def test_an_invitation_ends_after_seven_days_and_when_it_is_withdrawn_or_repeated(acme: Shop, browser: Client) -> None:
    first, second = invited(acme, "bia@acme.example"), invited(acme, "bia@acme.example")
    assert (browser.get(first).status_code, browser.get(second).status_code) == (410, 200)

    Invitation.objects.update(expires_at=utcnow() - timedelta(seconds=1))

    assert browser.get(second).status_code == 410
    assert browser.get("/dashboard/invitations/x").status_code == 410
