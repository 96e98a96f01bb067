"""A card session moves to the next acquirer once, and only where nothing can be charged at the first one any more."""

from decimal import Decimal
from typing import Any

import pytest
from structlog.testing import capture_logs

from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import callbacks, questions
from gateway.payments.calls import Answer, look
from gateway.payments.models import Payment
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.models import ProviderAccount
from gateway.providers.provider import Notice
from gateway.suspense.models import SuspenseItem
from tests.support.cards import Session, lookup, opened, outcome
from tests.support.companies import Shop
from tests.support.production import api_of, live, pass_time
from tests.support.scripted_provider import Script, rewritten
from tests.support.threads import at_once
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

R = PaymentResult
FIRST = PaymentOutcome(R.SESSION, {"session": {"integrationMode": "SECURE_FIELDS"}, "intent": "pi_first"})
SECOND = PaymentOutcome(R.SESSION, {"session": {"integrationMode": "SECURE_FIELDS"}, "intent": "pi_second"})
REFUSED = PaymentOutcome(R.REFUSED, failure=("ACQUIRER_REFUSED", "The acquirer did not process the payment."))
DECLINED = PaymentOutcome(R.DECLINED, failure=("INSUFFICIENT_FUNDS", "No funds."))
DONE, SILENT = PaymentOutcome(R.DONE), Unclear("read timeout")
CARD = {"card": {"brand": "visa", "last4": "4242", "funding": "credit"}}
AUTHORIZED = PaymentOutcome(R.AUTHORIZED, CARD, reference="ch_second")
LATE = PaymentOutcome(R.AUTHORIZED, CARD, reference="ch_first")


@pytest.fixture
def script(db: None, acme: Shop) -> Script:
    """Two acquirers; the first one refuses what is confirmed there."""
    live(acme, "first", "second", method="CREDIT_CARD")
    script = rewritten()
    script.answers = {
        "first instruct": [FIRST], "first confirm": [REFUSED], "first ask": [PaymentOutcome(R.WAITING)],
        "second instruct": [SECOND], "second confirm": [AUTHORIZED], "second ask": [PaymentOutcome(R.WAITING)],
        "cancel": [DONE], "capture": [DONE],
    }  # fmt: skip
    return script


@pytest.fixture
def session(acme: Shop, script: Script) -> Session:
    return opened(api_of(acme))


def confirm(session: Session, **given: Any) -> Any:
    return session.call("confirm", given)


def without_fields(session: Session) -> Any:
    return confirm(session, fieldsUnavailable=True)


def moved(session: Session, answer: Any) -> Session:
    """The session of the second acquirer, as the browser learns it."""
    assert (answer.status_code, list(answer.json())) == (200, ["session"]), answer.content
    secret = answer.json()["session"]["clientSecret"]
    assert secret != session.secret
    payment = {**session.payment, "nextAction": {**session.payment["nextAction"], "clientSecret": secret}}
    return Session(payment)


def stored() -> Payment:
    return Payment.objects.select_related("merchant__company", "account").get()


def asked(script: Script) -> list[str]:
    return [f"{user} {what}" for user, what, _ in script.calls if what != "check"]


def kinds() -> list[str]:
    found = Event.objects.order_by("created_at", "pk").values_list("type", flat=True)
    return [kind.removeprefix("payment.") for kind in found]


def account(name: str) -> ProviderAccount:
    return ProviderAccount.objects.get(title=name)


OVER = ["first instruct", "first confirm", "first cancel", "second instruct"]


def test_what_the_acquirer_refuses_is_offered_by_the_next_one_at_the_same_price_and_time(
    acme: Shop, session: Session, script: Script
) -> None:
    before = stored()

    again = moved(session, confirm(session, acquirer={"card": "sealed"}))

    found = lookup(api_of(acme), session)
    assert asked(script) == OVER
    assert (found["status"], found["nextAction"]["clientSecret"]) == ("ACTION_REQUIRED", again.secret)
    assert found["nextAction"]["expiresAt"] == session.payment["nextAction"]["expiresAt"]
    assert again.call("session").json()["fields"]["secret"] == "pi_second"
    assert kinds() == ["action_required", "action_required"]
    assert again.secret not in str([bytes(event.body) for event in Event.objects.all()])
    assert outcome(confirm(again)) == (200, "PAID")
    payment = stored()
    assert (payment.fee, payment.method, payment.rail_reference) == (before.fee, before.method, "ch_second")
    assert asked(script) == [*OVER, "second confirm", "second capture"]
    assert kinds() == ["action_required", "action_required", "authorized", "paid"]


def test_the_former_secret_names_the_new_session_and_charges_nothing(session: Session, script: Script) -> None:
    again = moved(session, confirm(session))

    assert moved(session, confirm(session, acquirer={"card": "sealed for the first"})).secret == again.secret
    assert moved(session, without_fields(session)).secret == again.secret
    fields = session.call("session").json()["fields"]

    assert (fields["secret"], fields["clientSecret"]) == ("pi_second", again.secret)
    assert "clientSecret" not in again.call("session").json()["fields"]
    assert asked(script) == OVER
    assert outcome(confirm(again)) == (200, "PAID")
    assert outcome(confirm(session)) == (200, "PAID"), "and how it ended"


def test_the_second_acquirers_refusal_is_final(session: Session, script: Script) -> None:
    script.answers["second confirm"] = [REFUSED]

    again = moved(session, confirm(session))

    assert outcome(confirm(again)) == (200, "ACQUIRER_REFUSED")
    assert (stored().status, asked(script)) == ("FAILED", [*OVER, "second confirm", "second cancel"])


@pytest.mark.parametrize("answered", [R.DECLINED, R.AUTHORIZED])
def test_what_the_issuer_or_the_price_refuses_is_final(session: Session, script: Script, answered: R) -> None:
    details = {"card": {**CARD["card"], "funding": "unknown"}}
    failure = ("INSUFFICIENT_FUNDS", "No funds.") if answered == R.DECLINED else None
    script.answers["first confirm"] = [PaymentOutcome(answered, details, failure=failure)]

    assert confirm(session).json()["payment"]["status"] == "FAILED"

    assert asked(script) == ["first instruct", "first confirm", "first cancel"]


def test_a_suspended_company_is_offered_nowhere_else(acme: Shop, session: Session, script: Script) -> None:
    acme.company.status = "SUSPENDED"
    acme.company.save()

    assert outcome(confirm(session)) == (200, "ACQUIRER_REFUSED")

    assert "second instruct" not in asked(script)


def test_an_unclear_void_keeps_it_where_it_is(session: Session, script: Script) -> None:
    script.answers["cancel"] = [SILENT, SILENT, DONE]

    assert confirm(session).json() == {"payment": {"id": session.id, "status": "PENDING"}, "isMoving": True}
    assert pass_time(session.id, minutes=1).status == "PENDING"
    assert "second instruct" not in asked(script)

    assert pass_time(session.id, minutes=2).status == "ACTION_REQUIRED"
    assert asked(script)[-2:] == ["first cancel", "second instruct"]
    assert outcome(confirm(moved(session, confirm(session)))) == (200, "PAID")


def test_an_unclear_confirmation_is_tried_nowhere_else(session: Session, script: Script) -> None:
    script.answers["first confirm"] = [NotSent("no connection")]

    assert confirm(session).json() == {"payment": {"id": session.id, "status": "PENDING"}}

    assert pass_time(session.id, minutes=31).status == "EXPIRED"
    assert "second instruct" not in asked(script)


def test_out_of_time_it_fails_where_it_is(session: Session, script: Script) -> None:
    script.answers["cancel"] = [SILENT, DONE]
    assert outcome(confirm(session)) == (200, "PENDING")

    assert pass_time(session.id, minutes=31).status == "FAILED"

    assert "second instruct" not in asked(script)


@pytest.mark.parametrize("sent", [True, False])
def test_what_could_not_be_sent_goes_to_the_next_one(session: Session, script: Script, sent: bool) -> None:
    answered = R.WAITING if sent else R.NOT_RECEIVED
    script.answers["first confirm"] = [PaymentOutcome(answered)]

    answer = confirm(session)

    assert ("session" in answer.json(), "second instruct" in asked(script)) == (not sent, not sent)


def test_fields_that_cannot_be_mounted_are_closed_before_others_are_offered(session: Session, script: Script) -> None:
    again = moved(session, without_fields(session))

    closed = ["first instruct", "first ask", "first cancel", "second instruct"]
    assert asked(script) == closed
    assert without_fields(again).json() == {"payment": {"id": session.id, "status": "ACTION_REQUIRED"}}
    assert asked(script) == closed, "once"
    assert outcome(confirm(again)) == (200, "PAID")


def test_nobody_closes_fields_in_which_somebody_has_confirmed(session: Session, script: Script) -> None:
    script.answers["first confirm"] = [PaymentOutcome(R.CHALLENGE, {"action": {"type": "threeDS2"}})]
    assert "action" in confirm(session).json()

    assert outcome(without_fields(session)) == (200, "ACTION_REQUIRED")

    assert (stored().account, "first cancel" in asked(script)) == (account("first"), False)


def test_with_one_acquirer_the_fields_stay_open(acme: Shop, script: Script) -> None:
    live(acme, "only", method="CREDIT_CARD")
    script.answers["only instruct"] = [FIRST]
    session = opened(api_of(acme))

    assert outcome(without_fields(session)) == (200, "ACTION_REQUIRED")
    assert confirm(session, fieldsUnavailable="yes").status_code == 400

    assert asked(script) == ["only instruct"]


@pytest.mark.parametrize(
    ("said", "then"),
    [(LATE, "PAID"), (DECLINED, "FAILED"), (SILENT, "ACTION_REQUIRED")],
    ids=["PAID", "FAILED", "OPEN"],
)
def test_fields_in_which_somebody_may_have_confirmed_are_offered_nowhere_else(
    session: Session, script: Script, said: Any, then: str
) -> None:
    script.answers["first ask"] = [said]

    assert without_fields(session).json()["payment"]["status"] == then

    assert stored().status == then
    assert "second instruct" not in asked(script)


def test_the_next_acquirer_refuses_too(session: Session, script: Script) -> None:
    script.answers["second instruct"] = [REFUSED]

    assert outcome(confirm(session)) == (200, "ACQUIRER_REFUSED")

    assert (stored().status, asked(script)) == ("FAILED", OVER)


def test_the_next_acquirer_cannot_be_reached_and_the_first_is_not_asked_again(session: Session, script: Script) -> None:
    script.answers["second instruct"] = [NotSent("no connection"), SECOND]

    assert confirm(session).json()["isMoving"]
    assert confirm(session).json() == {"payment": {"id": session.id, "status": "PENDING"}, "isMoving": True}

    assert pass_time(session.id, minutes=2).status == "ACTION_REQUIRED"
    assert asked(script) == [*OVER, "second instruct"]


def test_two_tabs_at_once_move_it_once(session: Session, script: Script) -> None:
    at_once(lambda: confirm(session), lambda: without_fields(session), lambda: confirm(session))

    assert (stored().status, stored().account) == ("ACTION_REQUIRED", account("second"))
    assert [what for what in asked(script) if what in ("second confirm", "second cancel")] == []
    assert asked(script).count("second instruct") == 1


def late_answer(script: Script, session: Session, said: PaymentOutcome) -> None:
    """A process that had asked the first acquirer before the payment moved hands in what it heard there."""
    question = look(stored())
    moved(session, confirm(session))
    script.calls.clear()
    with capture_logs() as logs:
        questions.take_and_go_on(stored().merchant, question, Answer(PaymentAction.PAY, said))
    assert "payment.told_elsewhere" in [line["event"] for line in logs if line["log_level"] == "critical"]


def test_a_late_authorization_at_the_first_acquirer_is_voided_there(session: Session, script: Script) -> None:
    late_answer(script, session, LATE)

    assert asked(script) == ["first cancel"]
    assert (stored().status, stored().rail_reference) == ("ACTION_REQUIRED", None)


def test_a_late_charge_at_the_first_acquirer_is_held_and_pays_nothing(session: Session, script: Script) -> None:
    late_answer(script, session, PaymentOutcome(R.DONE, CARD, None, "ch_first", Decimal(200), "BRL"))

    held = SuspenseItem.objects.get()
    assert (held.account, held.reference, held.amount) == (account("first"), "ch_first", 20_000)
    assert stored().status == "ACTION_REQUIRED"


@pytest.mark.parametrize("said", [LATE, PaymentOutcome(R.DECLINED, failure=("X", "Canceled."))])
def test_a_message_of_the_first_acquirer_changes_nothing_at_the_second(
    session: Session, script: Script, said: PaymentOutcome
) -> None:
    again = moved(session, confirm(session))
    script.answers["first ask"] = [said, DECLINED]
    script.calls.clear()

    assert callbacks.hear(Notice(session.id, PaymentAction.PAY), account("first"))

    assert asked(script) == ["first ask", *(["first cancel", "first ask"] if said is LATE else [])]
    assert stored().status == "ACTION_REQUIRED"
    assert outcome(confirm(again)) == (200, "PAID")


@pytest.mark.parametrize("about", [PaymentAction.CANCEL, PaymentAction.EXPIRE, PaymentAction.PAY])
def test_a_believed_message_of_the_first_acquirer_changes_nothing_at_the_second(
    session: Session, script: Script, about: PaymentAction
) -> None:
    moved(session, confirm(session))
    script.calls.clear()
    told = LATE if about == PaymentAction.PAY else DONE

    callbacks.hear(Notice(session.id, about, outcome=told), account("first"))

    assert asked(script) == (["first cancel"] if about == PaymentAction.PAY else [])
    assert (stored().status, stored().account) == ("ACTION_REQUIRED", account("second"))


@pytest.mark.parametrize("said", [Unclear("read timeout"), PaymentOutcome(R.REFUSED)])
def test_what_is_not_released_is_canceled_again_and_not_without_end(
    session: Session, script: Script, said: PaymentOutcome | Unclear
) -> None:
    again = moved(session, confirm(session))
    script.answers |= {"first ask": [LATE], "first cancel": [said]}
    script.calls.clear()
    looked_at = 1 + isinstance(said, PaymentOutcome)

    with pytest.raises(Unclear, match="not released"):  # so that the message is read again
        callbacks.hear(Notice(session.id, PaymentAction.PAY), account("first"))

    assert asked(script) == ["first ask", "first cancel", *["first ask"] * looked_at]
    assert outcome(confirm(again)) == (200, "PAID")
    script.calls.clear()
    script.answers |= {"first ask": [LATE, PaymentOutcome(R.WAITING)]}
    script.answers |= {"first cancel": [PaymentOutcome(R.DONE)]}

    assert callbacks.hear(Notice(session.id, PaymentAction.PAY), account("first"))

    assert asked(script) == ["first ask", "first cancel", "first ask"]
    assert stored().status == "PAID"
