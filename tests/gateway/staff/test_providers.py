"""Staff connect a provider: what one enters another confirms, and no page ever shows a secret again."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Membership, Proposal, User
from accounts.proposals import services
from accounts.roles import Role
from gateway.models import ProviderAccount, ProviderRoute
from gateway.providers import accounts
from gateway.providers.errors import NotConnected, Unclear
from gateway.providers.models import ProviderAccount as Account
from gateway.providers.registry import declared
from gateway.providers.selectors import payout_route, provider_of, route
from gateway.staff.kit.columns import address as page_at
from tests.support.certificates import certificate, private_key
from tests.support.companies import Shop
from tests.support.people import browser_of, six_minutes_pass
from tests.support.proposals import NOTE, action, confirmed, nothing_moves, proposed
from tests.support.providers import active, confirms, entered, routed
from tests.support.scripted_provider import Script, rewritten
from tests.support.staff import support
from tests.support.suspense import a_bank, ordered

ADD = "/admin/gateway/provideraccount/add/"
ROUTE = "/admin/gateway/provideraccount/set_route/"
SECRET = "the secret of the bank"
CREDENTIALS = {
    "credentials_user": "acme",
    "credentials_password": SECRET,
    "credentials_certificate": certificate(90),
    "credentials_private_key": private_key(),
}


@pytest.fixture(autouse=True)
def script() -> Script:
    return rewritten()


def enter(browser: Client, **sent: str) -> Any:
    fields = {"title": "Main bank", "merchant": "", "system": "PRODUCTION"} | NOTE | CREDENTIALS | sent
    return browser.post(f"{ADD}?provider=scripted", fields, follow=True)


def told(answer: Any) -> str:
    assert answer.status_code == 200, answer
    return answer.content.decode()


def secrets_in(*pages: str) -> list[str]:
    kept = [bytes(one).decode() for one in ProviderAccount.objects.values_list("sealed_credentials", flat=True)]
    return [one for one in (SECRET, "PRIVATE KEY", *kept) if any(one in page for page in pages)]


def test_one_enters_an_account_and_another_activates_it(staff: Client, colleague: Client, root: User) -> None:
    assert 'value="scripted"' in told(staff.get(ADD))
    assert staff.post(ADD, {"provider": "scripted"})["Location"] == f"{ADD}?provider=scripted"
    form = told(staff.get(f"{ADD}?provider=scripted"))
    assert re.search(r'<input type="password" name="credentials_password"', form)
    assert len(re.findall(r"<textarea name=.credentials_(?:certificate|private_key)", form)) == 2

    page = told(enter(staff))

    account, proposal = ProviderAccount.objects.get(), Proposal.objects.get()
    assert (account.status, account.entered_by, account.check_failure) == ("ENTERED", root, "")
    assert "User: <b>acme</b>" in page and "SHA-256" in page
    assert confirmed(staff, proposal).status_code == 403

    done = told(confirmed(colleague, proposal))

    account.refresh_from_db()
    assert (account.status, account.confirmed_by == root) == ("ACTIVE", False)
    assert provider_of(account).credentials.password.get_secret_value() == SECRET
    everything = f"{list(Proposal.objects.values())} {list(AuditEntry.objects.values())}"
    assert secrets_in(page, done, everything) == []


def test_every_provider_has_a_form_for_its_credentials(staff: Client) -> None:
    for name, provider in declared().items():
        form = told(staff.get(f"{ADD}?provider={name}"))
        assert [
            one for one in provider.credentials_type.model_fields if f'name="credentials_{one}"' not in form
        ] == [], name


def test_wrong_credentials_are_explained_beside_their_fields_and_not_shown_again(staff: Client) -> None:
    page = told(enter(staff, credentials_certificate=certificate(-1), credentials_private_key=private_key()))
    assert "The certificate expired on" in page
    assert secrets_in(page) == []
    assert "There is no company with this id" in told(enter(staff, merchant="cmp_unknown"))
    assert not ProviderAccount.objects.exists() and not Proposal.objects.exists()


def test_an_account_whose_check_fails_waits_for_better_credentials(
    staff: Client, colleague: Client, script: Script
) -> None:
    script.unreachable = NotConnected(f"401 Unauthorized for {SECRET}")
    page = told(enter(staff))
    account = ProviderAccount.objects.get()
    assert "the connection check failed: 401 Unauthorized for [redacted]" in page
    assert not Proposal.objects.exists()
    assert "did not pass" in told(staff.post(action(account, "activate"), NOTE, follow=True))

    sent = CREDENTIALS | NOTE | {"credentials_password": "another secret"}
    assert "401 Unauthorized" in told(staff.post(action(account, "replace_credentials"), sent, follow=True))
    script.unreachable = None
    told(staff.post(action(account, "replace_credentials"), sent, follow=True))

    account.refresh_from_db()
    assert provider_of(account).credentials.password.get_secret_value() == "another secret"
    assert account.passed_check
    told(confirmed(colleague, proposed(staff, account, "activate")))
    account.refresh_from_db()
    assert account.status == "ACTIVE"


def test_replacing_credentials_of_an_active_account_takes_two_people_and_a_working_connection(
    staff: Client, colleague: Client, root: User
) -> None:
    account = active()
    sent = {"credentials_user": "acme", "credentials_password": SECRET}
    proposal = proposed(staff, account, "replace_credentials", **sent)
    account.refresh_from_db()
    assert provider_of(account).credentials.user == "bank"
    page = told(staff.get(page_at(Proposal, "change", proposal.pk)))
    assert "User: <b>acme</b>" in page and secrets_in(page, str(proposal.values)) == []
    assert confirmed(staff, proposal).status_code == 403

    told(confirmed(colleague, proposal))

    account = ProviderAccount.objects.get()
    assert provider_of(account).credentials.password.get_secret_value() == SECRET
    assert (account.status, account.entered_by, account.passed_check) == ("ACTIVE", root, True)


@pytest.mark.parametrize("end", ["confirm", "turn_down", "expire", "propose again", "propose again late"])
def test_a_proposal_keeps_no_credentials_once_it_has_ended(staff: Client, colleague: Client, end: str) -> None:
    account = active()
    sent = {"credentials_user": "acme", "credentials_password": SECRET}
    proposal = proposed(staff, account, "replace_credentials", **sent)
    page = told(colleague.get(page_at(Proposal, "change", proposal.pk)))
    assert "sealed" in proposal.values and f"until: <b>{proposal.expires_at:%Y-%m-%d %H:%M}Z" in page
    assert services.expire() == 0

    if end in ("confirm", "turn_down"):
        told(colleague.post(action(proposal, end), NOTE | {"digest": proposal.digest}, follow=True))
    if end == "propose again":
        accounts.pause(Actor(confirms()), account.pk, "in between")
    if end in ("expire", "propose again late"):
        Proposal.objects.update(proposed_at=F("proposed_at") - timedelta(days=14))
        with nothing_moves():
            assert confirmed(colleague, proposal).status_code == 409
    if end == "expire":
        assert (services.expire(), services.expire()) == (1, 0)
    if end.startswith("propose again"):
        told(staff.post(action(account, "replace_credentials"), NOTE | sent, follow=True))

    proposal.refresh_from_db()
    states = {"confirm": "CONFIRMED", "turn_down": "TURNED_DOWN", "propose again": "OVERTAKEN"}
    assert (proposal.state, "sealed" in proposal.values) == (states.get(end, "EXPIRED"), False)
    assert "User: <b>acme</b>" in told(staff.get(page_at(Proposal, "change", proposal.pk)))
    assert AuditEntry.objects.filter(action="proposal.expired").count() == (proposal.state == "EXPIRED")
    assert confirmed(colleague, proposal).status_code in (403, 409)


def test_a_proposal_is_outdated_once_other_credentials_are_there(staff: Client, colleague: Client) -> None:
    told(enter(staff))
    account, proposal = ProviderAccount.objects.get(), Proposal.objects.get()
    told(staff.post(action(account, "replace_credentials"), CREDENTIALS | NOTE, follow=True))
    assert confirmed(colleague, proposal).status_code == 409
    account.refresh_from_db()
    assert account.status == "ENTERED"


def test_pausing_takes_one_person_and_a_note_and_reopening_takes_two(staff: Client, colleague: Client) -> None:
    account = active()
    staff.post(action(account, "pause"), {})
    assert ProviderAccount.objects.get().status == "ACTIVE"
    told(staff.post(action(account, "pause"), NOTE, follow=True))
    assert ProviderAccount.objects.get().status == "PAUSED"

    proposal = proposed(staff, account, "activate")
    assert ProviderAccount.objects.get().status == "PAUSED"
    told(confirmed(colleague, proposal))
    assert ProviderAccount.objects.get().status == "ACTIVE"


def test_a_route_for_withdrawals_is_set_in_the_same_way(staff: Client, colleague: Client, acme: Shop) -> None:
    account = active()
    told(staff.post(ROUTE, {"way": "OUT:PIX:BRL", "first": account.pk} | NOTE, follow=True))
    assert not ProviderRoute.objects.exists()

    told(confirmed(colleague, Proposal.objects.get()))

    assert payout_route(acme.production, "PIX", "BRL", 100) == [account]
    assert route(acme.production, "PIX", "BRL", 100) == []


def test_a_route_takes_two_people_and_orders_the_accounts(staff: Client, colleague: Client, acme: Shop) -> None:
    first, second = active("first"), active("second", acme.production)
    sent = {"way": "IN:PIX:BRL", "merchant": acme.company.pk, "first": second.pk, "second": first.pk} | NOTE
    sent |= {"first_largest": "1,500.00", "second_smallest": "1,500.02"}
    assert "No account takes the amounts between 1,500.00 BRL and 1,500.02 BRL." in told(staff.post(ROUTE, sent))
    assert "An amount has more decimals than BRL." in told(staff.post(ROUTE, sent | {"second_smallest": "1.0015"}))
    page = told(staff.post(ROUTE, sent | {"second_smallest": "1500.01"}, follow=True))
    assert "second (scripted) up to 1,500.00 BRL, first (scripted) from 1,500.01 BRL" in page
    assert not ProviderRoute.objects.exists()
    proposal = Proposal.objects.get()
    assert (proposal.company, confirmed(staff, proposal).status_code) == (acme.company, 403)

    told(confirmed(colleague, proposal))

    assert route(acme.production, "PIX", "BRL", 150_000) == [second]
    assert route(acme.production, "PIX", "BRL", 150_001) == [first]
    told(confirmed(colleague, _ended(staff, acme)))
    assert route(acme.production, "PIX", "BRL", 1_000) == []


def _ended(browser: Client, shop: Shop) -> Proposal:
    told(browser.post(ROUTE, {"way": "IN:PIX:BRL", "merchant": shop.company.pk} | NOTE, follow=True))
    return Proposal.objects.get(state="OPEN")


def test_a_route_that_cannot_serve_is_explained_and_not_proposed(staff: Client, acme: Shop, globex: Shop) -> None:
    theirs = active("theirs", globex.production)
    page = told(staff.post(ROUTE, {"way": "IN:PIX:BRL", "merchant": acme.company.pk, "first": theirs.pk} | NOTE))
    assert "theirs (scripted) belongs to another company." in page
    page = told(staff.post(ROUTE, {"way": "IN:PIX:BRL"} | NOTE))
    assert "no account was chosen" in page
    assert not Proposal.objects.exists()


def test_nobody_connects_or_routes_their_own_company(staff: Client, colleague: Client, root: User, acme: Shop) -> None:
    account = active("own", acme.production)
    Membership.objects.create(company=acme.company, user=root, role=Role.VIEWER)

    assert "that you belong to" in told(enter(staff, merchant=acme.company.pk))
    told(staff.post(action(account, "pause"), NOTE, follow=True))
    told(staff.post(ROUTE, {"way": "IN:PIX:BRL", "merchant": acme.company.pk, "first": account.pk} | NOTE, follow=True))

    assert list(ProviderAccount.objects.values_list("status", flat=True)) == ["ACTIVE"]
    assert not Proposal.objects.exists()
    routed(account, merchant=acme.production)  # what others decided stands
    assert route(acme.production, "PIX", "BRL", 1_000) == [account]


def test_whoever_may_only_read_enters_and_decides_nothing(db: None) -> None:
    account, reader = active(), browser_of(support("view_provideraccount"))
    told(reader.get(page_at(Account, "change", account.pk)))
    for where in (
        ADD,
        f"{ADD}?provider=scripted",
        ROUTE,
        *(action(account, name) for name in ("check_connection", "pause")),
    ):
        assert reader.post(where, NOTE | CREDENTIALS).status_code == 403, where
    assert ProviderAccount.objects.get().status == "ACTIVE"


def test_secrets_wait_for_no_second_factor(staff: Client) -> None:
    six_minutes_pass(staff)
    answer = staff.post(f"{ADD}?provider=scripted", CREDENTIALS | NOTE)
    assert answer.status_code == 302 and "reauthenticate" in answer["Location"]
    assert "waiting" not in staff.session["step_up"]
    assert not ProviderAccount.objects.exists()


def test_the_provider_is_told_where_to_call(staff: Client, script: Script, settings: Any) -> None:
    settings.CALLBACKS_URL = "https://callbacks.onpay.example"
    account = active()
    where = f"https://callbacks.onpay.example/callbacks/{account.pk}"
    assert where in told(staff.get(page_at(Account, "change", account.pk)))
    told(staff.post(action(account, "register_callbacks"), follow=True))
    assert script.calls[-1] == ("bank", "register", where)
    assert AuditEntry.objects.filter(action="provider_account.callbacks_registered").count() == 1

    script.unreachable = Unclear("422 Unprocessable Entity")
    page = told(staff.post(action(account, "register_callbacks"), follow=True))
    assert "The provider did not take the address: 422 Unprocessable Entity" in page
    assert AuditEntry.objects.filter(action="provider_account.callbacks_registered").count() == 1


def test_certificates_that_expire_soon_wait_for_staff(staff: Client) -> None:
    soon = entered("soon", certificate=certificate(29), private_key=private_key())
    entered("later", certificate=certificate(31), private_key=private_key())
    page = staff.get(page_at(Account, "changelist"), {"queue": "expiring"})
    assert [row.pk for row in page.context["cl"].result_list] == [soon.pk]
    assert "expires soon" in page.content.decode()


def test_staff_read_why_an_account_is_not_closed(staff: Client, acme: Shop) -> None:
    a_bank(acme)
    ordered(acme)
    routed()

    page = staff.post(action(ProviderAccount.objects.get(), "close"), NOTE, follow=True).content.decode()

    assert "Something that was begun at the provider account has not ended. Open payments: 1. Pause it" in page
    assert ProviderAccount.objects.get().status == "ACTIVE"


def test_no_field_has_the_help_text_of_another(staff: Client) -> None:
    page = told(staff.get(action(active(), "change")))

    assert str(Account._meta.get_field("shown").help_text) not in page


def test_an_account_that_was_taken_out_waits_for_staff_who_put_it_back(staff: Client) -> None:
    account, working = active("failing"), active("working")
    account.failed("prepare", None, "HTTP 503", utcnow())
    account.fails_for_several = True
    account.take_out(utcnow())
    account.save()
    queue = staff.get(page_at(Account, "changelist"), {"queue": "failing"})
    assert [row.pk for row in queue.context["cl"].result_list] == [account.pk]
    page = told(staff.get(page_at(Account, "change", account.pk)))
    listed = told(staff.get(page_at(Account, "changelist")))
    assert "Taken out" in listed and "Working" in listed
    assert "HTTP 503" in page and "prepare, of several companies" in page and "put_back" in page
    assert "put_back" not in told(staff.get(page_at(Account, "change", working.pk)))

    told(staff.post(action(account, "put_back"), NOTE, follow=True))

    account.refresh_from_db()
    assert (account.circuit, account.taken_out_at) == ("CLOSED", None)
    assert AuditEntry.objects.filter(action="provider_account.put_back", object_id=account.pk).count() == 1
    assert "was not taken out" in told(staff.post(action(account, "put_back"), NOTE, follow=True))
