"""Cards with real money: entered in the fields of an acquirer, priced by what the card is, captured or voided."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import Q
from django.urls import reverse
from structlog.testing import capture_logs

from gateway.methods.models import MethodRule
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import believed, due
from gateway.payments.calls import Answer
from gateway.payments.models import Payment
from gateway.providers.errors import Unclear
from gateway.providers.models import ProviderAccount
from ledger.models import Balance
from tests.support.cards import Session, opened, order, outcome
from tests.support.companies import Shop
from tests.support.people import a_member, signed_in
from tests.support.production import api_of, live, move, pass_time
from tests.support.providers import active, routed
from tests.support.scripted_provider import CARDS, Script, rewritten
from tests.support.threads import at_once
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

R = PaymentResult
READY = PaymentOutcome(R.SESSION, {"session": {"integrationMode": "SECURE_FIELDS"}, "intent": "pi_1"})
DECLINED = PaymentOutcome(
    R.DECLINED, {"card": {"brand": "visa", "last4": "0002"}}, failure=("INSUFFICIENT_FUNDS", "Not enough funds.")
)
WAITING, DONE, SILENT = PaymentOutcome(R.WAITING), PaymentOutcome(R.DONE), Unclear("read timeout")
VOIDED = PaymentOutcome(R.DONE)


def authorized(funding: str = "credit") -> PaymentOutcome:
    card = {"brand": "visa", "last4": "4242", "funding": funding}
    return PaymentOutcome(R.AUTHORIZED, {"card": card}, reference="ch_1")


@pytest.fixture
def script(db: None, acme: Shop) -> Script:
    """The company takes both kinds of cards at one acquirer."""
    account = live(acme, "acquirer", method="CREDIT_CARD")[0]
    MethodRule.objects.filter(environment="PRODUCTION", method="DEBIT_CARD", currency="BRL").update(enabled=True)
    routed(account, method="DEBIT_CARD")
    script = rewritten()
    script.answers = {"instruct": [READY], "ask": [WAITING], "capture": [DONE], "cancel": [VOIDED]}
    return script


@pytest.fixture
def session(acme: Shop, script: Script) -> Session:
    return opened(api_of(acme))


def stored() -> Payment:
    return Payment.objects.get()


def confirm(session: Session, **given: Any) -> Any:
    return session.call("confirm", given)


def asked(script: Script) -> list[str]:
    return [what for _, what, _ in script.calls if what not in ("check", "instruct")]


def kinds() -> list[str]:
    found = Event.objects.order_by("created_at", "pk").values_list("type", flat=True)
    return [kind.removeprefix("payment.") for kind in found]


def money() -> int:
    wallets = Q(account__kind="AVAILABLE") | Q(account__kind="RELEASING")
    return sum(Balance.objects.filter(wallets).values_list("amount", flat=True))


def failed(session: Session) -> tuple[str, str | None, int]:
    return stored().status, stored().failure_code, money()


def test_the_session_says_what_the_acquirers_fields_need(session: Session) -> None:
    answer = session.call("session").json()

    assert answer["fields"] == {"acquirer": "scripted", "publicKey": "acquirer", "secret": "pi_1"}
    assert session.secret.startswith(f"{session.id}_live_secret_")


def test_no_number_is_taken_and_no_field_of_ours_is_served(session: Session) -> None:
    assert session.type().status_code == 404
    assert session.call(f"fields/{session.id}/cardNumber").status_code == 404
    assert confirm(session, cardToken="cat_x").status_code == 400
    assert confirm(session, acquirer="text").status_code == 400
    assert session.call("confirm", {"acquirer": {"data": "x" * 65536}}).status_code == 413
    assert (stored().status, money()) == ("ACTION_REQUIRED", 0)


def test_a_confirmed_card_is_authorized_and_captured_at_once(session: Session, script: Script) -> None:
    script.answers["confirm"] = [authorized()]

    assert outcome(confirm(session, acquirer={"data": "sealed"})) == (200, "PAID")

    assert script.given == [{"data": "sealed"}]
    assert asked(script) == ["confirm", "capture"]
    assert kinds() == ["action_required", "authorized", "paid"]
    payment = stored()
    assert (payment.rail_reference, money()) == ("ch_1", payment.net)
    assert "sealed" not in str(payment.details)
    assert outcome(confirm(session)) == (200, "PAID"), "a repetition charges nothing"
    assert asked(script) == ["confirm", "capture"]


def test_a_challenge_goes_to_the_browser_and_is_stored_nowhere(session: Session, script: Script) -> None:
    challenge = PaymentOutcome(R.CHALLENGE, {"action": {"type": "threeDS2", "token": "only for the browser"}})
    script.answers["confirm"] = [challenge, authorized()]

    asked_of_browser = confirm(session, acquirer={"card": "sealed"})

    assert asked_of_browser.json() == {"action": {"type": "threeDS2", "token": "only for the browser"}}
    assert "only for the browser" not in str(stored().details)
    assert stored().ask_at, "else it would expire without being withdrawn"
    assert outcome(confirm(session, acquirer={"details": "y"})) == (200, "PAID")


def test_a_debit_card_is_priced_as_one_before_it_is_captured(session: Session, script: Script) -> None:
    script.answers["confirm"] = [authorized("debit")]

    assert outcome(confirm(session)) == (200, "PAID")

    payment = stored()
    assert (payment.method, payment.settlement_days, payment.fee) == ("DEBIT_CARD", 1, 398)
    assert money() == payment.net


@pytest.mark.parametrize(
    ("funding", "reason"), [("debit", "CARD_METHOD_NOT_ALLOWED"), ("unknown", "UNKNOWN_CARD_TYPE")]
)
def test_what_cannot_be_priced_is_voided_and_only_then_fails(
    session: Session, script: Script, funding: str, reason: str
) -> None:
    MethodRule.objects.filter(method="DEBIT_CARD").update(enabled=False)
    script.answers |= {"confirm": [authorized(funding)], "cancel": [SILENT, SILENT, VOIDED]}

    assert outcome(confirm(session)) == (200, "PENDING")

    assert pass_time(session.id, minutes=1).status == "PENDING", "it may still be authorized there"
    assert pass_time(session.id, minutes=2).status == "FAILED"
    assert failed(session) == ("FAILED", reason, 0)
    assert asked(script) == ["confirm", "cancel", "cancel", "cancel"]
    assert kinds() == ["action_required", "failed"]


def test_a_refusal_of_the_issuer_closes_the_fields_and_is_final(session: Session, script: Script) -> None:
    script.answers["confirm"] = [DECLINED, authorized()]

    assert outcome(confirm(session)) == (200, "INSUFFICIENT_FUNDS")
    assert outcome(confirm(session)) == (200, "INSUFFICIENT_FUNDS")

    assert failed(session) == ("FAILED", "INSUFFICIENT_FUNDS", 0)
    assert asked(script) == ["confirm", "cancel"]


def test_without_an_answer_it_is_pending_until_the_acquirer_says(session: Session, script: Script) -> None:
    script.answers |= {"confirm": [SILENT], "ask": [SILENT, authorized()]}

    assert outcome(confirm(session)) == (200, "PENDING")

    payment = stored()
    assert (kinds(), payment.unclear_since is None) == (["action_required", "updated"], False)
    assert pass_time(session.id, minutes=1).status == "PENDING"
    assert pass_time(session.id, minutes=2).status == "PAID"
    assert asked(script) == ["confirm", "ask", "ask", "capture"]


def test_a_confirmation_that_never_arrived_can_be_repeated(session: Session, script: Script) -> None:
    script.answers |= {"confirm": [SILENT, authorized()], "ask": [WAITING]}
    assert outcome(confirm(session)) == (200, "PENDING")

    assert pass_time(session.id, minutes=1).status == "ACTION_REQUIRED"

    assert outcome(confirm(session)) == (200, "PAID")
    assert kinds() == ["action_required", "updated", "action_required", "authorized", "paid"]


def test_an_open_session_is_asked_about_seldom(session: Session, script: Script) -> None:
    for _ in range(31):
        ended = pass_time(session.id, minutes=1)

    assert (ended.status, asked(script)[-1]) == ("EXPIRED", "cancel")
    assert asked(script).count("ask") <= 2


def test_a_browser_that_never_came_back_is_no_lost_sale(session: Session, script: Script) -> None:
    script.answers["ask"] = [authorized()]

    assert pass_time(session.id, minutes=10).status == "PAID"
    assert asked(script) == ["ask", "capture"]


def test_nobody_confirmed_in_time_so_the_fields_are_closed_before_it_expires(session: Session, script: Script) -> None:
    script.answers["cancel"] = [SILENT, VOIDED]

    assert pass_time(session.id, minutes=31).status == "ACTION_REQUIRED"
    assert confirm(session).status_code == 409
    assert pass_time(session.id, minutes=1).status == "EXPIRED"
    assert (asked(script), money()) == (["cancel", "cancel"], 0)


def test_a_message_that_is_faster_than_the_browser_is_no_contradiction(session: Session, script: Script) -> None:
    def hears_first(user: str, what: str, our_id: str) -> PaymentOutcome:
        if what == "confirm":
            believed.believe(
                stored().merchant, our_id, str(stored().account_id), Answer(PaymentAction.PAY, authorized())
            )
        return authorized() if what == "confirm" else DONE

    vars(script)["answer"] = hears_first
    try:
        assert outcome(confirm(session)) == (200, "PAID")
    finally:
        del vars(script)["answer"]
    assert kinds() == ["action_required", "authorized", "paid"]


def test_an_old_refusal_does_not_fail_what_another_card_has_paid_meanwhile(session: Session, script: Script) -> None:
    def is_overtaken(user: str, what: str, our_id: str) -> PaymentOutcome:
        if what == "confirm":
            believed.believe(
                stored().merchant, our_id, str(stored().account_id), Answer(PaymentAction.PAY, authorized())
            )
        return DECLINED if what == "confirm" else DONE

    vars(script)["answer"] = is_overtaken
    try:
        with capture_logs() as logs:
            assert outcome(confirm(session)) == (200, "AUTHORIZED")
            assert pass_time(session.id, seconds=1).status == "PAID"
    finally:
        del vars(script)["answer"]
    assert [line for line in logs if line["log_level"] == "critical"] == []


def test_out_of_time_while_the_next_acquirer_is_asked_it_is_not_taken_for_paid(acme: Shop, script: Script) -> None:
    first = ProviderAccount.objects.get()
    routed(first, active("second"), method="CREDIT_CARD")

    def runs_out(user: str, what: str, our_id: str) -> PaymentOutcome:
        if (user, what) == ("acquirer", "instruct"):
            move(our_id, days=1)
            return PaymentOutcome(R.REFUSED)
        return VOIDED

    vars(script)["answer"] = runs_out
    try:
        assert api_of(acme).post("/payments", order()).status_code == 503
        due.run_due()
    finally:
        del vars(script)["answer"]
    assert (stored().status, money()) == ("EXPIRED", 0)


def test_two_tabs_at_once_charge_once(session: Session, script: Script) -> None:
    script.answers["confirm"] = [authorized()]

    at_once(lambda: confirm(session), lambda: confirm(session))

    assert (asked(script), stored().status) == (["confirm", "capture"], "PAID")


def test_a_suspended_company_takes_no_card(session: Session, script: Script, acme: Shop) -> None:
    acme.company.status = "SUSPENDED"
    acme.company.save()
    script.answers["confirm"] = [authorized()]

    assert outcome(confirm(session)) == (200, "ACQUIRER_REFUSED")
    assert (asked(script), money()) == (["confirm", "cancel"], 0)


def test_what_somebody_captured_elsewhere_is_paid_at_the_price_of_the_card(session: Session, script: Script) -> None:
    done = PaymentOutcome(R.DONE, authorized("debit").details, reference="ch_1", amount=Decimal(200), currency="BRL")
    script.answers["ask"] = [done]

    assert pass_time(session.id, minutes=10).status == "PAID"
    assert (stored().method, money()) == ("DEBIT_CARD", stored().net)


def test_another_amount_is_neither_priced_nor_captured_and_is_voided_in_the_end(
    session: Session, script: Script
) -> None:
    other = replace(authorized("debit"), amount=Decimal(199), currency="BRL")
    script.answers |= {"confirm": [other], "ask": [other]}

    assert outcome(confirm(session)) == (200, "ACTION_REQUIRED")
    assert (stored().method, stored().unclear_since is None) == ("CREDIT_CARD", False)

    assert pass_time(session.id, minutes=31).status == "EXPIRED"
    assert (asked(script), money()) == (["confirm", "cancel"], 0)


def test_people_see_the_card_and_no_secret(session: Session, script: Script, acme: Shop) -> None:
    script.answers["confirm"] = [authorized("debit")]
    company, address = signed_in(a_member(acme.company)), (acme.company.pk, "production", session.id)
    open_page = company.get(reverse("dashboard:payment", args=address)).content.decode()
    assert outcome(confirm(session)) == (200, "PAID")

    page = company.get(reverse("dashboard:payment", args=address)).content.decode()
    receipt = api_of(acme).get(f"/payments/{session.id}/receipt").json()["data"]

    assert "4242" in page
    assert receipt["card"] == {"brand": "visa", "last4": "4242"}
    assert session.secret not in open_page + page


def test_both_kinds_are_offered(acme: Shop, script: Script) -> None:
    assert opened(api_of(acme), "DEBIT_CARD").payment["method"] == CARDS[1][0]
