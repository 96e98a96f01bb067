"""An account that fails is taken out of its routes by itself, and tried again; no company can do that to others."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from structlog.testing import capture_logs

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import AuditEntry
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments import calls
from gateway.payments.models import Payment
from gateway.providers import due, health
from gateway.providers.errors import AccountWorks, NotConnected, NotSent, Unclear
from gateway.providers.models import ProviderAccount
from gateway.providers.observing import SERVED, saw
from gateway.refunds import due as refunds_due
from gateway.refunds.models import Refund
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live
from tests.support.providers import NOTE, active, confirms, routed
from tests.support.scripted_provider import Script, rewritten
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)

INSTRUCTED = PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": "000201code", "pixTxid": "TX"})
AWAY = NotSent("connection refused")
PAID = PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": "E1"}, reference="E1")
State = ProviderAccount.State


@pytest.fixture
def script(settings: Any) -> Script:
    settings.PROVIDER_FAILURES = 2
    script = rewritten()
    script.answers = {"first instruct": [AWAY], "instruct": [INSTRUCTED]}
    return script


@pytest.fixture
def first(acme: Shop, globex: Shop, script: Script) -> ProviderAccount:
    """Asked before another account, for both companies."""
    live(globex)
    return live(acme, "first", "second")[0]


def pay(api: Api) -> str:
    """The account at which a new payment is."""
    reference = f"order-{Payment.objects.count()}"
    answer = api.post("/payments", PIX | {"reference": reference})
    assert answer.status_code in (201, 422, 503), answer.json()
    payment = Payment.objects.select_related("account").get(reference=reference)
    assert payment.account is not None
    return payment.account.title


def asked(script: Script) -> list[str]:
    return [f"{user} {what}" for user, what, _ in script.calls if what != "check" or user == "first"]


def now(account: ProviderAccount) -> ProviderAccount:
    return ProviderAccount.objects.get(pk=account.pk)


def check_is_due(account: ProviderAccount) -> ProviderAccount:
    """The pause is over, and the sweep runs."""
    ProviderAccount.objects.filter(pk=account.pk).update(check_at=utcnow() - timedelta(seconds=1))
    assert due.run_due(10) == 1
    return now(account)


@contextmanager
def told() -> Iterator[list[tuple[str, str]]]:
    """The log lines about the health of accounts."""
    found: list[tuple[str, str]] = []
    with capture_logs() as lines:
        yield found
    found += [(line["event"], line["log_level"]) for line in lines if line.get("account")]


def test_it_is_taken_out_tried_again_and_put_back_by_a_payment(
    acme: Shop, globex: Shop, first: ProviderAccount, script: Script
) -> None:
    api, theirs = api_of(acme), api_of(globex)
    with told() as lines:
        assert [pay(api), pay(theirs)] == ["second", "second"]  # each was tried at the first
    assert lines == [("provider.taken_out", "critical")]
    out = now(first)
    assert (out.circuit, out.failing_at, out.failure_reason) == (State.OPEN, "prepare", "connection refused")
    script.calls.clear()
    assert pay(api) == "second"
    assert asked(script) == ["second instruct"]

    script.unreachable = NotConnected("HTTP 503")
    pauses = []
    for _ in range(6):
        began, failing = utcnow(), check_is_due(first)
        assert (failing.circuit, failing.taken_out_at) == (State.OPEN, out.taken_out_at)
        assert failing.check_at is not None
        pauses.append(round((failing.check_at - began).total_seconds() / 60))
    assert pauses == [2, 4, 8, 16, 30, 30]
    script.unreachable = None
    assert check_is_due(first).circuit == State.HALF_OPEN
    script.answers["first instruct"] = [INSTRUCTED]
    with told() as lines:
        assert pay(api) == "first"
    assert lines == [("provider.works_again", "warning")]
    back = now(first)
    assert (back.circuit, back.failures, back.openings, back.taken_out_at, back.check_at) == (
        "CLOSED",
        0,
        0,
        None,
        None,
    )


def test_on_trial_one_failure_of_two_companies_takes_it_out_for_longer(
    acme: Shop, globex: Shop, first: ProviderAccount, script: Script
) -> None:
    api, theirs = api_of(acme), api_of(globex)
    pay(api), pay(theirs)
    check_is_due(first)

    assert pay(api) == "second"
    assert now(first).circuit == State.HALF_OPEN  # one company alone is not believed
    pay(theirs)

    out = now(first)
    assert (out.circuit, out.openings) == (State.OPEN, 2)
    check_is_due(first)
    assert check_is_due(first).circuit == State.CLOSED  # nobody paid during the trial


def test_one_company_cannot_take_an_account_out_for_others(acme: Shop, first: ProviderAccount, script: Script) -> None:
    api = api_of(acme)
    for _ in range(4):
        assert pay(api) == "second"

    doubted = now(first)
    assert (doubted.circuit, doubted.failures) == (State.CLOSED, 4)
    assert doubted.check_at is not None and doubted.check_at <= utcnow()
    assert due.run_due(10) == 1  # it passes the check
    assert (now(first).failures, now(first).check_at) == (0, None)

    script.unreachable = NotConnected("HTTP 503")
    pay(api), pay(api)
    with told() as lines:
        assert due.run_due(10) == 1
    assert lines == [("provider.taken_out", "critical")]
    assert now(first).failure_reason == "HTTP 503"


def test_an_account_of_one_company_needs_no_other_witness(acme: Shop, first: ProviderAccount, script: Script) -> None:
    own = active("own", acme.production)
    routed(own, merchant=acme.production)
    script.answers["own instruct"] = [AWAY]
    api = api_of(acme)

    assert [pay(api), pay(api)] == ["own", "own"]
    assert now(own).circuit == State.OPEN
    (brl,) = api.get("/payment-methods").json()["data"]
    assert brl["methods"][0]["status"] == "TEMPORARILY_UNAVAILABLE"
    script.answers["own instruct"] = [INSTRUCTED]
    assert pay(api) == "own"  # all are taken out: asking is better than refusing

    assert now(own).circuit == State.CLOSED


def test_answers_of_any_kind_are_no_failures_and_end_a_row(
    acme: Shop, globex: Shop, first: ProviderAccount, script: Script
) -> None:
    refused = PaymentOutcome(PaymentResult.REFUSED, failure=("ACQUIRER_REFUSED", "No."))
    declined = PaymentOutcome(PaymentResult.DECLINED, failure=("CARD_REFUSED", "No."))
    odd = Unclear("an answer of another form: status")
    script.answers["first instruct"] = [refused, declined, odd, AWAY, refused, AWAY]
    api, theirs = api_of(acme), api_of(globex)

    for number in range(6):
        pay((api, theirs)[number % 2])

    assert (now(first).circuit, now(first).failures) == (State.CLOSED, 1)


def test_failures_are_in_a_row_only_within_the_window(
    acme: Shop, globex: Shop, first: ProviderAccount, script: Script
) -> None:
    pay(api_of(acme))
    ProviderAccount.objects.update(failing_since=utcnow() - timedelta(seconds=301))
    pay(api_of(globex))

    assert (now(first).circuit, now(first).failures) == (State.CLOSED, 1)


def test_failures_at_once_are_all_counted_and_take_it_out_once(
    acme: Shop, globex: Shop, first: ProviderAccount, settings: Any
) -> None:
    settings.PROVIDER_FAILURES = 6
    merchants = [acme.production.pk, globex.production.pk] * 3

    def fail(merchant_id: int) -> None:
        with pytest.raises(NotSent):
            health.observed(first, merchant_id, "prepare", lambda: _raise(AWAY))

    at_once(*(partial(fail, merchant_id) for merchant_id in merchants))

    assert (now(first).circuit, now(first).failures, now(first).openings) == (State.OPEN, 6, 1)


def _raise(failure: Exception) -> None:
    raise failure


def fails(account: ProviderAccount, shop: Shop, about: str) -> None:
    with pytest.raises(NotSent):
        health.observed(account, shop.production.pk, about, lambda: _raise(AWAY))


def is_served(account: ProviderAccount, shop: Shop, about: str) -> int:
    """How many statements that takes."""
    with CaptureQueriesContext(connection) as statements:
        health.observed(account, shop.production.pk, about, lambda: saw(SERVED))
    return len(statements)


def test_failures_of_one_kind_do_not_add_up_with_those_of_another_that_is_served(
    acme: Shop, globex: Shop, first: ProviderAccount, settings: Any
) -> None:
    settings.PROVIDER_FAILURES = 4
    fails(first, acme, "refund")
    assert is_served(now(first), acme, "prepare") == 0, "nothing that it could end"
    for number in range(4):
        fails(now(first), (acme, globex)[number % 2], "prepare")
        is_served(now(first), acme, "prepare")
    assert now(first).circuit == State.CLOSED

    for number in range(5):  # a real outage fails at all of them
        fails(now(first), (acme, globex)[number % 2], "capture" if number == 2 else "prepare")

    assert (now(first).circuit, now(first).failing_at) == (State.OPEN, "prepare")


def test_payers_of_several_companies_take_nothing_out_by_what_their_browsers_hand_over(
    acme: Shop, globex: Shop, first: ProviderAccount, script: Script
) -> None:
    for shop in (acme, globex, acme):
        fails(now(first), shop, "authorize")

    assert (now(first).circuit, now(first).fails_for_several) == (State.CLOSED, True)
    with told() as lines:
        assert due.run_due(10) == 1  # it passes the check, and people are told
    assert lines == [("provider.doubted", "critical")]
    assert (now(first).circuit, now(first).failures) == (State.CLOSED, 0)

    for shop in (acme, globex):
        fails(now(first), shop, "authorize")
    script.unreachable = NotConnected("HTTP 503")
    due.run_due(10)
    assert now(first).circuit == State.OPEN


def test_a_served_call_of_a_healthy_account_costs_no_statement(
    acme: Shop, first: ProviderAccount, script: Script
) -> None:
    script.answers["first instruct"] = [INSTRUCTED]
    pay(api_of(acme))
    question = calls.look(Payment.objects.select_related("merchant__company", "account").get())
    with CaptureQueriesContext(
        connection,
    ) as statements:
        health.observed(question.account, question.merchant_id, "prepare", lambda: None)
        question.put()
    assert len(statements) == 0


def test_refunds_that_fail_count_and_served_payments_do_not_excuse_them(
    acme: Shop, globex: Shop, first: ProviderAccount, script: Script
) -> None:
    script.answers = {"instruct": [PAID], "refund": [AWAY]}
    for shop in (acme, globex):
        api = api_of(shop)
        assert pay(api) == "first"
        payment = Payment.objects.get(merchant=shop.production)
        assert api.post(f"/payments/{payment.pk}/refunds", {"amount": 1}).status_code == 201
    Refund.objects.update(ask_at=utcnow())
    refunds_due.run_due()
    pay(api_of(acme))

    assert (now(first).circuit, now(first).failing_at) == (State.OPEN, "refund")


def test_staff_put_it_back_by_hand(acme: Shop, globex: Shop, first: ProviderAccount) -> None:
    with pytest.raises(AccountWorks):
        health.put_back(Actor(confirms()), first.pk, NOTE)
    pay(api_of(acme)), pay(api_of(globex))

    health.put_back(Actor(confirms()), first.pk, NOTE)

    assert (now(first).circuit, now(first).check_at) == (State.CLOSED, None)
    entry = AuditEntry.objects.get(action="provider_account.put_back")
    assert (entry.object_id, entry.note) == (first.pk, NOTE)
