"""Cards saved in Adyen's vault: told at once or by a webhook, charged again, confirmed by their holder, and removed."""

from typing import Any

import pytest

from gateway.methods.models import MethodRule
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.saved_cards import due
from gateway.saved_cards.models import AcquirerToken, SavedCard
from tests.support.adyen.account import entered
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import CARDS, state_data
from tests.support.adyen.webhooks import delivered, item, message, settled, told
from tests.support.cards import Session, opened, order, outcome, refusal
from tests.support.companies import Shop
from tests.support.production import api_of, live, pass_time
from tests.support.providers import routed
from tests.support.saved_cards import cards, charged, removed

pytestmark = pytest.mark.django_db(transaction=True)
INVALID = (422, "ONP422_CREDIT_CARD_PAYMENT_METHOD_TOKEN_INVALID")


@pytest.fixture
def account(acme: Shop, acquirer: Acquirer) -> ProviderAccount:
    live(acme)
    acme.production.card_tokens_enabled = True
    acme.production.save()
    account = entered(acquirer)
    MethodRule.objects.filter(environment="PRODUCTION", method__endswith="_CARD", currency="BRL").update(enabled=True)
    for method in ("CREDIT_CARD", "DEBIT_CARD"):
        routed(account, method=method)
    return account


def saved(shop: Shop, plays: str = "credit") -> Any:
    session = opened(api_of(shop), savePaymentMethod=True)
    assert outcome(session.call("confirm", {"acquirer": state_data(plays)})) == (200, "AUTHORIZED")
    return next(iter(cards(api_of(shop), session.payment["customer"]["id"])), None)


@pytest.fixture
def card(acme: Shop, account: ProviderAccount) -> Any:
    return saved(acme)


def newest() -> Payment:
    return Payment.objects.latest("created_at")


def paid_for(acquirer: Acquirer) -> int:
    return sum(one.state == "authorised" for one in acquirer.books.payments.values())


def test_a_card_is_saved_charged_and_removed_at_adyen(acme: Shop, card: Any, acquirer: Acquirer) -> None:
    [token] = acquirer.books.vault.cards
    assert (card["brand"], card["last4"], card["expMonth"], card["expYear"]) == ("visa", "1111", 3, 2030)
    assert acquirer.books.newest().asked["shopperReference"] == card["customerId"]
    assert token not in str(vars(AcquirerToken.objects.get())) + str(vars(newest()))

    answer = charged(api_of(acme), card["id"])

    assert (answer.status_code, newest().status) == (201, "AUTHORIZED")
    asked = acquirer.books.newest().asked
    assert (asked["paymentMethod"]["storedPaymentMethodId"], asked["recurringProcessingModel"]) == (
        token, "UnscheduledCardOnFile",
    )  # fmt: skip
    assert removed(api_of(acme), card).status_code == 200
    assert due.run_due(10) == 1
    assert acquirer.books.vault.cards == {}
    assert (AcquirerToken.objects.get().sealed, AcquirerToken.objects.get().digest) == (None, None)
    assert refusal(charged(api_of(acme), card["id"])) == INVALID
    pass_time(newest().pk, seconds=1)
    settled(ProviderAccount.objects.get(), acquirer.books.changes[-1])
    assert (newest().status, "vault" in newest().details) == ("PAID", False), "what was begun goes on"


def test_a_token_that_only_a_webhook_tells_is_kept_once(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    acquirer.books.vault.tells = False
    assert saved(acme) is None
    [token] = acquirer.books.vault.cards
    payment = acquirer.books.newest()
    contract = item("RECURRING_CONTRACT", payment, pspReference=token, originalReference=payment.psp)

    for _ in range(2):
        assert delivered(account, message(contract)) == 200

    [card] = cards(api_of(acme), newest().customer_id)
    assert SavedCard.objects.count() == AcquirerToken.objects.count() == 1
    assert charged(api_of(acme), card["id"]).status_code == 201


def test_a_token_that_is_told_before_the_authorization_waits_for_it(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    acquirer.books.vault.tells = False
    acquirer.will("500 after", on="/payments$")
    session = opened(api_of(acme), savePaymentMethod=True)
    assert outcome(session.call("confirm", {"acquirer": state_data("credit")})) == (200, "PENDING")
    payment, [token] = acquirer.books.newest(), acquirer.books.vault.cards
    contract = item("RECURRING_CONTRACT", payment, pspReference=token, originalReference=payment.psp)
    assert delivered(account, message(contract)) == 200
    assert (SavedCard.objects.count(), token in str(newest().details)) == (0, False)

    told(account, "AUTHORISATION", payment, additionalData=CARDS["credit"]["additionalData"])

    [card] = cards(api_of(acme), newest().customer_id)
    assert charged(api_of(acme), card["id"]).status_code == 201


def test_a_webhook_for_a_payment_that_saves_nothing_saves_nothing(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    session = opened(api_of(acme))
    session.call("confirm", {"acquirer": state_data("credit")})
    contract = item("RECURRING_CONTRACT", acquirer.books.newest(), pspReference="M5N7TQ4TG5PFWR50")

    assert delivered(account, message(contract)) == 200

    assert SavedCard.objects.count() == 0


@pytest.mark.parametrize(("plays", "code"), [("refused", "INSUFFICIENT_FUNDS"), ("acquirer", "ACQUIRER_REFUSED")])
def test_a_refused_charge_is_said_at_creation(acme: Shop, card: Any, acquirer: Acquirer, plays: str, code: str) -> None:
    acquirer.books.results = [CARDS[plays]]

    answer = charged(api_of(acme), card["id"])

    assert refusal(answer) == (422, "ONP422_CREDIT_CARD_REJECTED")
    assert (newest().status, newest().failure_code, paid_for(acquirer)) == ("FAILED", code, 1)


def test_a_holder_who_is_present_confirms_in_the_browser(acme: Shop, card: Any, acquirer: Acquirer) -> None:
    acquirer.books.results = [CARDS["challenge"]]

    answer = api_of(acme).post("/payments", order(paymentMethodToken=card["id"]))

    assert (answer.status_code, answer.json()["onpayCode"]) == (202, "ONP202_3DS")
    session = Session(answer.json()["data"])
    assert session.call("session").json()["needsCard"] is False
    assert "eyJ0aHJlZURT" not in str(newest().details)
    assert session.call("confirm", {}).json()["action"] == CARDS["challenge"]["action"]
    typed = session.call("confirm", {"acquirer": state_data("debit")}).json()
    assert typed["action"] == CARDS["challenge"]["action"], "no other card is taken"
    completed = {"details": {"threeDSResult": f"{acquirer.books.newest().psp}.credit"}, "paymentData": "data"}
    assert outcome(session.call("confirm", {"acquirer": completed})) == (200, "AUTHORIZED")
    assert len(acquirer.books.payments) == 2


def test_a_charge_without_an_answer_is_repeated_and_made_once(acme: Shop, card: Any, acquirer: Acquirer) -> None:
    acquirer.will("500 after", on="/payments$")
    assert charged(api_of(acme), card["id"]).status_code == 503

    payment = pass_time(newest().pk, minutes=2)

    assert (payment.status, paid_for(acquirer)) == ("AUTHORIZED", 2)


def test_a_charge_that_nobody_waits_for_any_more_is_canceled(
    acme: Shop, card: Any, account: ProviderAccount, acquirer: Acquirer
) -> None:
    acquirer.will("500 after", on="/payments$")
    assert charged(api_of(acme), card["id"]).status_code == 503

    assert pass_time(newest().pk, minutes=40).status == "PENDING", "only a webhook tells that it is canceled"

    told(account, "TECHNICAL_CANCEL", acquirer.books.changes[-1])
    assert newest().status == "EXPIRED"


def test_a_card_that_adyen_has_replaced_follows(
    acme: Shop, card: Any, account: ProviderAccount, acquirer: Acquirer
) -> None:
    [token] = acquirer.books.vault.cards
    contract = item("RECURRING_CONTRACT", acquirer.books.newest(), pspReference=token)

    assert delivered(account, message(contract)) == 200

    [now] = cards(api_of(acme), card["customerId"])
    assert (now["id"], now["last4"], now["expMonth"], now["expYear"]) == (card["id"], "1881", 11, 2045)


@pytest.mark.parametrize("tells", [True, False])
def test_a_card_of_a_payment_that_is_voided_leaves_the_vault(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer, tells: bool
) -> None:
    """Whether the answer named the card, or a webhook that came after the end."""
    acquirer.books.vault.tells = tells
    session = opened(api_of(acme), savePaymentMethod=True)
    session.call("confirm", {"acquirer": state_data("unknown")})
    payment, [token] = acquirer.books.newest(), acquirer.books.vault.cards
    told(account, "CANCELLATION", acquirer.books.changes[-1])
    assert (newest().status, newest().failure_code) == ("FAILED", "UNKNOWN_CARD_TYPE")
    contract = item("RECURRING_CONTRACT", payment, pspReference=token, originalReference=payment.psp)
    assert delivered(account, message(contract)) == 200

    assert due.run_due(10) == 1

    assert (acquirer.books.vault.cards, SavedCard.objects.count(), "vault" in newest().details) == ({}, 0, False)
    assert AcquirerToken.objects.get().sealed is None


def test_a_saved_card_stays_when_another_payment_with_it_is_voided(
    acme: Shop, card: Any, account: ProviderAccount, acquirer: Acquirer
) -> None:
    [token] = acquirer.books.vault.cards
    acquirer.books.vault.tells = False
    session = opened(api_of(acme), savePaymentMethod=True)
    session.call("confirm", {"acquirer": state_data("unknown")})
    told(account, "CANCELLATION", acquirer.books.changes[-1])

    contract = item("RECURRING_CONTRACT", acquirer.books.newest(), pspReference=token)
    assert delivered(account, message(contract)) == 200

    assert (due.run_due(10), token in acquirer.books.vault.cards) == (0, True)
    assert charged(api_of(acme), card["id"]).status_code == 201


def test_a_new_card_that_the_vault_does_not_list_yet_stays(
    acme: Shop, card: Any, account: ProviderAccount, acquirer: Acquirer
) -> None:
    [(token, kept)] = acquirer.books.vault.cards.items()
    contract = item("RECURRING_CONTRACT", acquirer.books.newest(), pspReference=token)
    acquirer.books.vault.cards.clear()

    assert delivered(account, message(contract)) == 200

    acquirer.books.vault.cards[token] = kept
    assert charged(api_of(acme), card["id"]).status_code == 201
