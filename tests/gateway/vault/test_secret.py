"""A secret shows itself to nobody by accident, and a number is told from what is none."""

import copy
import json
import logging
import pickle
from datetime import date
from functools import partial
from operator import mod
from typing import Any

import orjson
import pytest

from accounts.base.wire import dumps
from gateway.methods.card.cards import Card, Funding, Plays
from gateway.methods.card.sandbox_cards import FUNDING_OF_CVC, TEST_CARDS
from gateway.vault import cards
from gateway.vault.cards import Secret, recognized

NUMBER = "4242424242424242"
WAYS = {
    "str": str,
    "repr": repr,
    "format": format,
    "f-string": lambda secret: f"{secret}",
    "f-string !r": lambda secret: f"{secret!r}",
    "f-string :>20": lambda secret: f"{secret:>20}",
    "%s": partial(mod, "%s"),
    "%r": partial(mod, "%r"),
    "in a list": lambda secret: str([secret]),
    "in a dict": lambda secret: repr({"number": secret}),
    "ascii": ascii,
    "join": lambda secret: "".join([secret]),
    "plus": lambda secret: "" + secret,
    "bytes": bytes,
    "json": json.dumps,
    "json default": lambda secret: json.dumps(secret, default=str),
    "orjson": orjson.dumps,
    "orjson default": lambda secret: orjson.dumps(secret, default=str),
    "our own JSON": lambda secret: dumps({"number": secret}),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "vars": vars,
    "iter": list,
    **{f"pickle {n}": lambda secret, n=n: pickle.dumps(secret, n) for n in range(pickle.HIGHEST_PROTOCOL + 1)},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_never_shows(way: str) -> None:
    with pytest.raises((TypeError, orjson.JSONEncodeError)) as refused:
        WAYS[way](Secret(NUMBER))

    assert NUMBER not in str(refused.value)


def test_an_error_that_passes_by_does_not_tell_it(caplog: Any) -> None:
    def fail(number: Secret) -> None:
        raise ValueError("broken")

    try:
        fail(Secret(NUMBER))
    except ValueError:
        logging.getLogger("test").exception("failed")

    assert NUMBER not in caplog.text


def test_it_is_revealed_to_who_asks() -> None:
    assert Secret(NUMBER).reveal() == NUMBER
    assert not hasattr(Secret(NUMBER), "__dict__")


PLAYS = {
    "4242424242424242": Plays.APPROVED,
    "4000000000003220": Plays.CHALLENGE,
    "4000000000000002": Plays.REFUSED,
    "4000000000009995": Plays.INSUFFICIENT_FUNDS,
    "4000000000000069": Plays.EXPIRED,
    "4000000000000127": Plays.INVALID_CVV,
    "4000000000003063": Plays.CHALLENGE_REFUSED,
    "4000000000000119": Plays.TIMEOUT,
}


def test_the_test_cards_are_those_of_the_contract() -> None:
    assert {card.number: card.plays for card in TEST_CARDS} == PLAYS


@pytest.mark.parametrize("number", [*PLAYS, "5555555555554444"])
@pytest.mark.parametrize("cvc", ["123", *FUNDING_OF_CVC])
def test_a_card_is_known_by_brand_and_last_four(number: str, cvc: str) -> None:
    card = recognized(Secret(number), Secret(cvc))

    plays = PLAYS.get(number, Plays.UNKNOWN)
    said = {"901": Funding.CREDIT, "902": Funding.DEBIT, "903": Funding.PREPAID, "904": Funding.UNKNOWN}
    is_approved = plays in (Plays.APPROVED, Plays.CHALLENGE)
    funding = said.get(cvc, Funding.AS_REQUESTED) if is_approved else Funding.AS_REQUESTED
    assert card == Card("visa" if number[0] == "4" else "mastercard", number[-4:], funding, plays)
    assert Card.of(card.snapshot()) == card
    assert number not in repr(card) and number not in str(card.snapshot())


@pytest.mark.parametrize(
    ("number", "is_one"),
    [
        ("4242424242424242", True), ("4222222222222", True), ("378282246310005", True), ("30569309025904", True),
        ("6362970000457013", True), ("3841001111222233334", False), ("4242424242424241", False), ("0" * 12, False),
        ("4" * 20, False), ("", False), ("3782822463100051", False), ("５" * 16, False), ("424242424242424a", False),
    ],
)  # fmt: skip
def test_what_a_number_is(number: str, is_one: bool) -> None:
    assert cards.is_number(number) is is_one


@pytest.mark.parametrize(
    ("year", "month", "is_over"), [(2026, 11, False), (2026, 10, True), (2025, 12, True), (2027, 1, False)]
)
def test_a_card_is_good_to_the_end_of_its_month(year: int, month: int, is_over: bool) -> None:
    assert cards.is_expired(year, month, date(2026, 11, 30)) is is_over
