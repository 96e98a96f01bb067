"""Conversions against each other and against whoever changes their terms: one quote is one conversion, or none."""

import threading
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections, transaction
from django.http import HttpResponse

from accounts.models import Merchant
from gateway.conversions.models import Conversion
from ledger.books.models import Transfer
from ledger.verify import verify
from tests.support.api import Api
from tests.support.cards import book
from tests.support.companies import Shop
from tests.support.conversions import confirm, converted, fund, quoted, told
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)

CREATED, USED = (201, "ONP201"), (409, "ONP409_QUOTE_ALREADY_USED")
CHANGED, TOO_LITTLE = (409, "ONP409_QUOTE_TERMS_CHANGED"), (422, "ONP422_INSUFFICIENT_BALANCE")
DISABLED = (403, "ONP403_CONVERSION_DISABLED")
FUNDED = 990_099
"""What is left of ten thousand reais over PIX."""
BACK = {"sourceMethod": "SPEI", "destinationMethod": "PIX"}


@pytest.fixture
def caller(transactional_db: None, acme: Shop, address: str) -> Callable[[], Api]:
    """Another process of the backend of acme, which has 9900.99 reais, at each call."""
    fund(acme)
    return lambda: Api(acme.sandbox_key, address)


def outcomes(answers: list[HttpResponse]) -> Counter[tuple[int, str]]:
    return Counter((answer.status_code, answer.json()["onpayCode"]) for answer in answers)


def confirming(caller: Callable[[], Api], shop: Shop, quote: dict[str, Any], key: str | None = None) -> Any:
    return lambda: confirm(caller(), shop, quote["quoteToken"], key=key)


def violations() -> list[str]:
    return [str(violation) for violation in verify()]


def test_one_quote_under_eight_keys_is_one_conversion(acme: Shop, caller: Callable[[], Api]) -> None:
    for number in range(1, 3):
        quote = quoted(caller(), acme)

        answers = at_once(*[confirming(caller, acme, quote)] * 8)

        assert outcomes(answers) == {CREATED: 1, USED: 7}
        assert len({answer.json().get("data", answer.json().get("error"))["conversionId"] for answer in answers}) == 1
        assert Conversion.objects.count() == len(told(acme)) == number
        assert book(acme)["AVAILABLE PIX BRL"] == FUNDED - number * 100_000
    assert violations() == []


def test_one_quote_under_one_key_is_answered_alike(acme: Shop, caller: Callable[[], Api]) -> None:
    quote, key = quoted(caller(), acme), str(uuid.uuid4())

    answers = at_once(*[confirming(caller, acme, quote, key)] * 8)

    assert outcomes(answers) == {CREATED: 8}
    assert len({answer.content for answer in answers}) == 1
    assert Transfer.objects.filter(kind__startswith="conversion").count() == 1


def test_quotes_share_money_that_is_enough_for_some(acme: Shop, caller: Callable[[], Api]) -> None:
    quotes = [quoted(caller(), acme, sourceAmount=3000) for _ in range(12)]

    answers = at_once(*[confirming(caller, acme, quote) for quote in quotes])

    assert outcomes(answers) == {CREATED: 3, TOO_LITTLE: 9}
    assert book(acme)["AVAILABLE PIX BRL"] == FUNDED - 900_000
    assert Conversion.objects.count() == 3


def test_opposite_conversions_do_not_wait_for_each_other_for_ever(acme: Shop, caller: Callable[[], Api]) -> None:
    converted(caller(), acme, sourceAmount=5000)
    for _ in range(2):
        quotes = [quoted(caller(), acme, sourceAmount=100, **way) for way in ({}, BACK) for _ in range(6)]

        answers = at_once(*[confirming(caller, acme, quote) for quote in quotes[::5] + quotes[1::5] + quotes[2::5]])

        assert set(outcomes(answers)) == {CREATED}
    made = Counter(Conversion.objects.values_list("source_currency", flat=True))
    held = book(acme)
    assert held["AVAILABLE PIX BRL"] == FUNDED - 500_000 - (made["BRL"] - 1) * 10_000 + made["MXN"] * 3_001
    assert held["AVAILABLE SPEI MXN"] == 1_616_138 + (made["BRL"] - 1) * 32_322 - made["MXN"] * 10_000
    assert violations() == []


@pytest.mark.parametrize(
    ("terms", "refused"),
    [({"conversion_spread": 2}, CHANGED), ({"conversion_enabled": False}, DISABLED)],
    ids=["spread", "disabled"],
)
def test_nothing_is_converted_at_terms_that_have_changed(
    acme: Shop, caller: Callable[[], Api], terms: dict[str, Any], refused: tuple[int, str]
) -> None:
    quotes = iter([quoted(caller(), acme, sourceAmount=10) for _ in range(28)])
    turn, done = threading.Lock(), threading.Semaphore(0)
    changed = threading.Event()

    def confirm_all() -> list[HttpResponse]:
        answers = []
        try:
            while True:
                with turn:
                    quote = next(quotes, None)
                if quote is None:
                    return answers
                if len(answers) == 3:
                    changed.wait(10)  # else there are none left
                answers.append(confirming(caller, acme, quote)())
                done.release()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(confirm_all) for _ in range(4)]
        for _ in range(8):
            assert done.acquire(timeout=10)
        with transaction.atomic():
            Merchant.objects.filter(pk=acme.sandbox.pk).update(**terms)
            seen = [Conversion.objects.count()]  # whoever saw the old terms had to commit before
            threading.Event().wait(0.1)
        seen.append(Conversion.objects.count())
        changed.set()
        answers = [answer for one in running for answer in one.result()]

    assert set(outcomes(answers)) == {CREATED, refused}
    assert [*seen, outcomes(answers)[CREATED]] == [Conversion.objects.count()] * 3
    assert {str(rate) for rate in Conversion.objects.values_list("spread_percentage", flat=True)} == {"1.5000"}
    assert violations() == []
