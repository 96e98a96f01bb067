"""When the terms of a quote no longer hold, or hold only once: nothing is converted, and nothing persisted."""

import json
import uuid
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from accounts.base.clock import now, utcnow
from accounts.models import Company, Merchant
from accounts.services import issue_key
from gateway.conversions.models import Conversion
from ledger.holds import services as holds
from ledger.rates import services as rates
from tests.support.api import Api
from tests.support.cards import book
from tests.support.companies import Shop
from tests.support.conversions import (
    FUNDED,
    ask,
    change,
    confirm,
    converted,
    fund,
    later,
    nothing_moves,
    path,
    payload,
    quoted,
    refusal,
)
from tests.support.operations import EVERY

pytestmark = pytest.mark.django_db

EXPIRED, USED = (409, "ONP409_QUOTE_EXPIRED"), (409, "ONP409_QUOTE_ALREADY_USED")
CHANGED, TOO_LITTLE = (409, "ONP409_QUOTE_TERMS_CHANGED"), (422, "ONP422_INSUFFICIENT_BALANCE")
DISABLED, SUSPENDED = (403, "ONP403_CONVERSION_DISABLED"), (403, "ONP403_COMPANY_STATUS")


@pytest.fixture(autouse=True)
def money(acme: Shop) -> None:
    """acme has 9900.99 reais."""
    fund(acme)


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def stand(shop: Shop, at_ms: float) -> None:
    """The company's clock says this now."""
    change(shop, clock_offset=datetime.fromtimestamp(at_ms / 1000, UTC) - utcnow())
    shop.sandbox.refresh_from_db()


def test_a_quote_has_expired_in_its_last_millisecond(api: Api, acme: Shop) -> None:
    quote = quoted(api, acme)
    stand(acme, int(quote["expiresAt"]))

    with nothing_moves(acme):
        answer = confirm(api, acme, quote["quoteToken"])

    assert refusal(answer) == EXPIRED
    assert answer.json()["error"]["retryable"] is False


def test_whatever_was_converted_was_converted_before_its_quote_expired(api: Api, acme: Shop) -> None:
    ended = []
    for ahead_ms in (*range(-3, 40, 2), 400, 4000):  # a busy machine takes longer
        stand(acme, milliseconds(utcnow()))
        quote = quoted(api, acme, sourceAmount=1)
        stand(acme, int(quote["expiresAt"]) - ahead_ms)

        answer = confirm(api, acme, quote["quoteToken"])

        ended.append(answer.status_code)
        if answer.status_code == 201:
            at = datetime.fromisoformat(answer.json()["data"]["createdAt"])
            assert milliseconds(at) < quote["expiresAt"]
        else:
            assert refusal(answer) == EXPIRED
            assert milliseconds(now(acme.sandbox)) >= quote["expiresAt"]
    assert set(ended) == {201, 409}


def test_a_quote_of_59_seconds_ago_still_holds(api: Api, acme: Shop) -> None:
    token = quoted(api, acme)["quoteToken"]
    later(acme, seconds=57)

    assert confirm(api, acme, token).status_code == 201


def test_an_expired_quote_must_be_asked_for_again_and_its_key_says_so_for_ever(api: Api, acme: Shop) -> None:
    quote, key = quoted(api, acme), str(uuid.uuid4())
    later(acme, seconds=60)

    first, again = (confirm(api, acme, quote["quoteToken"], key=key) for _ in range(2))

    assert (refusal(first), again.content, again["Idempotent-Replayed"]) == (EXPIRED, first.content, "true")
    assert converted(api, acme)["status"] == "COMPLETED"


@pytest.mark.parametrize("spread", ["1.4999", "1.5001", "0", "3"])
def test_another_spread_is_another_quote(api: Api, acme: Shop, spread: str) -> None:
    token, key = quoted(api, acme)["quoteToken"], str(uuid.uuid4())
    change(acme, conversion_spread=Decimal(spread))

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, token, key=key)) == CHANGED
        change(acme, conversion_spread=Decimal("1.5"))
        assert refusal(confirm(api, acme, token, key=key)) == CHANGED
    assert converted(api, acme)["spreadPercentage"] == Decimal("1.5")


def test_the_market_may_move_while_a_quote_holds(acme: Shop, address: str) -> None:
    merchant = acme.production
    Merchant.objects.filter(pk=merchant.pk).update(conversion_enabled=True)
    production = Api(issue_key(merchant, EVERY, "production")[1], address)
    rates.record({"BRL": Decimal(5), "MXN": Decimal(20)}, utcnow())
    token = quoted(production, acme)["quoteToken"]
    rates.record({"BRL": Decimal(5), "MXN": Decimal(19)}, utcnow())

    with nothing_moves(acme):
        assert refusal(confirm(production, acme, token)) == TOO_LITTLE


def test_a_company_that_may_no_longer_convert_is_refused(api: Api, acme: Shop) -> None:
    token = quoted(api, acme)["quoteToken"]
    change(acme, conversion_enabled=False)

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, token)) == DISABLED


def test_a_company_that_was_suspended_is_refused(api: Api, acme: Shop) -> None:
    token, key = quoted(api, acme)["quoteToken"], str(uuid.uuid4())
    company = Company.objects.filter(pk=acme.company.pk)
    company.update(status=Company.Status.SUSPENDED)

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, token, key=key)) == SUSPENDED
    company.update(status=Company.Status.ACTIVE)
    assert confirm(api, acme, token, key=key).status_code == 201


# ── Once ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_same_key_replays_the_conversion(api: Api, acme: Shop) -> None:
    token, key = quoted(api, acme)["quoteToken"], str(uuid.uuid4())
    first = confirm(api, acme, token, key=key)
    later(acme, minutes=5)
    change(acme, conversion_spread=9)

    with nothing_moves(acme):
        again = confirm(api, acme, token, key=key)
        other = confirm(api, acme, quoted(api, acme)["quoteToken"], key=key)

    assert (again.status_code, again.content, again["Idempotent-Replayed"]) == (201, first.content, "true")
    assert refusal(other) == (409, "ONP409_IDEMPOTENCY_CONFLICT")


def test_another_key_is_told_which_conversion_it_was(api: Api, acme: Shop) -> None:
    token = quoted(api, acme)["quoteToken"]
    made = confirm(api, acme, token).json()["data"]

    with nothing_moves(acme):
        answer = confirm(api, acme, token)

    assert refusal(answer) == USED
    error = answer.json()["error"]
    assert (error["conversionId"], error["retryable"]) == (made["conversionId"], False)


def test_two_quotes_of_the_same_are_two_conversions(api: Api, acme: Shop) -> None:
    made = {converted(api, acme)["conversionId"] for _ in range(2)}

    assert (len(made), book(acme)["AVAILABLE SPEI MXN"]) == (2, 2 * 323_227)


def test_the_first_reason_that_holds_is_given(api: Api, acme: Shop) -> None:
    first, second, third = (quoted(api, acme, sourceAmount=9000)["quoteToken"] for _ in range(3))
    assert confirm(api, acme, first).status_code == 201
    fourth = quoted(api, acme, sourceAmount=9000)["quoteToken"]

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, second)) == TOO_LITTLE
        change(acme, conversion_spread=2)
        assert refusal(confirm(api, acme, third)) == CHANGED
        later(acme, seconds=60)
        assert refusal(confirm(api, acme, fourth)) == EXPIRED
        assert refusal(confirm(api, acme, first)) == USED
        assert refusal(confirm(api, acme, f"{first}x")) == (400, "ONP400_QUOTE_TOKEN")


# ── The money ─────────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_last_cent_can_be_converted_and_no_more(api: Api, acme: Shop) -> None:
    with nothing_moves(acme):
        answer = confirm(api, acme, quoted(api, acme, sourceAmount=9901)["quoteToken"])
    assert refusal(answer) == TOO_LITTLE
    assert answer.json()["error"]["retryable"] is False

    converted(api, acme, sourceAmount=FUNDED / 100)

    assert "AVAILABLE PIX BRL" not in book(acme)


def test_what_is_blocked_cannot_be_converted(api: Api, acme: Shop) -> None:
    holds.place(acme.sandbox, "BRL", FUNDED - 99_999, "COMPLIANCE", note="An invoice is missing")

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, quoted(api, acme)["quoteToken"])) == TOO_LITTLE


def test_a_wallet_that_never_had_money_has_too_little(api: Api, acme: Shop) -> None:
    token = quoted(api, acme, sourceMethod="MB_WAY", destinationMethod="PIX", sourceAmount=0.01)["quoteToken"]

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, token)) == TOO_LITTLE


def test_money_that_came_later_does_not_wake_a_refused_confirmation(api: Api, acme: Shop) -> None:
    token, key = quoted(api, acme, sourceAmount=15_000)["quoteToken"], str(uuid.uuid4())
    assert refusal(confirm(api, acme, token, key=key)) == TOO_LITTLE
    fund(acme)

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, token, key=key)) == TOO_LITTLE
    assert confirm(api, acme, token).status_code == 201


@pytest.mark.parametrize("raw", [b"[]", b"{", b'{"quoteToken": NaN}', b'{"quoteToken": "x", "quoteToken": "y"}'])
def test_what_is_no_body_is_refused(api: Api, acme: Shop, raw: bytes) -> None:
    with nothing_moves(acme):
        answer = api.post(path(acme, "/confirm"), raw=raw)

    assert answer.status_code == 400
    assert Conversion.objects.count() == 0


def test_a_confirmation_without_a_key_is_refused(api: Api, acme: Shop) -> None:
    body: dict[str, Any] = {"quoteToken": quoted(api, acme)["quoteToken"]}

    with nothing_moves(acme):
        answer = api.http.post(
            f"/api/v2{path(acme, '/confirm')}", json.dumps(body), "application/json", headers={"x-api-key": api.key}
        )

    assert refusal(answer) == (400, "ONP400_IDEMPOTENCY_KEY_MISSING")
    assert ask(api, acme).status_code == 200


# ── Magic amounts (contract §14.3) ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("amount", [933, 1933, 933.00])
def test_933_has_no_rate(api: Api, acme: Shop, amount: float) -> None:
    answer = ask(api, acme, sourceAmount=amount)

    assert refusal(answer) == (503, "ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE")
    assert answer.json()["error"]["retryable"] is True
    assert quoted(api, acme, sourceAmount=933.01)["sourceAmount"] == Decimal("933.01")


@pytest.mark.parametrize("amount", [932, 5932])
def test_932_holds_for_a_second(api: Api, acme: Shop, amount: int) -> None:
    quote = quoted(api, acme, sourceAmount=amount)
    said = payload(quote["quoteToken"])
    assert (said["expiresAt"], said["expiresAt"] - said["iat"]) == (quote["expiresAt"], 1000)
    later(acme, seconds=1)

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, quote["quoteToken"])) == (409, "ONP409_QUOTE_EXPIRED")


@pytest.mark.parametrize("amount", [931, 1931])
def test_931_has_other_terms_when_it_is_confirmed(api: Api, acme: Shop, amount: int) -> None:
    quote = quoted(api, acme, sourceAmount=amount)

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, quote["quoteToken"])) == (409, "ONP409_QUOTE_TERMS_CHANGED")
    assert Conversion.objects.count() == 0
