"""Who pays a withdrawal with real money: the account that a route names, once, and nobody else."""

from typing import Any

import pytest

from accounts.audit import Actor
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.providers import accounts
from gateway.providers.errors import AccountNeeded, NotSent, RouteInvalid, SandboxReachesOut, Unclear
from gateway.providers.models import Flow, ProviderRoute
from gateway.providers.routes import Place, RouteKey
from gateway.providers.selectors import payout_rail_of, payout_route
from gateway.withdrawals.models import Withdrawal
from ledger.wallets.selectors import holdings
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import NOTE, active, confirms, enters, paid_out_by
from tests.support.scripted_provider import Script, rewritten

pytestmark = pytest.mark.django_db(transaction=True)

SENT = PayoutOutcome(PayoutResult.SENT, reference="B-1")
DONE = PayoutOutcome(PayoutResult.DONE, reference="E-1")
DECLINED = PayoutOutcome(PayoutResult.DECLINED, failure=FailureCode.INVALID_DESTINATION.failure)


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


@pytest.fixture
def rich(acme: Shop, address: str, script: Script) -> Api:
    return with_real_money(acme, address)


def payouts_asked(script: Script) -> list[tuple[str, str]]:
    return [(user, what) for user, what, _ in script.calls if what in ("send", "ask payout")]


def available(shop: Shop) -> int:
    return holdings(shop.production, "BRL").currencies["BRL"].available


def test_the_account_of_the_route_is_sent_the_order_once_and_asked_until_it_is_paid(
    rich: Api, acme: Shop, script: Script
) -> None:
    account = active("pays out")
    paid_out_by(account)
    script.answers |= {"send": [SENT], "ask payout": [SENT, DONE]}

    withdrawal = accepted(rich, acme)
    assert (withdrawal.account, withdrawal.sent_times) == (account, 0)
    assert swept(withdrawal.pk).rail_reference == "B-1"
    assert swept(withdrawal.pk, minutes=2).status == "PROCESSING"
    paid = swept(withdrawal.pk, minutes=5)

    assert (paid.status, paid.rail_reference, paid.sent_times) == ("COMPLETED", "E-1", 1)
    assert payouts_asked(script) == [("pays out", "send"), ("pays out", "ask payout"), ("pays out", "ask payout")]


def test_a_company_has_its_own_route_and_amounts_decide(rich: Api, acme: Shop, globex: Shop) -> None:
    everybodys, small, large = active("everybody's"), active("small", acme.production), active("large", acme.production)
    paid_out_by(everybodys)
    paid_out_by(Place(small, largest=10_000), Place(large, smallest=10_001, largest=500_000), merchant=acme.production)

    assert accepted(rich, acme, amount=100).account == small
    assert accepted(rich, acme, amount=100.01).account == large
    assert payout_route(globex.production, "PIX", "BRL", 10_000) == [everybodys]
    with w.nothing_moves(acme):
        assert w.refusal(w.ask(rich, acme, amount=5_000.01)) == (403, "ONP403_WITHDRAWAL_NOT_CONNECTED")
    rehearsal = w.rehearsed(rich, acme, amount=5_000.01)
    refused = {gate["gate"]: gate["code"] for gate in rehearsal["gates"] if gate["holds"] is False}
    assert refused == {"LIMITS": "ONP403_WITHDRAWAL_NOT_CONNECTED"}


@pytest.mark.parametrize("failure", [NotSent("connection refused"), Unclear("read timeout"), ValueError("a bug")])
def test_only_what_was_not_transmitted_is_sent_again(rich: Api, acme: Shop, script: Script, failure: Exception) -> None:
    paid_out_by(active("first"), active("second"))
    script.answers |= {"send": [failure, SENT], "ask payout": [PayoutOutcome(PayoutResult.UNKNOWN)]}
    withdrawal = accepted(rich, acme)

    swept(withdrawal.pk)
    later = swept(withdrawal.pk, minutes=2)

    whats = [what for _, what in payouts_asked(script)]
    assert whats == (["send", "send"] if isinstance(failure, NotSent) else ["send", "ask payout"])
    assert {user for user, _ in payouts_asked(script)} == {"first"}, "it never moves to another account"
    assert later.status == "PROCESSING"
    assert (later.unclear_since is None) == isinstance(failure, NotSent)


def test_a_definite_refusal_gives_the_money_back(rich: Api, acme: Shop, script: Script) -> None:
    paid_out_by(active())
    script.answers |= {"send": [DECLINED]}
    before = available(acme)

    failed = swept(accepted(rich, acme).pk)

    assert (failed.status, failed.failure_code, available(acme)) == ("FAILED", "INVALID_DESTINATION", before)


def test_an_account_that_is_paused_or_taken_out_is_sent_nothing(rich: Api, acme: Shop, script: Script) -> None:
    account = active("pays out")
    paid_out_by(account)
    script.answers |= {"send": [SENT]}
    withdrawal = accepted(rich, acme)
    accounts.pause(Actor(confirms()), account.pk, NOTE)

    waiting = swept(withdrawal.pk)
    assert (waiting.status, waiting.sent_times, payouts_asked(script)) == ("PROCESSING", 0, [])
    with w.nothing_moves(acme):
        assert w.refusal(w.ask(rich, acme)) == (403, "ONP403_WITHDRAWAL_NOT_CONNECTED")
    ProviderRoute.objects.filter(flow=Flow.OUT).delete()
    with pytest.raises(AccountNeeded):
        accounts.close(Actor(confirms()), account.pk, NOTE)

    account.refresh_from_db()
    accounts.activate(Actor(confirms()), accounts.check(Actor(enters()), account), NOTE)
    assert swept(withdrawal.pk, minutes=2).sent_times == 1


def test_failed_orders_take_the_account_out_and_the_rest_waits(
    rich: Api, acme: Shop, script: Script, settings: Any
) -> None:
    settings.PROVIDER_FAILURES = 2
    account = active("pays out", acme.production)
    paid_out_by(account, merchant=acme.production)
    script.answers |= {"send": [NotSent("connection refused")]}
    script.unreachable = None
    for number in range(3):
        swept(accepted(rich, acme, amount=10 + number).pk)

    account.refresh_from_db()
    assert account.is_taken_out
    assert len(payouts_asked(script)) == 2
    assert set(Withdrawal.objects.values_list("status", "sent_at")) == {("PROCESSING", None)}


def test_a_route_for_withdrawals_is_no_route_for_payments(acme: Shop, script: Script) -> None:
    account = active()
    paid_out_by(account, merchant=acme.production)
    key = RouteKey("PIX", "BRL", acme.production, Flow.OUT)

    assert RouteKey.parse(key.name) == key
    assert RouteKey.parse(key.name.removeprefix("OUT:")).flow == Flow.IN
    assert list(ProviderRoute.objects.values_list("flow", "method")) == [("OUT", "PIX")]
    with pytest.raises(RouteInvalid) as refused:
        paid_out_by(account, rail="SPEI", currency="MXN")
    assert "does not serve withdrawals by SPEI in MXN" in refused.value.faults[0].message
    assert ProviderRoute.objects.count() == 1


def test_a_sandbox_opens_no_account(acme: Shop, api: Api, address: str, script: Script) -> None:
    account = active()
    paid_out_by(account)
    w.register(acme, address)
    w.fund(api)

    withdrawal = accepted(api, acme)

    assert (withdrawal.account, swept(withdrawal.pk).account) == (None, None)
    assert payouts_asked(script) == []
    with pytest.raises(SandboxReachesOut):
        payout_rail_of(account, "PIX", "BRL", of=acme.sandbox)
