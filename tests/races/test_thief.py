"""A thief with one API key that may do everything and an administrator's session, second factor included.

The rules: above 100 reais, or outside the book of beneficiaries, one other person approves; 24 hours of cooling-off; no
more than 300 reais a day to one beneficiary. `SEED` chooses the attempts, `ATTEMPTS` how many: each is the answer to a
request or call of the thief.
"""

import itertools
import json
import os
import random
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from accounts import joining
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.base.sealing import unseal
from accounts.models import ApiKey, Membership
from accounts.permissions import ALL
from accounts.roles import Role
from accounts.services import issue_key, rotate_key
from gateway.bulk import due as bulk_due
from gateway.bulk import services as bulk
from gateway.bulk.models import Kind
from gateway.bulk.orders import WithdrawalOrder
from gateway.payout_schedules import due as schedules_due
from gateway.payout_schedules import services as schedules
from gateway.payout_schedules.models import PayoutSchedule
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.withdrawals import due, services
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.rules.content import Rules
from gateway.withdrawals.rules.selectors import in_force
from gateway.withdrawals.rules.services import propose
from ledger.books.models import Transfer
from ledger.verify import verify
from tests.support.api import Api, another_address
from tests.support.approvals import an_approver, approve, request_of, set_rules
from tests.support.companies import Shop
from tests.support.effort import tries
from tests.support.people import a_member, browser_of
from tests.support.threads import at_once
from tests.support.withdrawals import ask, decide, fund, register, wait, withdrawn

pytestmark = pytest.mark.django_db(transaction=True)
ATTEMPTS = int(os.environ.get("ATTEMPTS") or tries(60, 5_000))
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
SUPPLIER, PARTNER, OWN = "supplier@example.com", "partner{}@example.com", "thief{}@example.com"
ABOVE, PER_DAY = 100_00, 300_00


def to(key: str) -> dict[str, str]:
    return {"pixKey": key, "pixKeyType": "EMAIL"}


class Thief:
    """What the thief holds, what honest people approved, and what was tried with which answers."""

    def __init__(self, shop: Shop, role: Role, chance: random.Random) -> None:
        self.shop, self.role, self.chance, self.address = shop, role, chance, another_address()
        register(shop, self.address)
        self.owner = a_member(shop.company, Role.OWNER)
        self.admin = a_member(shop.company, role, "admin@acme.example")
        self.accomplice = a_member(shop.company, Role.VIEWER)
        self.record, text = issue_key(shop.sandbox, ALL, by=self.admin)
        self.api = Api(text, self.address)
        self.honest = an_approver(shop, self.address, by=self.owner)
        self.unwary = a_member(shop.company, Role.FINANCE)
        self.session = browser_of(self.admin)
        fund(self.api)
        fund(self.api)
        self.api.post(
            "/beneficiaries", {"name": "Supplier", "rail": "PIX", "currency": "BRL", "destination": to(SUPPLIER)}
        )
        limits = {"above": {"BRL": ABOVE}, "per_beneficiary": {"BRL": PER_DAY}}
        set_rules(shop.sandbox, self.owner, people=1, outside_book="APPROVED", cooling_off_h=24, **limits)
        self.blessed: dict[str, tuple[int, str]] = {}
        self.answers: Counter[str] = Counter()
        self.number = 0

    def page(self, name: str, *args: str) -> str:
        return reverse(f"dashboard:{name}", args=(self.shop.company.pk, "sandbox", *args))

    def someone(self) -> str:
        return OWN.format(self.chance.randrange(9))

    def asked(self, key: str | None = None, amount: int | None = None) -> dict[str, Any]:
        """A withdrawal to the thief that waits."""
        cents = amount or self.chance.choice((1_00, ABOVE, ABOVE + 1, 250_00))
        answer = ask(self.api, self.shop, amount=cents / 100, **to(key or self.someone()))
        return dict(answer.json().get("data") or {"id": "wdr_01KAGTW3Q8XJ5V0N2B7R4C9WDR"})

    def approved_by_the_owner(self) -> dict[str, Any]:
        """An honest withdrawal, known to the thief, that may leave now as it stands."""
        key = PARTNER.format(self.number)
        made = withdrawn(self.api, self.shop, amount=150, **to(key))
        assert approve(self.honest, made).status_code == 201
        self.blessed[made["id"]] = (150_00, key)
        return made

    def note(self, what: str, answer: Any) -> None:
        code = getattr(answer, "status_code", answer)
        body = answer.json().get("onpayCode", "") if getattr(answer, "content", b"")[:1] == b"{" else ""
        self.answers[f"{what} {code} {body}".strip()] += 1

    def tries(self, what: str, act: Callable[[], Any]) -> Any:
        try:
            answer = act()
        except Refusal as refusal:
            self.note(what, refusal.public_code)
            return None
        self.note(what, answer if hasattr(answer, "status_code") else "done")
        return answer

    # ── Attempts ──────────────────────────────────────────────────────────────────────────────────────────────────
    def by_key(self) -> None:
        self.note("own key", approve(self.api, self.asked()))

    def by_session(self) -> None:
        self.note("own session", self.session.post(self.page("approve_withdrawal", self.asked()["id"])))

    def asked_in_the_dashboard(self) -> None:
        key = self.someone()
        form = {
            "pix_key_type": "EMAIL",
            "pix_key": key,
            "amount": "250",
            "once": f"{self.chance.getrandbits(120):032x}",
        }
        self.note("dashboard", self.session.post(self.page("confirm_withdrawal", "pix"), form))
        for one in self.waiting():
            self.note("key for session", approve(self.api, {"id": one}))

    def with_a_new_key(self) -> None:
        if self.chance.random() < 0.5:
            _, text = issue_key(self.shop.sandbox, ["withdrawals:approve"], by=self.admin)
        else:
            extra, _ = issue_key(self.shop.sandbox, ALL, by=None)
            _, text = rotate_key(extra, utcnow() + timedelta(days=1), by=self.admin)
        self.note("new key", approve(Api(text, self.address), self.asked()))

    def with_a_key_of_nobody(self) -> None:
        self.note("onboarding key", approve(Api(self.shop.sandbox_key, self.address), self.asked()))

    def with_an_accomplice(self) -> None:
        member = Membership.objects.get(user=self.accomplice)
        role = self.chance.choice((Role.OWNER, Role.FINANCE, Role.VIEWER))
        if self.role == Role.OWNER:
            joining.change_role(request_of(self.admin), self.shop.company, member.pk, role)
        browser = browser_of(self.accomplice)
        self.note("accomplice", browser.post(self.page("approve_withdrawal", self.asked()["id"])))

    def simulated(self) -> None:
        made = self.asked()
        for end in ("COMPLETED", "RETURNED"):
            self.note("simulate", decide(self.api, made, end))
        outcome = PayoutOutcome(PayoutResult.DONE, reference="E1")
        self.tries("staff", lambda: services.decide(self.shop.sandbox, made["id"], outcome))
        self.note("query", due.query_now(self.shop.sandbox, made["id"]))

    def raced(self) -> None:
        made, honest = self.asked(), self.approved_by_the_owner()
        calls = [
            lambda: approve(Api(self.api.key, self.address), made),
            lambda: decide(Api(self.api.key, self.address), made, "COMPLETED"),
            lambda: approve(Api(self.api.key, self.address), made),
            self._sweep,
            lambda: approve(Api(self.api.key, self.address), honest),
        ]
        self.chance.shuffle(calls)
        for answer in at_once(*calls):
            self.note("race", answer)

    def _sweep(self) -> Any:
        due.run_due()
        return "sweep"

    def replayed(self) -> None:
        """The same idempotency key and reference for another account or amount, while the honest one waits."""
        key, reference = str(uuid.UUID(int=self.chance.getrandbits(128), version=4)), f"replayed-{self.number}"
        account = PARTNER.format(self.number)
        answer = ask(self.api, self.shop, key=key, reference=reference, amount=150, **to(account))
        assert answer.status_code == 201, answer.content
        honest = answer.json()["data"]
        again = [(151, account), (150, self.someone()), (150, account)]
        for amount, to_whom in again:
            self.note("replay", ask(self.api, self.shop, key=key, reference=reference, amount=amount, **to(to_whom)))
            self.note("same reference", ask(self.api, self.shop, reference=reference, amount=amount, **to(to_whom)))
        self.note("cancel", decide(self.api, honest, "FAILED"))
        self.note("reference again", ask(self.api, self.shop, reference=reference, amount=150, **to(self.someone())))

    def after_the_approval(self) -> None:
        """What was approved ends, and its name is given to something else before anybody looks."""
        honest = self.approved_by_the_owner()
        self.note("cancel", decide(self.api, honest, "FAILED"))
        reference = honest["reference"]
        made = ask(self.api, self.shop, reference=reference, amount=150, **to(self.someone()))
        self.note("other under its name", made)
        for one in self.waiting():
            self.note("old approval", approve(self.api, {"id": one}))

    def clock(self) -> None:
        made = self.asked()
        wait(self.api, self.chance.randrange(1, 30))
        self.note("after a while", approve(self.api, made))

    def weakened(self) -> None:
        """Only an owner reaches the page; the service is asked as if anybody did."""
        weak: Rules = self.chance.choice(
            (Rules(), Rules(people=1, above={"BRL": 10**9}), Rules(people=1, persons=frozenset([self.accomplice.pk])))
        )
        if self.role == Role.OWNER:
            version = self.tries("weaken", lambda: propose(Actor(self.admin), self.shop.sandbox, weak))
            where = self.page("agree_withdrawal_rules", version.pk)
            self.note("agree", self.session.post(where))
            self.note("agree as accomplice", browser_of(self.accomplice).post(where))
        else:
            self.note("rules page", self.session.post(self.page("withdrawal_rules"), {"people": "0"}))
        self.note("weakened", approve(self.api, self.asked()))

    def beneficiaries(self) -> None:
        """The supplier is taken out, and somebody else put in by the same name; then small amounts."""
        book = self.api.get("/beneficiaries").json()["data"]
        mine = [one["id"] for one in book if one["name"] != "Supplier"]
        for one in mine[:3]:
            self.note("remove", self.api.request("DELETE", f"/beneficiaries/{one}"))
        key = self.someone()
        body = {"name": "Supplier ", "rail": "PIX", "currency": "BRL", "destination": to(key)}
        self.note("add", self.api.post("/beneficiaries", body))
        self.note("new beneficiary", approve(self.api, self.asked(key, 1_00)))

    def split(self) -> None:
        """Many small amounts to the supplier at the same moment."""
        calls = [lambda: ask(Api(self.api.key, self.address), self.shop, amount=90, **to(SUPPLIER.upper()))] * 4
        for answer in at_once(*calls):
            self.note("split", answer)

    def in_bulk(self) -> None:
        orders = [WithdrawalOrder("PIX", Decimal(n), "BRL", "", to(self.someone())) for n in (1, 100, 101)]
        rows = [bulk.Line(n, one, {}, int(one.amount * 100), "BRL") for n, one in enumerate(orders, start=2)]
        file = bulk.keep(self.shop.sandbox, Kind.WITHDRAWALS, "pay.csv", b"x" * 32, rows, {}, by=self.unwary, way="pix")
        self.tries("bulk", lambda: bulk.confirm(self.shop.sandbox, file.pk, by=self.admin, reviewed=True))
        bulk_due.run_due()
        for one in self.waiting():
            self.note("bulk by key", approve(self.api, {"id": one}))
            self.note("bulk by session", self.session.post(self.page("approve_withdrawal", one)))

    def by_schedule(self) -> None:
        plan = schedules.Plan("BRL", "PIX", "DAILY", 6, destination=to(self.someone()))
        made = self.tries("schedule", lambda: schedules.register(self.shop.sandbox, plan, by=self.admin))
        PayoutSchedule.objects.filter(ended_at=None).update(next_at=utcnow())
        schedules_due.run_due()
        for one in self.waiting():
            self.note("schedule by session", self.session.post(self.page("approve_withdrawal", one)))
        schedules.end(self.shop.sandbox, made.pk, by=self.admin)

    def role_taken_back(self) -> None:
        """Somebody unwary approved, and is demoted before anything was sent."""
        made = self.asked()
        Membership.objects.filter(user=self.unwary).update(role=Role.FINANCE, role_since=utcnow() - timedelta(days=3))
        self.note("unwary", browser_of(self.unwary).post(self.page("approve_withdrawal", made["id"])))
        Membership.objects.filter(user=self.unwary).update(role=Role.VIEWER, role_since=utcnow())
        for end in ("COMPLETED", "FAILED"):
            self.note("after the demotion", decide(self.api, made, end))

    ATTEMPTS = (
        by_key, by_session, asked_in_the_dashboard, with_a_new_key, with_a_key_of_nobody, with_an_accomplice, simulated,
        raced, replayed, after_the_approval, clock, weakened, beneficiaries, split, in_bulk, by_schedule,
        role_taken_back,
    )  # fmt: skip

    # ── What came of it ───────────────────────────────────────────────────────────────────────────────────────────
    def waiting(self) -> list[str]:
        return list(Withdrawal.objects.filter(approval="PENDING").values_list("pk", flat=True))

    def attempt(self, number: int) -> None:
        self.number = number
        if number % 100 == 99:
            self.session = browser_of(self.admin)  # the factor was shown within five minutes
            ApiKey.objects.filter(created_by=self.admin).exclude(pk=self.record.pk).update(revoked_at=utcnow())
        self.chance.choice(self.ATTEMPTS)(self)
        due.run_due()
        wait(self.api, 5)
        for one in self.waiting():
            decide(self.api, {"id": one}, "FAILED")

    def stolen(self) -> list[str]:
        """What left, or is about to, although nobody else approved it as it stands and it is not small and known."""
        gone = Withdrawal.objects.exclude(sent_at=None, completed_at=None).order_by("pk")
        return [one.pk for one in gone if not self._may_leave(one)]

    def _may_leave(self, one: Withdrawal) -> bool:
        key = json.loads(unseal(bytes(one.sealed_destination)))["pixKey"].casefold()
        if one.approval is None:
            return one.amount <= ABOVE and key == SUPPLIER
        return self.blessed.get(one.pk) == (one.amount, key)


@pytest.mark.parametrize("role", [Role.FINANCE, Role.OWNER])
def test_no_cent_leaves_without_the_people_the_rules_ask_for(
    transactional_db: None, acme: Shop, role: Role, settings: Any
) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)  # a thief may be patient
    print(f"SEED={SEED} ATTEMPTS={ATTEMPTS}")
    thief = Thief(acme, role, random.Random(f"{SEED} {role}"))
    rules = in_force(acme.sandbox)

    for number in itertools.count():
        if thief.answers.total() >= ATTEMPTS // 2:
            break
        thief.attempt(number)
        if number % 50 == 49:
            assert thief.stolen() == [], (SEED, number)

    print(*sorted(thief.answers.items()), sep="\n")
    assert thief.stolen() == [], SEED
    assert in_force(acme.sandbox) == rules
    done = Withdrawal.objects.filter(status__in=("COMPLETED", "RETURNED"))
    assert Transfer.objects.filter(kind="withdrawal.completed").count() == done.count()
    small = sum(done.filter(approval=None).values_list("amount", flat=True))
    assert small <= PER_DAY, "the clock moves for less than a day"
    assert [str(one) for one in verify()] == []
