"""Withdrawals of a file that wait for approval are approved or rejected together, each with its own outcome."""

from collections import Counter
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.emails.models import Email
from accounts.models import AuditEntry, Membership, User
from accounts.roles import Role
from gateway.bulk import due, services
from gateway.bulk.models import BulkFile, LineDecision
from gateway.withdrawals.models import Withdrawal
from ledger.verify import verify
from tests.support.api import Api
from tests.support.approvals import age, set_rules, the_owner
from tests.support.bulk import a_file
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Page
from tests.support.people import a_member, browser_of
from tests.support.withdrawals import change, fund, nothing_moves, wait


@pytest.fixture
def asking(acme: Shop) -> User:
    """A member of Finance, who uploads and confirms."""
    return a_member(acme.company, Role.FINANCE)


@pytest.fixture
def boss(acme: Shop) -> Client:
    return browser_of(the_owner(acme))


@pytest.fixture
def file(acme: Shop, api: Api, asking: User, settings: Any) -> BulkFile:
    """Three withdrawals of 50, 200 and 300 reais; above 100 somebody else approves."""
    settings.SANDBOX_NOTICES = True
    fund(api)
    set_rules(acme.sandbox, the_owner(acme), people=1, above={"BRL": 100_00})
    made = a_file(acme, 50, 200, 300, by=asking)
    due.run_due()
    return made


def decide(client: Client, page: Page, file: BulkFile, what: str = "approve", **members: str) -> HttpResponse:
    form = form_in(client.get(page("bulk_file_approval", file.pk)).content)
    return client.post(page(f"{what}_bulk_file", file.pk), form | members)


def approvals(file: BulkFile) -> list[str | None]:
    return list(
        Withdrawal.objects.filter(reference__startswith=file.pk).order_by("amount").values_list("approval", flat=True)
    )


def written() -> list[tuple[str, str]]:
    """Who got which e-mail about a file, and about single withdrawals."""
    kinds = ("bulk_file", "withdrawal_approval", "withdrawal_new_destination", "withdrawal_came_back")
    found = Email.objects.filter(kind__in=kinds).order_by("created_at", "recipient")
    return [(mail.recipient.partition("@")[0], mail.subject.partition(": ")[2]) for mail in found]


def test_another_person_approves_the_file_at_once(
    file: BulkFile, acme: Shop, api: Api, asking: User, boss: Client, page: Page
) -> None:
    assert approvals(file) == [None, "PENDING", "PENDING"]
    assert boss.get(page("approvals")).context["files"] == [(file, [("BRL", 2, 500_00)])]
    shown = boss.get(page("bulk_file_approval", file.pk))
    assert shown.context["sums"] == [("BRL", 2, 500_00)]

    with nothing_moves(acme):
        assert decide(browser_of(asking), page, file).status_code == 403
    assert decide(boss, page, file).status_code == 302
    assert approvals(file) == [None, "PENDING", "PENDING"]
    assert b"hx-trigger" in boss.get(page("bulk_file_approval", file.pk)).content
    due.run_due()
    assert approvals(file) == [None, "APPROVED", "APPROVED"]
    assert due.run_due() == 0
    wait(api, 60)

    assert set(Withdrawal.objects.values_list("status", flat=True)) == {"COMPLETED"}
    assert AuditEntry.objects.get(action="bulk_file.approved").after["BRL"] == {"count": 2, "amount": "500.00"}
    waits, done = "a file of withdrawals waits for approval", "withdrawals of a file were approved"
    assert sorted(written()) == [("finance", waits), ("owner", waits), ("owner", done)]
    assert [str(one) for one in verify()] == []


def test_what_was_not_shown_is_not_approved(
    file: BulkFile, acme: Shop, api: Api, asking: User, boss: Client, page: Page
) -> None:
    form = form_in(boss.get(page("bulk_file_approval", file.pk)).content)
    first = Withdrawal.objects.filter(approval="PENDING").order_by("amount").first()
    assert first is not None
    assert boss.post(page("reject_withdrawal", first.pk)).status_code == 302

    with nothing_moves(acme):
        assert boss.post(page("approve_bulk_file", file.pk), form).status_code == 409
        assert decide(boss, page, file, shown="").status_code == 302
        assert decide(boss, page, a_file(acme, 1, 2, by=asking)).status_code == 302, "its lines still wait"
    assert not LineDecision.objects.exists()
    assert decide(boss, page, file, "reject").status_code == 302
    due.run_due()
    assert approvals(file)[1:] == ["REJECTED", "REJECTED"]


def test_each_line_has_its_own_outcome_and_who_left_approves_nothing(
    file: BulkFile, acme: Shop, api: Api, boss: Client, page: Page
) -> None:
    """The owner approves, one withdrawal ends before it is its turn, and then the owner is no owner any more."""
    decide(boss, page, file)
    [first, second] = Withdrawal.objects.filter(approval="PENDING").order_by("amount")
    assert api.post(f"/simulations/withdrawals/{first.pk}", {"status": "FAILED"}).status_code == 200
    Membership.objects.filter(user=the_owner(acme)).update(role=Role.VIEWER)
    due.run_due()

    codes = Counter(LineDecision.objects.values_list("state", "code"))
    assert codes == {("REFUSED", "ONP409_APPROVAL_STATE"): 1, ("REFUSED", "ONP403_APPROVER"): 1}
    second.refresh_from_db()
    assert (second.approval, second.approvals_given, second.sent_at) == ("PENDING", 0, None)
    shown = boss.get(page("bulk_file_approval", file.pk))
    assert all(row.refused for row in shown.context["rows"]) and not shown.context["may_reject"]


def test_silence_is_told_once(file: BulkFile, acme: Shop, api: Api, boss: Client, page: Page) -> None:
    wait(api, 24 * 3600 + 120)

    assert approvals(file)[1:] == ["EXPIRED", "EXPIRED"]
    assert [subject for who, subject in written() if who == "owner"] == [
        "a file of withdrawals waits for approval",
        "withdrawals of a file were not approved in time",
    ]
    with nothing_moves(acme):
        assert decide(boss, page, file).status_code == 302


def test_approvals_that_lapse_are_asked_for_once_for_the_file(
    file: BulkFile, acme: Shop, api: Api, asking: User, page: Page
) -> None:
    """Two approved withdrawals are held back; meanwhile the approver loses the role."""
    other = a_member(acme.company, Role.OWNER, "second@acme.example")
    age(Membership.objects.get(user=other))
    decide(browser_of(other), page, file)
    due.run_due()
    change(acme, withdrawal_enabled=False)
    wait(api, 30)
    Membership.objects.filter(user=other).update(role=Role.VIEWER)
    change(acme, withdrawal_enabled=True)
    wait(api, 120)

    assert approvals(file)[1:] == ["PENDING", "PENDING"]
    waits = ("owner", "a file of withdrawals waits for approval")
    assert [mail for mail in written() if mail[0] == "owner"] == [
        waits, ("owner", "withdrawals of a file were approved"), waits,
    ]  # fmt: skip
    wait(api, 24 * 3600)
    assert ("owner", "withdrawals of a file were not approved in time") in written()


def test_strangers_find_no_file(file: BulkFile, acme: Shop, globex: Shop, viewer: Client, page: Page) -> None:
    stranger = browser_of(a_member(globex.company))
    with nothing_moves(acme):
        assert stranger.post(page("approve_bulk_file", file.pk)).status_code == 404
        assert "/accounts/" in decide(viewer, page, file)["Location"]
        assert decide(browser_of(a_member(acme.company, Role.DEVELOPER)), page, file).status_code == 403
        with pytest.raises(Exception, match="not found"):
            services.lock(globex.sandbox, file.pk)
