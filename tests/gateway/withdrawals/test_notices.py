"""Every e-mail about approvals, beneficiaries, rules and bulk files, each in its reader's language."""

from typing import Any

import pytest

from accounts.audit import Actor
from accounts.models import Email, User
from accounts.roles import Role
from gateway.bulk import approvals as bulk_approvals
from gateway.bulk import due as bulk_due
from gateway.bulk.models import BulkFile
from gateway.withdrawals.approvals.models import Decision
from gateway.withdrawals.rules import services
from gateway.withdrawals.rules.content import Rules
from gateway.withdrawals.rules.selectors import in_force
from tests.support.api import Api
from tests.support.approvals import an_approver, approve, set_rules
from tests.support.bulk import a_file
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member
from tests.support.withdrawals import register, wait, withdrawn

LANGUAGES = {"en": "en", "pt": "pt-br", "es": "es"}
TO = {"name": "Rent", "rail": "PIX", "currency": "BRL"}
SUBJECTS = [
    "your withdrawal rules were changed", "a beneficiary was added", "a beneficiary was removed",
    "a withdrawal waits for approval", "a withdrawal received another approval",
    "a withdrawal was approved",
    "a withdrawal waits for approval", "a withdrawal was rejected",
    "a file of withdrawals waits for approval", "withdrawals of a file were approved",
    "withdrawals of a file were rejected",
    "a file of withdrawals waits for approval", "a withdrawal waits for approval",
    "a withdrawal was not approved in time", "withdrawals of a file were not approved in time",
    "your withdrawal rules are about to become weaker", "a change of your withdrawal rules was stopped",
    "your withdrawal rules are about to become weaker", "your withdrawal rules were changed",
]  # fmt: skip


@pytest.fixture
def owners(acme: Shop, settings: Any) -> list[User]:
    """One of each language, who were there before the rules."""
    settings.SANDBOX_NOTICES = True
    found = [a_member(acme.company, Role.OWNER, f"{name}@acme.example") for name in LANGUAGES]
    for owner, language in zip(found, LANGUAGES.values(), strict=True):
        User.objects.filter(pk=owner.pk).update(language=language)
    return found


def test_owners_read_each_step_in_their_language(acme: Shop, api: Api, address: str, owners: list[User]) -> None:
    register(acme, address)
    a_payment(acme.sandbox, "PAID", "10000.00")
    first, second, third = owners
    keys = [an_approver(acme, address, by=owner) for owner in owners]
    set_rules(acme.sandbox, first, people=2, cooling_off_h=24, outside_book="APPROVED")
    added = api.post("/beneficiaries", TO | {"destination": {"pixKey": "rent@acme.example", "pixKeyType": "EMAIL"}})
    api.request("DELETE", f"/beneficiaries/{added.json()['data']['id']}")

    made = withdrawn(api, acme, amount=500)
    assert [approve(key, made).status_code for key in keys[:2]] == [201, 201]
    made = withdrawn(api, acme, amount=501)
    assert approve(keys[2], made, "REJECT", note="Not ours").status_code == 201

    file = a_file(acme, 200, 300, by=first, warnings={"new": [2, 3]})
    bulk_due.run_due()
    _decide(acme, file, Decision.APPROVE, second)
    _decide(acme, file, Decision.REJECT, third)
    a_file(acme, 400, by=first)
    bulk_due.run_due()
    withdrawn(api, acme, amount=502)
    wait(api, 24 * 3600 + 120)

    weaker = services.propose(Actor(first), acme.sandbox, Rules(people=1))
    assert weaker is not None
    services.stop(Actor(second), acme.sandbox, weaker.pk)
    assert services.propose(Actor(first), acme.sandbox, Rules(people=1)) is not None
    wait(api, 48 * 3600)
    assert in_force(acme.sandbox).rules.people == 1

    read = {name: _mails(name) for name in LANGUAGES}
    assert [mail.subject.partition(": ")[2] for mail in read["en"]] == SUBJECTS
    for mails in zip(*read.values(), strict=True):
        english, *others = [{mail.subject, *mail.text.splitlines()} for mail in mails]
        for lines in others:
            assert [line for line in english & lines if line and not line.startswith("http")] == []


def _decide(shop: Shop, file: BulkFile, decision: Decision, by: User) -> None:
    shown = bulk_approvals.undecided(file, by).digest
    bulk_approvals.decide(shop.sandbox, file.pk, decision, by=by, shown=shown, address=None)
    bulk_due.run_due()


def _mails(name: str) -> list[Email]:
    return list(Email.objects.filter(recipient=f"{name}@acme.example").order_by("id"))
