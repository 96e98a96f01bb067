"""Accounts are entered, checked, activated by a second person, paused and closed; the audit has it without secrets."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.audit import ON_HOST, Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.errors import OwnRequest
from accounts.models import AuditEntry, Merchant
from accounts.proposals.errors import OwnCompany
from gateway.providers import accounts, needs
from gateway.providers.credentials import sealed_of
from gateway.providers.errors import (
    AccountInUse,
    AccountNeeded,
    AccountOfAnother,
    AccountState,
    AccountUnchecked,
    InvalidAccount,
    NotConnected,
)
from gateway.providers.manual.provider import ManualProvider
from gateway.providers.models import ProviderAccount
from gateway.providers.needs import needs_of
from gateway.providers.owners import require_one_owner
from gateway.providers.selectors import provider_of
from gateway.refunds import due as refunds
from gateway.refunds.models import Refund
from tests.support.certificates import certificate, private_key
from tests.support.companies import Shop
from tests.support.people import a_member
from tests.support.production import api_of, pass_time
from tests.support.providers import NOTE, PASSWORD, active, confirms, entered, enters, routed
from tests.support.scripted_provider import Script
from tests.support.suspense import RETURNED, a_bank, arrived, look_again, ordered, wait


def kept() -> list[dict[str, Any]]:
    return list(ProviderAccount.objects.order_by("pk").values())


def refused(refusal: type[Refusal], act: Any, *given: Any) -> None:
    before = kept()
    with pytest.raises(refusal), transaction.atomic():
        act(*given)
    assert kept() == before


def test_an_account_is_entered_sealed_and_the_audit_tells_no_secret(acme: Shop) -> None:
    account = entered("acme", acme.production, certificate=certificate(90), private_key=private_key())

    assert (account.status, account.entered_by, account.confirmed_by) == ("ENTERED", enters(), None)
    assert account.shown["user"] == "acme" and "password" not in account.shown
    assert account.certificate_expires_at is not None
    entry = AuditEntry.objects.get(action="provider_account.entered")
    assert (entry.company, entry.object_id, entry.actor, entry.note) == (acme.company, account.pk, enters(), NOTE)
    assert PASSWORD not in f"{entry.after} {account.shown}"
    assert PASSWORD.encode() not in bytes(account.sealed_credentials)


def test_a_sandbox_an_unknown_provider_and_wrong_credentials_are_refused(acme: Shop) -> None:
    by, right = Actor(enters()), {"user": "a", "password": "b"}
    for new, given in (
        (accounts.NewAccount("scripted", "A", "PRODUCTION", acme.sandbox), right),
        (accounts.NewAccount("nobody", "A", "PRODUCTION"), right),
        (accounts.NewAccount("scripted", "A", "PRODUCTION"), {"user": "a"}),
    ):
        refused(InvalidAccount, accounts.enter, by, new, given, NOTE)
    assert not AuditEntry.objects.filter(action="provider_account.entered").exists()


def test_one_bank_account_serves_one_owner(acme: Shop, globex: Shop) -> None:
    by, key = Actor(enters()), {"holder": "Acme LTDA", "pix_key": "pix@acme.example"}

    def new(merchant: Merchant | None, given: dict[str, str], provider: str = "manual") -> ProviderAccount:
        return accounts.enter(by, accounts.NewAccount(provider, "Bank", "PRODUCTION", merchant), given, NOTE)

    first = new(acme.production, key)
    for merchant in (globex.production, None):
        refused(AccountOfAnother, new, merchant, key | {"pix_key": "PIX@acme.example"})
    assert new(acme.production, key).status == "ENTERED"

    theirs = accounts.check(by, new(globex.production, key | {"pix_key": "pix@globex.example"}))
    replacing = (Actor(confirms()), theirs, sealed_of(ManualProvider, key), utcnow(), enters(), NOTE)
    refused(AccountOfAnother, accounts.replace, *replacing)
    ProviderAccount.objects.filter(pk=theirs.pk).update(shown=first.shown)
    theirs.refresh_from_db()
    refused(AccountOfAnother, accounts.activate, Actor(confirms()), theirs, NOTE)

    ProviderAccount.objects.filter(merchant=acme.production).update(status="CLOSED")
    accounts.activate(Actor(confirms()), theirs, NOTE)


@pytest.mark.parametrize(
    ("given", "same"),
    [
        ({"bank": "BBVA", "account_number": "123456"}, {"bank": "bbva", "account_number": "123456"}),
        (
            {"bank": "Bancolombia", "tax_id": "9001", "account_number": "123456"},
            {"bank": "Bancolombia S.A.", "tax_id": "9001", "account_number": "123456"},
        ),
        ({"clabe": "012180000154000013"}, {"clabe": "012180000154000013", "pix_key": "a@b.example"}),
        ({"bank": "BBVA", "account_number": "0123456"}, {"bank": "BBVA", "account_number": "123456"}),
    ],
)
def test_it_is_the_same_by_what_names_it(acme: Shop, given: dict[str, str], same: dict[str, str]) -> None:
    account = entered("acme", acme.production)
    ProviderAccount.objects.filter(pk=account.pk).update(provider="manual", shown=given)
    refused(AccountOfAnother, require_one_owner, ProviderAccount(provider="manual", system="PRODUCTION"), same)
    require_one_owner(ProviderAccount(provider="manual", system="PRODUCTION"), same | dict.fromkeys(given, "other"))


@pytest.mark.parametrize(
    ("given", "is_taken"),
    [
        ({"clabe_prefix": "6461801580"}, True),
        ({"clabe_prefix": "64618015801"}, True),
        ({"clabe_prefix": "646180158"}, True),
        ({"clabe": "646180158000000017"}, True),
        ({"clabe_prefix": "6461801581", "clabe": "646180157000000004"}, False),
    ],
)
def test_ranges_of_numbers_do_not_overlap(acme: Shop, given: dict[str, str], is_taken: bool) -> None:
    account = entered("acme", acme.production)
    ProviderAccount.objects.filter(pk=account.pk).update(provider="stp", shown={"clabe_prefix": "6461801580"})
    another = ProviderAccount(provider="stp", system="PRODUCTION")
    if is_taken:
        refused(AccountOfAnother, require_one_owner, another, given)
    else:
        require_one_owner(another, given)


def test_nobody_enters_an_account_of_their_own_company(acme: Shop) -> None:
    owner = a_member(acme.company)
    new = accounts.NewAccount("scripted", "A", "PRODUCTION", acme.production)
    refused(OwnCompany, accounts.enter, Actor(owner), new, {"user": "a", "password": "b"}, NOTE)


def test_the_result_of_a_check_is_stored_without_the_secrets_that_the_reason_repeats(script: Script) -> None:
    account = entered()
    script.unreachable = NotConnected(f"401 for bank with {PASSWORD}")

    failed = accounts.check(Actor(enters()), account)
    assert failed.checked_at is not None
    assert failed.check_failure == "401 for bank with [redacted]"
    refused(AccountUnchecked, accounts.activate, Actor(confirms()), failed, NOTE)

    script.unreachable = None
    passed = accounts.check(Actor(enters()), account)
    assert passed.passed_check
    assert script.calls == [("bank", "check", "")] * 2


def test_a_check_that_breaks_is_a_failure_that_says_which_and_no_more(script: Script) -> None:
    script.unreachable = RuntimeError(f"Bearer {PASSWORD}")
    account = accounts.check(Actor(enters()), entered())
    assert account.check_failure == "The check itself failed: RuntimeError."


def test_a_second_person_activates_an_account_that_was_checked() -> None:
    unchecked = entered()
    refused(AccountUnchecked, accounts.activate, Actor(confirms()), unchecked, NOTE)
    checked = accounts.check(Actor(enters()), unchecked)
    refused(OwnRequest, accounts.activate, Actor(enters()), checked, NOTE)

    accounts.activate(Actor(confirms()), checked, NOTE)

    account = ProviderAccount.objects.get()
    assert (account.status, account.confirmed_by, account.confirmed_on_host) == ("ACTIVE", confirms(), False)
    refused(AccountState, accounts.activate, Actor(confirms()), account, NOTE)


def test_a_host_command_counts_as_the_second_person_and_the_row_says_so() -> None:
    account = accounts.check(Actor(enters()), entered())
    accounts.activate(ON_HOST, account, NOTE)
    account.refresh_from_db()
    assert (account.status, account.confirmed_by, account.confirmed_on_host) == ("ACTIVE", None, True)


def test_the_database_itself_wants_a_second_person() -> None:
    account = entered()
    for confirmed_by in (None, enters()):
        with pytest.raises(IntegrityError), transaction.atomic():
            ProviderAccount.objects.filter(pk=account.pk).update(status="ACTIVE", confirmed_by=confirmed_by)


def test_a_paused_account_is_reopened_and_a_closed_one_is_not() -> None:
    account, by = active(), Actor(confirms())
    assert accounts.pause(by, account.pk, NOTE).status == "PAUSED"
    refused(AccountState, accounts.pause, by, account.pk, NOTE)

    account.refresh_from_db()
    accounts.activate(Actor(enters()), account, NOTE)
    assert ProviderAccount.objects.get().status == "ACTIVE"

    assert accounts.close(by, account.pk, NOTE).status == "CLOSED"
    for act in (accounts.pause, accounts.close):
        refused(AccountState, act, by, account.pk, NOTE)
    assert provider_of(account).credentials.user == "bank"  # what was begun there is still asked about
    done = (
        AuditEntry.objects.filter(action__startswith="provider_account").order_by("pk").values_list("action", flat=True)
    )
    assert [action.partition(".")[2] for action in done] == [
        "entered", "checked", "activated", "paused", "activated", "closed",
    ]  # fmt: skip


def test_an_account_that_a_route_names_is_not_closed() -> None:
    account = active()
    routed(account)
    refused(AccountInUse, accounts.close, Actor(confirms()), account.pk, NOTE)
    routed()
    assert accounts.close(Actor(confirms()), account.pk, NOTE).status == "CLOSED"


def test_an_account_at_which_something_is_under_way_is_paused_and_not_closed(acme: Shop) -> None:
    script = a_bank(acme, ask=[arrived("149")])
    payment = pass_time(ordered(acme).pk, minutes=1)
    account, by = ProviderAccount.objects.get(), Actor(confirms())
    routed()

    refused(AccountNeeded, accounts.close, by, account.pk, NOTE)
    assert needs_of(account) == {"open payments": 1, "money in suspense": 1}
    assert accounts.pause(by, account.pk, NOTE).status == "PAUSED"

    payment = look_again(payment, script, arrived("150", "E2"))
    assert api_of(acme).post(f"/payments/{payment.pk}/refunds", {"amount": 1}).status_code == 201
    script.answers |= {"refund": [RETURNED]}
    wait(hours=1)
    assert needs_of(account) == {"open refunds": 1}
    refused(AccountNeeded, accounts.close, by, account.pk, NOTE)

    Refund.objects.update(ask_at=utcnow(), leased_until=None)
    refunds.run_due()
    assert (needs_of(account), accounts.close(by, account.pk, NOTE).status) == ({}, "CLOSED")
    assert set(needs._counts) == {
        "open payments", "open refunds", "withdrawals being processed", "money in suspense", "saved cards to remove",
    }  # fmt: skip
