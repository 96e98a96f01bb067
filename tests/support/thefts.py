"""The attempts of a thief: what one key and one session can try to get money out, and whom they can fool."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from accounts import joining
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import ApiKey, Membership
from accounts.permissions import ALL
from accounts.roles import Role
from accounts.services import issue_key, rotate_key
from gateway.bulk import approvals as bulk_approvals
from gateway.bulk import due as bulk_due
from gateway.payout_schedules import due as schedules_due
from gateway.payout_schedules import services as schedules
from gateway.payout_schedules.models import PayoutSchedule
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.withdrawals import due, services
from gateway.withdrawals.approvals.models import Decision
from gateway.withdrawals.rules.content import Rules
from gateway.withdrawals.rules.services import propose
from tests.support.api import Api
from tests.support.approvals import approve, request_of
from tests.support.batches import gathered, release, released
from tests.support.bulk import a_file
from tests.support.people import browser_of
from tests.support.thief import PARTNER, SUPPLIER, Thief, to
from tests.support.threads import at_once
from tests.support.withdrawals import ask, decide, wait

DONE = PayoutOutcome(PayoutResult.DONE, reference="E1")
RETURNED = PayoutOutcome(PayoutResult.RETURNED)


def by_key(thief: Thief) -> None:
    thief.note("own key", approve(thief.api, thief.asked()))


def by_session(thief: Thief) -> None:
    thief.note("own session", thief.session.post(thief.page("approve_withdrawal", thief.asked()["id"])))


def asked_in_the_dashboard(thief: Thief) -> None:
    once = f"{thief.chance.getrandbits(120):032x}"
    form = {"pix_key_type": "EMAIL", "pix_key": thief.someone(), "amount": "250", "once": once}
    thief.note("dashboard", thief.session.post(thief.page("confirm_withdrawal", "pix"), form))
    for one in thief.waiting():
        thief.note("key for session", approve(thief.api, {"id": one}))


def with_a_new_key(thief: Thief) -> None:
    if thief.chance.random() < 0.5:
        _, text = issue_key(thief.merchant, ["withdrawals:approve"], by=thief.admin)
    else:
        extra, _ = issue_key(thief.merchant, ALL, by=None)
        _, text = rotate_key(extra, utcnow() + timedelta(days=1), by=thief.admin)
    thief.note("new key", approve(Api(text, thief.address), thief.asked()))


def with_a_key_of_nobody(thief: Thief) -> None:
    thief.note("onboarding key", approve(Api(thief.nobodys_key, thief.address), thief.asked()))


def with_an_accomplice(thief: Thief) -> None:
    member = Membership.objects.get(user=thief.accomplice)
    role = thief.chance.choice((Role.OWNER, Role.FINANCE, Role.VIEWER))
    if thief.role == Role.OWNER:
        joining.change_role(request_of(thief.admin), thief.shop.company, member.pk, role)
    browser = browser_of(thief.accomplice)
    thief.note("accomplice", browser.post(thief.page("approve_withdrawal", thief.asked()["id"])))


def simulated(thief: Thief) -> None:
    made = thief.asked()
    for end in ("COMPLETED", "RETURNED"):
        thief.note("simulate", decide(thief.api, made, end))
    thief.tries("service", lambda: services.decide(thief.merchant, made["id"], DONE))


def through_staff(thief: Thief) -> None:
    """Staff believe a caller: they record outcomes, ask the provider, and gather batches."""
    made = thief.asked()["id"]
    thief.tries("staff completed", lambda: thief.staff_record(made, DONE))
    thief.tries("staff returned", lambda: thief.staff_record(made, RETURNED))
    thief.tries("staff asked", lambda: due.query_now(thief.merchant, made))
    if thief.is_real:
        thief.tries("staff's batch", lambda: released(thief.by_file))


def changed_in_a_batch(thief: Thief) -> None:
    """Between gathering and releasing a batch, what it pays is ended and its reference given to something else."""
    honest = thief.approved_by_the_owner()
    due.run_due()
    batch = thief.tries("gathered", lambda: gathered(thief.by_file)) if thief.is_real else None
    thief.note("cancel in a batch", decide(thief.api, honest, "FAILED"))
    made = ask(thief.api, thief.shop, reference=honest["reference"], amount=150, **to(thief.someone()))
    thief.note("its reference", made)
    for one in thief.waiting():
        thief.note("its approval", approve(thief.api, {"id": one}))
        thief.tries("staff completed", lambda: thief.staff_record(one, DONE))  # noqa: B023  (called at once)
    if batch:
        thief.tries("released", lambda: release(batch))


def raced(thief: Thief) -> None:
    made, honest = thief.asked(), thief.approved_by_the_owner()
    calls: list[Callable[[], Any]] = [
        lambda: approve(Api(thief.api.key, thief.address), made),
        lambda: decide(Api(thief.api.key, thief.address), made, "COMPLETED"),
        lambda: approve(Api(thief.api.key, thief.address), made),
        lambda: due.run_due() and "sweep",
        lambda: approve(Api(thief.api.key, thief.address), honest),
    ]
    thief.chance.shuffle(calls)
    for answer in at_once(*calls):
        thief.note("race", answer)


def replayed(thief: Thief) -> None:
    """The same idempotency key and reference for another account or amount, while the honest one waits."""
    key, reference = str(uuid.UUID(int=thief.chance.getrandbits(128), version=4)), f"replayed-{thief.number}"
    account = PARTNER.format(thief.number)
    answer = ask(thief.api, thief.shop, key=key, reference=reference, amount=150, **to(account))
    assert answer.status_code == 201, answer.content
    honest = answer.json()["data"]
    for amount, whom in [(151, account), (150, thief.someone()), (150, account)]:
        thief.note("replay", ask(thief.api, thief.shop, key=key, reference=reference, amount=amount, **to(whom)))
        thief.note("same reference", ask(thief.api, thief.shop, reference=reference, amount=amount, **to(whom)))
    thief.note("cancel", decide(thief.api, honest, "FAILED"))
    other = ask(thief.api, thief.shop, reference=reference, amount=150, **to(thief.someone()))
    thief.note("reference again", other)


def after_the_approval(thief: Thief) -> None:
    """What was approved ends, and its name is given to something else before anybody looks."""
    honest = thief.approved_by_the_owner()
    thief.note("cancel", decide(thief.api, honest, "FAILED"))
    made = ask(thief.api, thief.shop, reference=honest["reference"], amount=150, **to(thief.someone()))
    thief.note("other under its name", made)
    for one in thief.waiting():
        thief.note("old approval", approve(thief.api, {"id": one}))


def clock(thief: Thief) -> None:
    made = thief.asked()
    if thief.is_real:
        thief.note("clock", thief.api.post("/simulations/clock", {"advanceBy": "PT30S"}))
    else:
        wait(thief.api, thief.chance.randrange(1, 30))
    thief.note("after a while", approve(thief.api, made))


def weakened(thief: Thief) -> None:
    """Only an owner reaches the page; the service is asked as if anybody did."""
    weak: Rules = thief.chance.choice(
        (Rules(), Rules(people=1, above={"BRL": 10**9}), Rules(people=1, persons=frozenset([thief.accomplice.pk])))
    )
    if thief.role == Role.OWNER:
        version = thief.tries("weaken", lambda: propose(Actor(thief.admin), thief.merchant, weak))
        where = thief.page("agree_withdrawal_rules", version.pk)
        thief.note("agree", thief.session.post(where))
        thief.note("agree as accomplice", browser_of(thief.accomplice).post(where))
    else:
        thief.note("rules page", thief.session.post(thief.page("withdrawal_rules"), {"people": "0"}))
    thief.note("weakened", approve(thief.api, thief.asked()))


def beneficiaries(thief: Thief) -> None:
    """The supplier stays, and somebody else is put in by the same name; then small amounts."""
    book = thief.api.get("/beneficiaries").json()["data"]
    for one in [one["id"] for one in book if one["name"] != "Supplier"][:3]:
        thief.note("remove", thief.api.request("DELETE", f"/beneficiaries/{one}"))
    key = thief.someone()
    body = {"name": "Supplier ", "rail": "PIX", "currency": "BRL", "destination": to(key)}
    thief.note("add", thief.api.post("/beneficiaries", body))
    thief.note("new beneficiary", approve(thief.api, thief.asked(key, 1_00)))


def split(thief: Thief) -> None:
    """Many small amounts to the supplier at the same moment."""
    calls = [lambda: ask(Api(thief.api.key, thief.address), thief.shop, amount=90, **to(SUPPLIER.upper()))] * 4
    for answer in at_once(*calls):
        thief.note("split", answer)


def in_bulk(thief: Thief) -> None:
    """Somebody unwary uploads, the thief confirms; then each withdrawal, and the whole file, is to be approved."""
    amounts, whom = (1, 100, 101), to(thief.someone())
    file = a_file(thief.shop, *amounts, by=thief.unwary, confirmed_by=thief.admin, to=whom, merchant=thief.merchant)
    bulk_due.run_due()
    for one in thief.waiting():
        thief.note("bulk by key", approve(thief.api, {"id": one}))
        thief.note("bulk by session", thief.session.post(thief.page("approve_withdrawal", one)))
    for person in (thief.admin, thief.unwary, thief.accomplice):
        shown = bulk_approvals.undecided(file, person).digest
        thief.tries("file", lambda: bulk_approvals.decide(
            thief.merchant, file.pk, Decision.APPROVE, by=person, shown=shown, address=None  # noqa: B023
        ))  # fmt: skip
    form = {"once": str(uuid.UUID(int=thief.chance.getrandbits(128), version=4)), "shown": shown}
    thief.note("file by session", thief.session.post(thief.page("approve_bulk_file", file.pk), form))
    bulk_due.run_due()


def by_schedule(thief: Thief) -> None:
    plan = schedules.Plan("BRL", "PIX", "DAILY", 6, destination=to(thief.someone()))
    made = thief.tries("schedule", lambda: schedules.register(thief.merchant, plan, by=thief.admin))
    PayoutSchedule.objects.filter(ended_at=None).update(next_at=utcnow())
    schedules_due.run_due()
    for one in thief.waiting():
        thief.note("schedule by session", thief.session.post(thief.page("approve_withdrawal", one)))
    if made:
        schedules.end(thief.merchant, made.pk, by=thief.admin)


def role_taken_back(thief: Thief) -> None:
    """Somebody unwary approved, and is demoted before anything was sent."""
    made = thief.asked()
    Membership.objects.filter(user=thief.unwary).update(role=Role.FINANCE, role_since=utcnow() - timedelta(days=3))
    browser = browser_of(thief.unwary)
    thief.note("unwary", browser.post(thief.page("approve_withdrawal", made["id"])))
    Membership.objects.filter(user=thief.unwary).update(role=Role.VIEWER, role_since=utcnow())
    for end in ("COMPLETED", "FAILED"):
        thief.note("after the demotion", decide(thief.api, made, end))


ATTEMPTS: tuple[Callable[[Thief], None], ...] = (
    by_key, by_session, asked_in_the_dashboard, with_a_new_key, with_a_key_of_nobody, with_an_accomplice, simulated,
    through_staff, changed_in_a_batch, raced, replayed, after_the_approval, clock, weakened, beneficiaries, split,
    in_bulk, by_schedule, role_taken_back,
)  # fmt: skip


def attempt(thief: Thief, number: int) -> None:
    """One attempt, whatever would follow by itself, and a clean start for the next."""
    thief.number = number
    if number % 100 == 99:
        thief.session = browser_of(thief.admin)  # the factor was shown within five minutes
        ApiKey.objects.filter(created_by=thief.admin).exclude(pk=thief.record.pk).update(revoked_at=utcnow())
    thief.chance.choice(ATTEMPTS)(thief)
    thief.by_itself()
    thief.clean_up()
