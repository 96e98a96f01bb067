"""A card that is saved at two acquirers: the second is asked only if it holds the card and the first did nothing."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from accounts.base.clock import utcnow
from gateway.customers.models import Customer
from gateway.methods.card.cards import Tokenized
from gateway.methods.models import MethodRule
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments.models import Payment
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.models import ProviderAccount
from gateway.saved_cards import services
from gateway.saved_cards.models import AcquirerToken, SavedCard
from tests.support.cards import opened, refusal
from tests.support.companies import Shop
from tests.support.production import api_of, live, pass_time
from tests.support.providers import routed
from tests.support.saved_cards import charged
from tests.support.scripted_provider import Script, rewritten
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
R = PaymentResult
VISA = {"brand": "visa", "last4": "4242", "funding": "credit"}
APPROVED = PaymentOutcome(R.AUTHORIZED, {"card": VISA}, reference="ch_1")
REFUSED = PaymentOutcome(R.REFUSED, failure=("ACQUIRER_REFUSED", "No."))
DECLINED = PaymentOutcome(R.DECLINED, failure=("INSUFFICIENT_FUNDS", "Not enough funds."))
SESSION = PaymentOutcome(R.SESSION, {"session": {"integrationMode": "SECURE_FIELDS"}, "intent": "pi_1"})


@pytest.fixture
def accounts(acme: Shop) -> list[ProviderAccount]:
    rewritten()
    first, second = live(acme, "first", "second", method="CREDIT_CARD")
    MethodRule.objects.filter(environment="PRODUCTION", method="DEBIT_CARD", currency="BRL").update(enabled=True)
    routed(first, second, method="DEBIT_CARD")
    acme.production.card_tokens_enabled = True
    acme.production.save()
    return [first, second]


@pytest.fixture
def script(accounts: list[ProviderAccount], acme: Shop) -> Script:
    script = rewritten()
    script.answers = {"instruct": [SESSION]}
    opened(api_of(acme))
    script.answers = {"capture": [PaymentOutcome(R.DONE)], "cancel": [PaymentOutcome(R.DONE)]}
    script.calls.clear()
    return script


def kept(shop: Shop, *accounts: ProviderAccount) -> SavedCard:
    """The same card, typed at each of the accounts."""
    customer, now = Customer.objects.get(), utcnow()
    for number, account in enumerate(accounts):
        card = services.keep(
            shop.production, customer.pk, f"pay_{number}", VISA, now, now,
            account=account, tokenized=Tokenized(f"cus_{number}", f"tok_{number}", 12, 2040),
        )  # fmt: skip
    return card


def asked(script: Script) -> list[tuple[str, str]]:
    return [(user, what) for user, what, _ in script.calls]


def newest() -> Payment:
    return Payment.objects.latest("created_at")


@pytest.mark.parametrize("nothing", [REFUSED, NotSent("no connection")])
def test_the_second_takes_over_if_it_holds_the_card(
    acme: Shop, accounts: list[ProviderAccount], script: Script, nothing: Any
) -> None:
    card = kept(acme, *accounts)
    assert SavedCard.objects.count() == 1
    script.answers |= {"first instruct": [nothing], "second instruct": [APPROVED]}

    assert charged(api_of(acme), card.pk).status_code == 201

    assert asked(script) == [("first", "instruct"), ("second", "instruct")]
    assert newest().account == accounts[1]
    assert pass_time(newest().pk, seconds=1).status == "PAID"


def test_nobody_else_is_asked_without_a_token(acme: Shop, accounts: list[ProviderAccount], script: Script) -> None:
    card = kept(acme, accounts[0])
    script.answers |= {"first instruct": [REFUSED], "second instruct": [APPROVED]}

    assert refusal(charged(api_of(acme), card.pk)) == (422, "ONP422_CREDIT_CARD_REJECTED")

    assert asked(script) == [("first", "instruct")]


@pytest.mark.parametrize("answer", [DECLINED, Unclear("read timeout")])
def test_a_decline_and_an_unknown_are_tried_nowhere_else(
    acme: Shop, accounts: list[ProviderAccount], script: Script, answer: Any
) -> None:
    card = kept(acme, *accounts)
    script.answers |= {"first instruct": [answer], "first ask": [Unclear("read timeout")]}

    assert charged(api_of(acme), card.pk).status_code in (422, 503)

    pass_time(newest().pk, minutes=3)
    assert {user for user, _ in asked(script)} == {"first"}


def test_a_card_is_charged_where_it_is_and_its_own_account_first(
    acme: Shop, accounts: list[ProviderAccount], script: Script
) -> None:
    card = kept(acme, accounts[1])
    script.answers |= {"second instruct": [APPROVED]}

    assert charged(api_of(acme), card.pk).status_code == 201

    assert asked(script) == [("second", "instruct")]
    ProviderAccount.objects.filter(pk=accounts[1].pk).update(status="PAUSED")
    payments = Payment.objects.count()
    assert refusal(charged(api_of(acme), card.pk)) == (422, "ONP422_CREDIT_CARD_SAVED_CARD_UNAVAILABLE")
    assert Payment.objects.count() == payments


def test_a_card_saved_once_more_replaces_its_token(acme: Shop, accounts: list[ProviderAccount], script: Script) -> None:
    card, now = kept(acme, accounts[0]), utcnow()
    again = Tokenized("cus_9", "tok_9", 12, 2040)
    later = now + timedelta(seconds=1)
    for _ in range(2):
        same = services.keep(
            acme.production, card.customer_id, "pay_9", VISA, now, later, account=accounts[0], tokenized=again
        )
        assert same.pk == card.pk

    assert AcquirerToken.objects.filter(ask_at=None).count() == 1
    assert AcquirerToken.objects.filter(ask_at__isnull=False).count() == 1


def test_a_token_that_is_saved_again_is_not_removed(
    acme: Shop, accounts: list[ProviderAccount], script: Script
) -> None:
    """It was replaced by another one, which it replaces now."""
    card, now = kept(acme, accounts[0]), utcnow()
    for number in (9, 0):
        again = Tokenized(f"cus_{number}", f"tok_{number}", 12, 2040)
        services.keep(
            acme.production, card.customer_id, f"pay_again_{number}", VISA, now, now,
            account=accounts[0], tokenized=again,
        )  # fmt: skip

    [used] = AcquirerToken.objects.filter(ask_at=None, removed_at=None)
    assert (used.card, used.digest) == (card, services.digest_of(accounts[0], "tok_0"))


def test_a_card_that_two_payments_save_at_once_is_one(
    acme: Shop, accounts: list[ProviderAccount], script: Script
) -> None:
    customer, now = Customer.objects.get(), utcnow()

    def save(number: int) -> Any:
        return services.keep(
            acme.production, customer.pk, f"pay_{number}", VISA, now, now,
            account=accounts[number % 2], tokenized=Tokenized(f"cus_{number}", f"tok_{number}", 12, 2040),
        )  # fmt: skip

    at_once(*(partial(save, number) for number in range(4)))

    assert SavedCard.objects.count() == 1
    assert AcquirerToken.objects.filter(ask_at=None).count() == 2
