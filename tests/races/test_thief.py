"""A thief with one API key that may do everything and an administrator's session, second factor included.

`SEED` chooses the attempts (tests/support/thefts.py), `ATTEMPTS` how many: each is the answer to a request or call.
"""

import itertools
import os
import random
from typing import Any

import pytest

from accounts.models import Environment
from accounts.roles import Role
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.rules.selectors import in_force
from ledger.books.models import Transfer
from ledger.verify import verify
from tests.support.companies import Shop
from tests.support.effort import NIGHTLY, tries
from tests.support.thefts import attempt
from tests.support.thief import PER_DAY, Thief

pytestmark = pytest.mark.django_db(transaction=True)
ATTEMPTS = int(os.environ.get("ATTEMPTS") or tries(50, 5_000))
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
THIEVES = [(Role.FINANCE, Environment.SANDBOX), (Role.OWNER, Environment.PRODUCTION)]
if NIGHTLY or "ATTEMPTS" in os.environ:
    THIEVES += [(Role.OWNER, Environment.SANDBOX), (Role.FINANCE, Environment.PRODUCTION)]


@pytest.mark.parametrize(("role", "environment"), THIEVES)
def test_no_cent_leaves_without_the_people_the_rules_ask_for(
    transactional_db: None, acme: Shop, role: Role, environment: Environment, settings: Any
) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)  # a thief may be patient
    print(f"SEED={SEED} ATTEMPTS={ATTEMPTS}")
    thief = Thief(acme, role, environment, random.Random(f"{SEED} {role} {environment}"))
    rules = in_force(thief.merchant)

    for number in itertools.count():
        if thief.answers.total() >= ATTEMPTS // len(THIEVES):
            break
        attempt(thief, number)
        if number % 50 == 49:
            assert thief.stolen() == [], (SEED, number)

    print(*sorted(thief.answers.items()), sep="\n")
    assert thief.stolen() == [], SEED
    assert in_force(thief.merchant) == rules
    done = Withdrawal.objects.filter(status__in=("COMPLETED", "RETURNED"))
    assert Transfer.objects.filter(kind="withdrawal.completed").count() == done.count()
    small = sum(done.filter(approval=None).values_list("amount", flat=True))
    assert small <= PER_DAY, "the clock moves for less than a day"
    assert [str(one) for one in verify()] == []
