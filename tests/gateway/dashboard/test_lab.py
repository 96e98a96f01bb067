"""The sandbox lab: time passes when it is told to, and every scenario can be played."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from accounts.base.clock import now, utcnow
from accounts.base.wire import timestamp
from accounts.models import AuditEntry, Merchant
from accounts.roles import Role
from gateway import sweeps
from gateway.conversions.scenarios import SCENARIOS as CONVERSIONS
from gateway.dashboard.events.words import KIND
from gateway.dashboard.lab import plays
from gateway.dashboard.lab.words import DUE
from gateway.methods.scenarios import SCENARIOS as PAYMENTS
from gateway.models import Conversion, Withdrawal
from gateway.payments.models import Payment
from gateway.payouts.scenarios import SCENARIOS as PAYOUTS
from gateway.refunds.models import Refund
from gateway.simulations import services as simulations
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in
from webhooks.kinds import KINDS

PIX = ("PIX", "BRL")


def lab_of(shop: Shop, environment: str = "sandbox") -> str:
    return f"/dashboard/{shop.company.pk}/{environment}/lab/"


def once(browser: Client, shop: Shop) -> dict[str, Any]:
    return {"once": form_in(browser.get(lab_of(shop)).content)["once"]}


def again(merchant: Merchant) -> Merchant:
    return Merchant.objects.get(pk=merchant.pk)


# ── The clock ─────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("step", "seconds"), [("minute", 60), ("hour", 3600), ("day", 86_400), ("month", 30 * 86_400)])
def test_the_clock_moves_by_a_step(support: Client, acme: Shop, step: str, seconds: int) -> None:
    form = once(support, acme) | {"by": step}

    for _ in range(2):
        assert support.post(f"{lab_of(acme)}clock", form).status_code == 302

    assert again(acme.sandbox).clock_offset == timedelta(seconds=seconds)
    assert AuditEntry.objects.filter(action="clock.advanced").count() == 1


def test_the_clock_jumps_to_what_comes_next(support: Client, acme: Shop) -> None:
    payment = a_payment(acme.sandbox)
    [coming] = simulations.coming(acme.sandbox)
    assert (coming.kind, coming.id, coming.at) == ("payment.expired", payment.id, payment.expires_at)

    support.post(f"{lab_of(acme)}clock", once(support, acme) | {"to": coming.at.isoformat()})

    payment.refresh_from_db()
    assert payment.status == "EXPIRED"
    page = support.get(lab_of(acme)).content.decode()
    assert payment.id in page.split('id="moves"')[1].split("</section>")[0]
    assert "Nothing is scheduled" in page
    entry = AuditEntry.objects.get(action="clock.advanced")
    assert entry.after["happened"] == 1
    assert entry.after["first"] == [{"type": "payment.expired", "id": payment.id, "at": timestamp(coming.at)}]


def test_what_comes_next_is_shown_soonest_first(support: Client, acme: Shop) -> None:
    for merchant in (acme.sandbox, acme.sandbox):
        a_payment(merchant)
    plays.find("dispute").play(acme.sandbox, PIX)  # type: ignore[union-attr]

    kinds = [one.kind for one in simulations.coming(acme.sandbox)]

    assert kinds == sorted(kinds, key=["payment.expired", "refund.reminded", "refund.lapsed"].index)
    page = support.get(lab_of(acme)).content.decode()
    assert page.count("Move to<span") == 3


@pytest.mark.parametrize(
    "wish", [{}, {"by": "year"}, {"by": "day", "to": "2027-01-01T00:00"}, {"to": "x"}, {"to": "2026-01-01T00:00"}]
)
def test_the_clock_moves_nowhere_for_an_odd_wish(support: Client, acme: Shop, wish: dict[str, str]) -> None:
    answer = support.post(f"{lab_of(acme)}clock", once(support, acme) | wish)

    assert answer.status_code == 200
    assert "invalid-feedback" in answer.content.decode() or "alert-danger" in answer.content.decode()
    assert again(acme.sandbox).clock_offset == timedelta(0)
    assert not AuditEntry.objects.exists()


def test_a_clock_that_is_ahead_says_how_far(support: Client, acme: Shop) -> None:
    simulations.advance(acme.sandbox, by=timedelta(days=12, hours=3))

    assert "1\xa0week, 5\xa0days ahead of real time" in support.get(lab_of(acme)).content.decode()
    assert now(acme.sandbox) - utcnow() > timedelta(days=12)


# ── Playing ───────────────────────────────────────────────────────────────────────────────────────────────────────
def test_every_scenario_of_the_tables_can_be_played() -> None:
    tails = [play.tail for group in plays.groups() for play in group.plays if play.tail]

    assert tails == [
        *(one.tail for one in PAYMENTS), 921, 922, *(one.tail for one in PAYOUTS), *(one.tail for one in CONVERSIONS),
    ]  # fmt: skip
    names = [play.name for group in plays.groups() for play in group.plays]
    assert len(set(names)) == len(names)
    assert all(play.ways for group in plays.groups() for play in group.plays)


EVERY = [(play.name, play.ways[-1]) for group in plays.groups() for play in group.plays]


@pytest.mark.parametrize(("name", "way"), EVERY)
def test_a_play_brings_about_what_it_says(support: Client, acme: Shop, name: str, way: plays.PlayedMethod) -> None:
    play = plays.find(name)
    assert play
    if name.startswith(("withdrawal", "conversion")):
        rich(acme.sandbox)
    form = once(support, acme) | {"play": name, "way": "-".join(way)}
    before = counts()

    answer, again = [support.post(f"{lab_of(acme)}plays", form) for _ in range(2)]
    assert (answer.status_code, again["Location"]) == (302, lab_of(acme))
    told = support.get(lab_of(acme)).content.decode()

    made = [count - known for count, known in zip(counts(), before, strict=True)]
    assert sum(made) <= 2, "played once"
    for code in ("REJECTED", "INVALID_RESPONSE", "TEMPORARILY_UNAVAILABLE", "TERMS_CHANGED", "QUOTE_EXPIRED"):
        if f"{code}`" in str(play.effect) and "`ONP" in str(play.effect):
            assert f"{code}:" in told
    entry = AuditEntry.objects.get(action="scenario.played")
    assert entry.after == {"scenario": name, "way": "-".join(way)}
    if entry.object_id:
        assert entry.object_id in answer["Location"] or answer["Location"].endswith("/lab/")


def rich(merchant: Merchant) -> None:
    """Play money in every wallet that a withdrawal leaves."""
    for way in (PIX, ("SPEI", "MXN"), ("BANK_TRANSFER", "ARS"), ("BANK_TRANSFER", "COP")):
        for _ in range(2):
            plays.find("payment-paid").play(merchant, way)  # type: ignore[union-attr]


def counts() -> list[int]:
    return [model.objects.count() for model in (Payment, Refund, Withdrawal, Conversion)]


def test_a_withdrawal_without_money_says_so_and_moves_nothing(support: Client, acme: Shop) -> None:
    form = once(support, acme) | {"play": "withdrawal-901", "way": "PIX-BRL"}

    told = support.post(f"{lab_of(acme)}plays", form, follow=True).content.decode()

    assert "ONP422_INSUFFICIENT_BALANCE" in told
    assert not Withdrawal.objects.exists()


@pytest.mark.parametrize("wrong", [{"play": "payment-1"}, {"way": "PIX-USD"}, {"once": "x"}, {"play": ""}])
def test_what_cannot_be_played_is_not_there(support: Client, acme: Shop, wrong: dict[str, str]) -> None:
    form = once(support, acme) | {"play": "payment-paid", "way": "PIX-BRL"} | wrong

    assert support.post(f"{lab_of(acme)}plays", form).status_code == 404
    assert not Payment.objects.exists()


def test_the_amount_is_the_smallest_that_is_taken() -> None:
    assert [plays._magic(911, Decimal(least)) for least in ("1.00", "911", "912", "5000")] == [911, 911, 1911, 5911]


# ── Who may ───────────────────────────────────────────────────────────────────────────────────────────────────────
def test_there_is_no_lab_in_production_nor_of_somebody_else(acme: Shop, globex: Shop) -> None:
    owner = signed_in(a_member(acme.company, Role.OWNER))

    for address in (lab_of(acme, "production"), lab_of(globex)):
        assert owner.get(address).status_code == 404
        for act in ("clock", "plays"):
            assert owner.post(f"{address}{act}", {"by": "day"}).status_code == 404
    assert again(globex.sandbox).clock_offset == timedelta(0)


def test_a_viewer_moves_no_clock(acme: Shop) -> None:
    viewer = signed_in(a_member(acme.company, Role.VIEWER))

    assert viewer.get(lab_of(acme)).status_code == 403
    for act in ("clock", "plays"):
        assert viewer.post(f"{lab_of(acme)}{act}", {"by": "day"}).status_code == 403
    assert again(acme.sandbox).clock_offset == timedelta(0)


def test_whatever_can_happen_has_words() -> None:
    assert {due.kind for due in sweeps.OF_MERCHANTS} | {"webhook.retried"} == set(DUE)
    assert {kind: str(sentence) for kind, sentence in KIND.items()} == KINDS


def test_scenarios_and_cards_are_found_by_words_numbers_and_methods(support: Client, acme: Shop) -> None:
    def plays_found(wanted: str) -> set[str]:
        page = support.get(lab_of(acme), {"find": wanted}).content.decode()
        return {one for one in re.findall(r'name="play" value="([^"]+)"', page)}

    every = {play.name for group in plays.groups() for play in group.plays}
    assert plays_found("") == every
    declined = plays_found("911 pix")
    assert declined and declined < every
    assert plays_found("SPEI conversões") == set()
    assert "Nothing was found" in support.get(lab_of(acme), {"find": "<b>unheard of"}).content.decode()
    card = support.get(lab_of(acme), {"find": "4000"}).content.decode()
    assert 'id="cards"' in card
