"""Cards with real money at Adyen: confirmed in its fields, priced, captured or canceled, and told by webhooks."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from structlog.testing import capture_logs

from gateway.methods.models import MethodRule
from gateway.payments.models import Payment
from gateway.payments.search import Search, found
from gateway.providers.adyen.card import card_of
from gateway.providers.adyen.handed import browser_of_payer, completion_of, encrypted_card
from gateway.providers.models import ProviderAccount
from tests.support.adyen.account import entered
from tests.support.adyen.acquirer import API_KEY, Acquirer
from tests.support.adyen.books import Change, psp, state_data
from tests.support.adyen.webhooks import HMAC_KEY, settled, told
from tests.support.cards import Session, opened, outcome
from tests.support.companies import Shop
from tests.support.production import api_of, live, pass_time
from tests.support.providers import routed
from tests.support.suspense import balances
from webhooks.models import Event


@pytest.fixture
def account(transactional_db: None, acme: Shop, acquirer: Acquirer) -> ProviderAccount:
    """The company takes both kinds of cards at Adyen."""
    live(acme)
    account = entered(acquirer)
    MethodRule.objects.filter(environment="PRODUCTION", method__endswith="_CARD", currency="BRL").update(enabled=True)
    for method in ("CREDIT_CARD", "DEBIT_CARD"):
        routed(account, method=method)
    return account


@pytest.fixture
def session(acme: Shop, account: ProviderAccount) -> Session:
    return opened(api_of(acme))


def confirm(session: Session, given: dict[str, Any]) -> Any:
    return session.call("confirm", {"acquirer": given})


def completed(session: Session, acquirer: Acquirer, plays: str = "credit") -> Any:
    """The payer has confirmed at the bank."""
    result = f"{acquirer.books.newest().psp}.{plays}"
    return confirm(session, {"details": {"threeDSResult": result}, "paymentData": "data"})


def stored() -> Payment:
    return Payment.objects.get()


def swept(**later: int) -> Payment:
    """What is due at once is done, or after so much time."""
    Payment.objects.update(ask_at=F("ask_at") - timedelta(minutes=1))
    return pass_time(stored().pk, **(later or {"seconds": 1}))


def asked(acquirer: Acquirer) -> list[str]:
    return [change.kind for change in acquirer.books.changes]


def kinds() -> list[str]:
    found = Event.objects.order_by("created_at", "pk").values_list("type", flat=True)
    return [kind.removeprefix("payment.") for kind in found]


def test_the_session_says_what_adyens_fields_need(session: Session, acquirer: Acquirer) -> None:
    fields = session.call("session").json()["fields"]

    assert (fields["acquirer"], fields["environment"], fields["country"]) == ("adyen", "live", "BR")
    assert fields["clientKey"] == acquirer.credentials()["client_key"]
    assert fields["script"].startswith("https://checkoutshopper-live.cdn.adyen.com/")
    assert acquirer.calls == ["POST /paymentMethods"]


def test_a_confirmed_card_is_authorized_and_captured(
    session: Session, account: ProviderAccount, acquirer: Acquirer
) -> None:
    with capture_logs() as logs:
        assert outcome(confirm(session, state_data("credit"))) == (200, "AUTHORIZED")

    money, payment = acquirer.books.newest(), stored()
    assert (payment.rail_reference, asked(acquirer)) == (money.psp, ["captures"])
    assert payment.details["card"] == {"brand": "visa", "last4": "1111", "funding": "credit"}
    assert "adyenan0" not in f"{payment.details}{logs}"
    told(account, "AUTHORISATION", money)
    told(account, "AUTHORISATION", money)
    assert stored().status == "AUTHORIZED"
    for _ in range(2):
        settled(account, acquirer.books.changes[0])
    assert (stored().status, stored().rail_reference) == ("PAID", money.psp)
    assert kinds() == ["action_required", "authorized", "paid"]
    assert money.asked["origin"] != "https://shop.example"
    assert money.asked["paymentMethod"]["fundingSource"] == "credit"


def test_no_table_and_no_log_knows_what_was_typed_or_a_key(
    session: Session, account: ProviderAccount, acquirer: Acquirer, caplog: Any, capfd: Any
) -> None:
    acquirer.will("500 after", on="/payments$")
    confirm(session, state_data("challenge"))
    told(account, "AUTHORISATION", acquirer.books.newest(), additionalData={"fundingSource": "CREDIT"})
    assert confirm(session, {"acquirer": state_data("credit"), "surprise": 1}).status_code == 200
    assert session.call("confirm", {"cardToken": "adyenan0"}).status_code == 400

    with connection.cursor() as cursor:
        rows = [str(_rows(cursor, name)) for name in connection.introspection.table_names()]
    everything = "".join([*rows, caplog.text, *capfd.readouterr(), repr(account), repr(vars(account))])
    assert session.id in everything and account.pk in everything
    secrets = ("adyenan0", API_KEY, HMAC_KEY, session.secret.partition("_secret_")[2])
    assert [one for one in secrets if one in everything] == []


def _rows(cursor: Any, table: str) -> Any:
    cursor.execute(f'SELECT t::text FROM "{table}" t')
    return cursor.fetchall()


def test_the_price_is_that_of_what_the_card_is(session: Session, account: ProviderAccount, acquirer: Acquirer) -> None:
    confirm(session, state_data("debit"))
    settled(account, acquirer.books.changes[0])

    paid = stored()
    assert (paid.status, paid.requested_method, paid.method) == ("PAID", "CREDIT_CARD", "DEBIT_CARD")
    assert paid.details["card"]["brand"] == "mastercard"
    assert paid.settlement_days == 1


def test_a_card_of_an_unknown_kind_is_released_before_the_payment_fails(
    acme: Shop, session: Session, account: ProviderAccount, acquirer: Acquirer
) -> None:
    confirm(session, state_data("unknown"))
    told(account, "AUTHORISATION", acquirer.books.newest())
    assert (stored().status, asked(acquirer)) == ("PENDING", ["cancels"])
    assert swept(days=2).status == "PENDING"

    settled(account, acquirer.books.changes[0])

    assert (stored().status, stored().failure_code, balances(acme)) == ("FAILED", "UNKNOWN_CARD_TYPE", {})
    assert stored() in found(acme.production, Search(text=acquirer.books.newest().psp)).rows


@pytest.mark.parametrize(("plays", "code"), [("refused", "INSUFFICIENT_FUNDS"), ("acquirer", "ACQUIRER_REFUSED")])
def test_what_was_refused_fails_at_once_and_nothing_is_canceled(
    session: Session, account: ProviderAccount, acquirer: Acquirer, plays: str, code: str
) -> None:
    assert outcome(confirm(session, state_data(plays))) == (200, code)
    told(account, "AUTHORISATION", acquirer.books.newest(), success=False)
    assert (stored().status, asked(acquirer)) == ("FAILED", [])
    assert stored().rail_reference == acquirer.books.newest().psp


def test_a_challenge_is_answered_in_the_browser_and_completed(session: Session, acquirer: Acquirer) -> None:
    challenge = confirm(session, state_data("challenge")).json()
    assert challenge["action"]["type"] == "threeDS2"
    assert "eyJ0" not in str(stored().details)
    assert (swept().status, stored().unclear_since) == ("ACTION_REQUIRED", None)

    assert completed(session, acquirer, "challenge").json()["action"]["type"] == "threeDS2"
    assert outcome(completed(session, acquirer)) == (200, "AUTHORIZED")
    assert asked(acquirer) == ["captures"]


@pytest.mark.parametrize("plays", ["credit", "nameless"])
def test_the_answer_to_another_payments_challenge_pays_nothing(
    acme: Shop, session: Session, account: ProviderAccount, acquirer: Acquirer, plays: str
) -> None:
    victim = opened(api_of(acme))
    confirm(victim, state_data("challenge"))
    confirm(session, state_data("challenge"))

    given = {"details": {"threeDSResult": f"{acquirer.books.newest().psp}.{plays}"}}

    assert outcome(confirm(victim, given)) == (200, "PENDING")
    assert set(Payment.objects.values_list("status", flat=True)) == {"PENDING", "ACTION_REQUIRED"}
    assert (asked(acquirer), balances(acme)) == ([], {})


def test_an_authorization_of_another_amount_sets_no_price(
    session: Session, account: ProviderAccount, acquirer: Acquirer
) -> None:
    acquirer.will("500 after", on="/payments$")
    confirm(session, state_data("credit"))
    before = stored()
    debit = {"fundingSource": "DEBIT", "cardSummary": "1111"}
    other = {"value": 1, "currency": "BRL"}
    told(account, "AUTHORISATION", acquirer.books.newest(), amount=other, additionalData=debit)

    assert (stored().status, stored().method, stored().fee) == ("PENDING", "CREDIT_CARD", before.fee)
    told(account, "AUTHORISATION", acquirer.books.newest(), additionalData=debit)
    assert (stored().status, stored().method) == ("AUTHORIZED", "DEBIT_CARD")


def test_a_challenge_that_nobody_answers_expires_only_when_adyen_says_so(
    acme: Shop, session: Session, account: ProviderAccount, acquirer: Acquirer
) -> None:
    confirm(session, state_data("challenge"))
    assert swept(hours=1).status == "ACTION_REQUIRED"
    assert asked(acquirer) == ["cancels"]
    settled(account, acquirer.books.changes[0], success=False)
    assert stored().status == "ACTION_REQUIRED"

    told(account, "OFFER_CLOSED", acquirer.books.newest())

    assert (stored().status, balances(acme)) == ("EXPIRED", {})


@pytest.mark.parametrize("again", ["completed once more", "typed once more"])
def test_a_refusal_after_a_challenge_does_not_say_that_nothing_was_authorized(
    acme: Shop, session: Session, account: ProviderAccount, acquirer: Acquirer, again: str
) -> None:
    confirm(session, state_data("challenge"))
    acquirer.will("422", on="/payments")
    answer = confirm(session, state_data("credit")) if "typed" in again else completed(session, acquirer)

    assert outcome(answer) == (200, "PENDING")
    assert (swept(hours=1).status, asked(acquirer)) == ("PENDING", ["cancels"])
    settled(account, acquirer.books.changes[0])
    assert (stored().status, balances(acme)) == ("EXPIRED", {})
    assert stored().rail_reference == acquirer.books.newest().psp


def test_fields_that_nobody_used_expire_without_a_call(session: Session, acquirer: Acquirer) -> None:
    assert swept(hours=1).status == "EXPIRED"
    assert acquirer.calls == ["POST /paymentMethods"]


@pytest.mark.parametrize(
    ("success", "funding", "status"), [(True, "CREDIT", "PAID"), (True, "DEBIT", "PAID"), (False, "", "FAILED")]
)
def test_a_lost_answer_is_pending_until_a_webhook_tells(
    session: Session, account: ProviderAccount, acquirer: Acquirer, success: bool, funding: str, status: str
) -> None:
    acquirer.will("500 after", on="/payments$")
    assert outcome(confirm(session, state_data("credit"))) == (200, "PENDING")
    assert (swept().status, stored().unclear_since is not None) == ("PENDING", True)

    extra = {"fundingSource": funding, "cardSummary": "1111"}
    told(account, "AUTHORISATION", acquirer.books.newest(), success=success, additionalData=extra)
    swept()
    for change in acquirer.books.changes:
        settled(account, change)

    assert stored().status == status
    assert len(acquirer.books.payments) == 1
    assert asked(acquirer) == (["captures"] if success else [])


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"paymentMethod": {"type": "scheme"}},
        {"paymentMethod": {"type": "scheme", "number": "4111111111111111", "cvc": "737"}},
        {"paymentMethod": state_data("credit")["paymentMethod"] | {"encryptedCardNumber": "4111111111111111"}},
        {"details": {"surprise": "x"}},
    ],
    ids=range(5),
)
def test_what_is_no_card_is_sent_to_nobody_and_can_be_corrected(
    session: Session, acquirer: Acquirer, given: dict[str, Any]
) -> None:
    assert outcome(confirm(session, given)) == (200, "ACTION_REQUIRED")
    assert acquirer.calls == ["POST /paymentMethods"]
    assert (swept().status, stored().unclear_since) == ("ACTION_REQUIRED", None)
    assert outcome(confirm(session, state_data("credit"))) == (200, "AUTHORIZED")


@pytest.mark.parametrize(("success", "status"), [(True, "PAID"), (False, "FAILED")])
def test_a_webhook_that_is_faster_than_the_answer_comes_to_the_same(
    session: Session, account: ProviderAccount, acquirer: Acquirer, success: bool, status: str
) -> None:
    extra = {"fundingSource": "CREDIT", "cardSummary": "1111"}

    def tell() -> None:
        told(account, "AUTHORISATION", acquirer.books.newest(), success=success, additionalData=extra)
        connection.close()

    acquirer.meanwhile = tell
    confirm(session, state_data("credit" if success else "refused"))
    swept()
    for change in acquirer.books.changes:
        settled(account, change)

    assert (stored().status, asked(acquirer)) == (status, ["captures"] if success else [])
    assert kinds()[-1] == status.lower()


@pytest.mark.parametrize("is_open", [True, False], ids=["in the fields", "without an answer"])
def test_a_capture_that_is_told_first_waits_for_the_card_that_decides_the_price(
    acme: Shop, session: Session, account: ProviderAccount, acquirer: Acquirer, is_open: bool
) -> None:
    acquirer.will(*([] if is_open else ["500 after"]), on="/payments$")
    confirm(session, state_data("challenge" if is_open else "debit"))
    money, debit = acquirer.books.newest(), {"fundingSource": "DEBIT", "cardSummary": "1111"}
    captured = Change(psp(), money, "captures", money.reference, money.amount)
    with capture_logs() as logs:
        for _ in range(2):
            settled(account, captured)
        told(account, "AUTHORISATION", money, success=False)
        told(account, "AUTHORISATION", money, pspReference=psp(), additionalData=debit)
        for event in ("CANCELLATION", "OFFER_CLOSED"):
            told(account, event, Change(psp(), money, "", money.reference, money.amount))

    assert (swept(hours=1).status, asked(acquirer), balances(acme)) == ("PENDING", [], {})
    assert len([line for line in logs if line["log_level"] == "critical"]) == 4
    assert outcome(confirm(session, state_data("credit"))) == (200, "PENDING")
    told(account, "AUTHORISATION", money, additionalData=debit)

    paid = stored()
    assert (paid.status, paid.method, paid.settlement_days, paid.rail_reference) == ("PAID", "DEBIT_CARD", 1, money.psp)
    assert (swept().status, asked(acquirer)) == ("PAID", [])


def test_an_authorization_that_lapses_expires_and_one_told_twice_rings(
    acme: Shop, session: Session, account: ProviderAccount, acquirer: Acquirer
) -> None:
    confirm(session, state_data("credit"))
    money = acquirer.books.newest()
    with capture_logs() as logs:
        told(account, "AUTHORISATION", money, pspReference=psp())
        told(account, "OFFER_CLOSED", money)
        settled(account, acquirer.books.changes[0], success=False)
    assert stored().status == "AUTHORIZED"
    assert len([line for line in logs if line["event"] == "payment.told_otherwise"]) == 2

    told(account, "EXPIRE", money)

    assert (stored().status, balances(acme)) == ("EXPIRED", {})


def test_what_becomes_of_another_authorization_ends_nothing_and_rings(
    session: Session, account: ProviderAccount, acquirer: Acquirer
) -> None:
    confirm(session, state_data("credit"))
    money, other = acquirer.books.newest(), psp()
    with capture_logs() as logs:
        for event in ("CANCELLATION", "TECHNICAL_CANCEL", "EXPIRE", "CAPTURE_FAILED"):
            told(account, event, money, pspReference=psp(), originalReference=other)

    assert stored().status == "AUTHORIZED"
    assert len([line for line in logs if line["event"] == "payment.told_otherwise"]) == 4
    settled(account, acquirer.books.changes[0])
    assert stored().status == "PAID"


def test_a_capture_that_fails_later_rings_and_changes_nothing(
    acme: Shop, session: Session, account: ProviderAccount, acquirer: Acquirer
) -> None:
    confirm(session, state_data("credit"))
    settled(account, acquirer.books.changes[0])
    before = balances(acme)
    with capture_logs() as logs:
        told(account, "CAPTURE_FAILED", acquirer.books.changes[0])

    assert (stored().status, balances(acme)) == ("PAID", before)
    assert [line["log_level"] for line in logs if line["event"] == "payment.told_otherwise"] == ["critical"]


@pytest.mark.parametrize(
    ("extra", "funding"),
    [
        ({"fundingSource": "CHARGE"}, "credit"),
        ({"fundingSource": "DEFFERED_DEBIT"}, "credit"),
        ({"fundingSource": "PREPAID_RELOADABLE"}, "prepaid"),
        ({"fundingSource": "Debit"}, "debit"),
        ({"fundingSource": "NEW", "paymentMethodVariant": "visastandardcredit"}, "unknown"),
        ({"paymentMethodVariant": "mcstandarddebit"}, "debit"),
        ({"paymentMethodVariant": "visaprepaiddebit"}, "prepaid"),
        ({"paymentMethodVariant": "visaclassic"}, "unknown"),
        ({}, "unknown"),
        ({"fundingSource": None, "cardSummary": None, "paymentMethod": None}, "unknown"),
    ],
    ids=str,
)
def test_the_kind_of_a_card_is_what_adyen_says(extra: dict[str, Any], funding: str) -> None:
    assert card_of(extra)["funding"] == funding


def test_only_known_members_are_handed_on() -> None:
    given = state_data("credit")
    given["paymentMethod"] |= {"cvc": "737", "number": "4111111111111111", "storedPaymentMethodId": "x", "brand": 1}
    card = encrypted_card(given)

    encrypted = {name for name in given["paymentMethod"] if name.startswith("encrypted")}
    assert card is not None and card.keys() == {"type", *encrypted}
    assert browser_of_payer(given)["browserInfo"]["timeZoneOffset"] == 180
    assert browser_of_payer({"browserInfo": {"userAgent": "x"}}) == browser_of_payer({"browserInfo": []}) == {}
    assert completion_of({"details": {"threeDSResult": 1}}) is None
    assert completion_of({"details": {"threeDSResult": "x", "more": "y"}}) == {"details": {"threeDSResult": "x"}}
