"""Our client for Stripe, held against a second server by others that has charges and idempotency keys.

`stripe-stateful-mock` has customers, charges, refunds and disputes, which localstripe lacks or keeps less strictly, and
no payment intents: charges of the same library, sent by our client and read as we read, stand for these here.
"""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from accounts.base.ids import new_id
from gateway.methods.card.cards import Tokenized
from gateway.methods.rail import PaymentResult
from gateway.providers.disputes import DisputeState
from gateway.providers.errors import NotConnected, Unclear
from gateway.providers.stripe import reasons
from gateway.providers.stripe.api import REFUND, Customer, Refused, _answered
from gateway.providers.stripe.provider import StripeCredentials, StripeProvider
from gateway.providers.stripe.rail import StripeCard
from tests.support.adyen.acquirer import server_context
from tests.support.bacen_pix.bank import authority
from tests.support.bacen_pix.front import fronting

START = """
const theirs = require("stripe-stateful-mock").createExpressApp();
const answer = (asked, told) => theirs(asked, told.setHeader("content-type", "application/json"));
require("http").createServer(answer).listen(process.argv[1], "127.0.0.1");
"""
"""Its answers to repeated requests would say that they are HTML."""
KEYS = {"secret_key": "sk_test_51OnpayTestsOnly", "publishable_key": "pk_test_51OnpayTestsOnly"}
R = PaymentResult


@pytest.fixture(scope="module")
def server(tools: Path) -> Iterator[int]:
    """The port of its process, behind TLS."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(shutil.which("node")), "-e", START, str(port)]
    process = subprocess.Popen(command, cwd=tools.parent.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        with fronting(port, server_context()) as front:
            yield front
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(300):
        assert process.poll() is None, "stripe-stateful-mock has ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("stripe-stateful-mock does not answer")


def connected(server: int, **keys: str) -> StripeProvider:
    address = {"base_url": f"https://localhost:{server}", "ca_certificates": authority().cert_pem.bytes().decode()}
    return StripeProvider(StripeCredentials.model_validate(KEYS | address | keys))


@pytest.fixture
def provider(server: int, settings: Any) -> StripeProvider:
    settings.PROVIDER_TIMEOUT_S = 20
    return connected(server)


@pytest.fixture
def charges(provider: StripeProvider) -> Any:
    return provider.api._stripe.charges


@pytest.fixture
def rail(provider: StripeProvider) -> StripeCard:
    return next(one for one in provider.rails() if isinstance(one, StripeCard))


def charge(charges: Any, source: str = "tok_visa", key: str = "", **more: Any) -> dict[str, Any] | Refused:
    asked = {"amount": 20000, "currency": "brl", "source": source} | more
    return _answered(lambda: charges.create(asked, {"idempotency_key": key or new_id("pay")}))


def charged(charges: Any, source: str = "tok_visa", key: str = "", **more: Any) -> dict[str, Any]:
    made = charge(charges, source, key, **more)
    assert not isinstance(made, Refused), made
    return made


def test_a_request_that_is_repeated_is_carried_out_once_and_another_one_with_its_key_is_unclear(
    provider: StripeProvider, charges: Any
) -> None:
    payment, customer = new_id("pay"), new_id("cus")
    made = provider.api.create_customer(payment, customer)
    assert isinstance(made, Customer)
    assert provider.api.create_customer(payment, customer) == made
    with pytest.raises(Unclear, match="idempotency"):
        provider.api.create_customer(payment, new_id("cus"))
    assert charged(charges, key=payment)["id"] == charged(charges, key=payment)["id"]
    with pytest.raises(Unclear, match="idempotency"):
        charge(charges, key=payment, amount=20001)


def test_what_was_authorized_is_captured_once(charges: Any) -> None:
    made = charged(charges, capture=False)
    assert (made["captured"], made["amount_captured"]) == (False, 0)

    captured = _answered(lambda: charges.capture(made["id"]))
    again = _answered(lambda: charges.capture(made["id"]))

    assert not isinstance(captured, Refused)
    assert (captured["captured"], captured["amount_captured"]) == (True, 20000)
    assert again == Refused(400, "charge_already_captured")


@pytest.mark.parametrize(("token", "answered", "code"), [
    ("tok_chargeDeclined", R.DECLINED, "CARD_REFUSED"),
    ("tok_chargeDeclinedInsufficientFunds", R.DECLINED, "INSUFFICIENT_FUNDS"),
    ("tok_chargeDeclinedFraudulent", R.DECLINED, "SUSPECTED_FRAUD"),
    ("tok_chargeDeclinedIncorrectCvc", R.DECLINED, "INVALID_CVV"),
    ("tok_chargeDeclinedExpiredCard", R.DECLINED, "EXPIRED_CARD"),
    ("tok_chargeDeclinedProcessingError", R.REFUSED, "ACQUIRER_REFUSED"),
])  # fmt: skip
def test_each_refusal_of_a_card_is_read_as_its_reason(
    charges: Any, token: str, answered: PaymentResult, code: str
) -> None:
    refused = charge(charges, token)
    assert isinstance(refused, Refused)
    assert refused.status == 402
    told, failure = reasons.of_decline(refused)
    assert (told, failure[0]) == (answered, code)


def test_a_request_may_be_sent_again_only_if_it_was_turned_away(
    server: int, provider: StripeProvider, charges: Any
) -> None:
    key = new_id("pay")
    turned_away = charge(charges, f"tok_429|tok_visa|{key}", key)
    assert isinstance(turned_away, Refused)
    assert turned_away.is_not_started
    assert charged(charges, f"tok_429|tok_visa|{key}", key)["paid"] is True
    with pytest.raises(Unclear, match="500"):
        charge(charges, "tok_500")
    too_small = charge(charges, amount=1, currency="usd")
    assert isinstance(too_small, Refused)
    assert reasons.of_refusal(too_small)[0] == "AMOUNT_TOO_SMALL"
    with pytest.raises(NotConnected, match="401"):
        connected(server, secret_key="rk_test_notAKeyOfTheirs").check()


def test_refunds_made_by_others_are_found_over_several_pages(
    provider: StripeProvider, charges: Any, rail: StripeCard
) -> None:
    made, refunds = charged(charges), provider.api._stripe.refunds
    first: Any = {"charge": made["id"], "amount": 5000, "metadata": {REFUND: new_id("ref")}}
    options: Any = {"idempotency_key": new_id("ref")}
    assert refunds.create(first, options).id == refunds.create(first, options).id
    for _ in range(51):
        refunds.create({"charge": made["id"], "amount": 200})

    found = rail.clawbacks(made["id"])

    assert len({one.reference for one in found}) == 51
    assert {(one.money, one.amount, one.currency, one.is_done) for one in found} == {
        (made["id"], Decimal("2.00"), "BRL", True)
    }
    too_much: Any = {"charge": made["id"], "amount": 5000}
    assert isinstance(_answered(lambda: refunds.create(too_much)), Refused)


@pytest.mark.parametrize(("token", "is_inquiry", "reason"), [
    ("tok_createDisputeProductNotReceived", False, "NOT_RECEIVED"),
    ("tok_createDisputeInquiry", True, "FRAUD"),
])  # fmt: skip
def test_a_dispute_is_read(provider: StripeProvider, charges: Any, token: str, is_inquiry: bool, reason: str) -> None:
    made = charged(charges, token)
    disputed = charges.retrieve(made["id"])

    report = provider.disputes().ask(disputed.dispute)

    assert (report.money, report.amount, report.currency) == (made["id"], Decimal("200.00"), "BRL")
    assert (report.state, report.is_inquiry, report.reason_code) == (DisputeState.OPEN, is_inquiry, reason)
    with pytest.raises(Unclear, match="resource_missing"):
        provider.disputes().ask("dp_unknown")


def test_a_card_counts_as_removed_only_where_stripe_does_not_know_it(provider: StripeProvider) -> None:
    """This server does not delete customers, and says 404 to that."""
    made = provider.api.create_customer(new_id("pay"), new_id("cus"))
    assert isinstance(made, Customer)
    card = Tokenized(made.id, "pm_1", 12, 2040)
    with pytest.raises(Unclear):
        provider.forget_card(card)
    with pytest.raises(Unclear):
        provider.look_up_card(card)
