"""People are told in time and in their language of disputes, money that leaves and advances, unless they chose not."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from accounts.base.clock import utcnow
from accounts.emails.topics import Topic
from accounts.models import Email, Membership, Merchant, User
from accounts.roles import Role
from gateway.refunds import services as refunds
from gateway.refunds.due import LAPSE, REMIND
from gateway.withdrawals import notices
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.models import Withdrawal
from ledger.receivables import advances
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in
from tests.support.receivables import a_receivable
from tests.support.refunds import later
from tests.support.withdrawals import register, withdrawn


@pytest.fixture(autouse=True)
def told_in_the_sandbox(settings: Any) -> None:
    settings.SANDBOX_NOTICES = True


@pytest.fixture
def team(acme: Shop) -> dict[Role, User]:
    """One person of each role, and nobody else."""
    Membership.objects.filter(company=acme.company).delete()
    return {role: a_member(acme.company, role) for role in Role}


def told(kind: str) -> list[str]:
    """Who was written to, by their role."""
    emails = Email.objects.filter(kind=kind).order_by("recipient")
    return [email.recipient.partition("@")[0] for email in emails]


def text(kind: str, reader: str = "owner") -> str:
    return Email.objects.filter(kind=kind, recipient__startswith=f"{reader}@").latest("id").text


# ── Disputes ──────────────────────────────────────────────────────────────────────────────────────────────────────
def test_whoever_may_answer_is_told_of_a_dispute_a_day_before_its_end_and_at_its_end(acme: Shop, team: Any) -> None:
    User.objects.filter(email="support@acme.example").update(time_zone="America/Sao_Paulo")
    payment = a_payment(acme.sandbox, "PAID")
    refund = refunds.dispute(acme.sandbox, payment.pk, reason_code="NOT_RECEIVED")

    assert told("dispute_opened") == ["finance", "owner", "support"]
    said = text("dispute_opened", "support")
    assert "R$150.00" in said and payment.reference in said and "(America/Sao_Paulo)" in said
    assert f"/sandbox/refunds/{refund.pk}/" in said
    assert told("dispute_due") == []

    later(acme, hours=49)
    REMIND.run_at_clock(acme.sandbox, refund.pk)

    assert told("dispute_due") == ["finance", "owner", "support"]
    assert f"/sandbox/refunds/{refund.pk}/" in text("dispute_due")
    assert told("dispute_lapsed") == []

    later(acme, hours=24)
    LAPSE.run_at_clock(acme.sandbox, refund.pk)

    assert told("dispute_lapsed") == ["finance", "owner", "support"]
    assert "the money goes back to the payer" in text("dispute_lapsed") and payment.reference in text("dispute_lapsed")


def test_an_e_mail_about_a_med_claim_tells_its_deadlines(acme: Shop, team: Any) -> None:
    claim = refunds.claim(acme.sandbox, a_payment(acme.sandbox, "PAID").pk, claim_id="81a15e14", reason_code="SCAM")
    later(acme, hours=49)
    REMIND.run_at_clock(acme.sandbox, claim.pk)
    later(acme, hours=24)
    LAPSE.run_at_clock(acme.sandbox, claim.pk)

    for kind in ("dispute_opened", "dispute_due", "dispute_lapsed"):
        assert told(kind) == ["finance", "owner", "support"]
        assert "PIX MED" in text(kind) and "goes back to the payer" not in text(kind)
        assert f"/sandbox/refunds/{claim.pk}/" in text(kind)


def test_a_bank_that_took_a_payment_back_is_told_with_the_debt(acme: Shop, team: Any) -> None:
    taken = refunds.simulate_clawback(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)

    assert told("taken_back") == ["finance", "owner", "support"]
    assert "no claim that you could have answered" in text("taken_back") and "you owe" in text("taken_back")
    assert f"/sandbox/refunds/{taken.pk}/" in text("taken_back")
    assert told("dispute_opened") == []


def test_a_dispute_that_was_answered_is_no_longer_due(acme: Shop, team: Any) -> None:
    refund = refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)
    refunds.respond(acme.sandbox, refund.pk, "CONTEST", message="Delivered.")

    later(acme, hours=49)
    REMIND.run_at_clock(acme.sandbox, refund.pk)

    assert told("dispute_due") == []


def test_a_dispute_that_is_refused_tells_nobody(acme: Shop, team: Any) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    with pytest.raises(refunds.RefundAmountExceeded), transaction.atomic():
        refunds.dispute(acme.sandbox, payment.pk, amount=10**9)

    assert not Email.objects.exists()


def test_nobody_is_told_of_the_sandbox_unless_the_service_says_so(acme: Shop, team: Any, settings: Any) -> None:
    settings.SANDBOX_NOTICES = False

    refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)

    assert not Email.objects.exists()


# ── Withdrawals ───────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_new_destination_is_told_at_once_and_a_known_one_in_the_summary(out: Api, acme: Shop, team: Any) -> None:
    first = withdrawn(out, acme, amount=5)

    assert told("withdrawal_new_destination") == ["finance", "owner"]
    assert f"/sandbox/withdrawals/{first['id']}/" in text("withdrawal_new_destination")
    withdrawn(out, acme, amount=7)
    withdrawn(out, acme, amount=8)
    assert len(told("withdrawal_new_destination")) == 2
    assert notices.sum_up() == 0, "the day is not over"

    a_day_passes()
    assert (notices.sum_up(), notices.sum_up()) == (1, 0)

    assert told("withdrawals_of_a_day") == ["finance", "owner"]
    said = text("withdrawals_of_a_day")
    assert "made 2 withdrawals" in said and "R$7.00" in said and "R$8.00" in said and "R$5.00" not in said


def a_day_passes() -> None:
    Withdrawal.objects.update(created_at=utcnow() - timedelta(days=2))


def test_a_withdrawal_that_failed_makes_no_destination_known(out: Api, acme: Shop, team: Any) -> None:
    first = withdrawn(out, acme, amount=5)
    withdrawals.simulate(acme.sandbox, first["id"], "FAILED")

    withdrawn(out, acme, amount=5)

    assert told("withdrawal_new_destination") == ["finance", "finance", "owner", "owner"]


def test_another_companys_destination_is_new_here(
    out: Api,
    acme: Shop,
    globex: Shop,
    globex_api: Api,
    address: str,
    team: Any,
) -> None:
    register(globex, address)
    a_payment(globex.sandbox, "PAID", "100.00")
    withdrawn(globex_api, globex, amount=5)
    Email.objects.all().delete()

    withdrawn(out, acme, amount=5)

    assert told("withdrawal_new_destination") == ["finance", "owner"]


@pytest.mark.parametrize("outcome", ["FAILED", "RETURNED"])
def test_a_withdrawal_that_did_not_arrive_is_told(out: Api, acme: Shop, team: Any, outcome: str) -> None:
    made = withdrawn(out, acme, amount=5)
    if outcome == "RETURNED":
        withdrawals.simulate(acme.sandbox, made["id"], "COMPLETED")
        assert told("withdrawal_came_back") == []

    withdrawals.simulate(acme.sandbox, made["id"], outcome)

    assert told("withdrawal_came_back") == ["finance", "owner"]
    assert ("returned a withdrawal" if outcome == "RETURNED" else "failed") in text("withdrawal_came_back")


@pytest.mark.parametrize(("hour", "days_ago"), [(9, 1), (10, 0), (23, 0)])
def test_a_summary_ends_in_the_morning(hour: int, days_ago: int) -> None:
    now = utcnow().replace(hour=hour, minute=30)

    ends: datetime = notices._last_summary_time(now)

    assert ends == (now - timedelta(days=days_ago)).replace(hour=10, minute=0, second=0, microsecond=0)


# ── Advances ──────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("decide", [advances.approve, advances.refuse])
def test_a_decided_advance_is_told(acme: Shop, team: Any, decide: Any) -> None:
    advance = advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], None)

    decide(advance.id, User.objects.create_user("ana@onpay.example", "a long password"))

    assert told("advance_decided") == ["finance", "owner"]
    assert ("approved" if decide is advances.approve else "refused") in text("advance_decided")
    assert f"/receivables/advances/{advance.id}/" in text("advance_decided")


# ── Choices ───────────────────────────────────────────────────────────────────────────────────────────────────────
def test_what_a_person_does_not_want_is_not_sent_and_security_always_is(out: Api, acme: Shop, team: Any) -> None:
    owner = team[Role.OWNER]
    chosen = {"told": [Topic.ADVANCES.value]}
    assert signed_in(owner).post("/dashboard/me", chosen).status_code == 302
    owner.refresh_from_db()
    assert owner.muted == ["DISPUTES", "WITHDRAWALS", "RETURNED", "ENDPOINTS"]

    refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)
    withdrawn(out, acme, amount=5)

    assert told("dispute_opened") == ["finance", "support"]
    assert told("withdrawal_new_destination") == ["finance", "owner"]


def test_the_page_shows_what_was_chosen(acme: Shop, team: Any) -> None:
    owner: Client = signed_in(team[Role.OWNER])
    owner.post("/dashboard/me", {"told": ["DISPUTES"]})

    form = owner.get("/dashboard/me").context["form"]

    assert form["told"].value() == ["DISPUTES"]


def test_who_chose_no_language_is_written_to_in_that_of_the_pages(acme: Shop, team: Any) -> None:
    browser = signed_in(team[Role.OWNER])
    browser.get("/dashboard/me", headers={"accept-language": "pt-BR,pt;q=0.9"})

    team[Role.OWNER].refresh_from_db()
    assert (team[Role.OWNER].language, team[Role.OWNER].seen_language) == ("", "pt-br")


def test_production_is_told_always(acme: Shop, settings: Any) -> None:
    settings.SANDBOX_NOTICES = False

    assert [notices.is_notified(merchant) for merchant in (acme.production, acme.sandbox)] == [True, False]
    assert isinstance(acme.production, Merchant)
