"""Of a card that was typed nothing stays that could pay: not in a table, not in a log, not in an answer."""

import json
import re
from typing import Any

import pytest
from django.db import connection
from stdnum import luhn

from gateway.methods.card.models import CardToken
from gateway.methods.card.sandbox_cards import TEST_CARDS
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.card_numbers import numbers_in, numbers_in_the_database
from tests.support.cards import alone, browser, lookup, opened
from tests.support.receiver import listening
from webhooks.dispatch import deliver_due

OTHERS = [f"{start}{n:09}" for n, start in enumerate(["411111", "555555", "601111", "510510", "222300"], 100)]
UNKNOWN = [f"{start}{luhn.calc_check_digit(start)}" for start in OTHERS]
NUMBERS = [*(card.number for card in TEST_CARDS), *UNKNOWN]
CVC = "837"


def test_after_every_card_no_number_is_in_any_row_or_log(api: Api, settings: Any, caplog: Any, capfd: Any) -> None:
    settings.LOCAL = True
    answers = []
    with listening() as receiver:
        api.post("/webhooks", {"url": receiver.url, "events": ["*"]})
        for number in NUMBERS:
            session = opened(api)
            typed = session.type(number, CVC)
            wrong = session.type(number[:-1] + str((int(number[-1]) + 1) % 10), CVC)
            answer = session.confirm(typed.json()["cardToken"])
            again = session.call("confirm", {"cardToken": number, "number": number})
            answers += [typed, wrong, answer, again, api.get(f"/payments/{session.id}")]
            if "threeDs" in answer.json():
                with alone():
                    path = answer.json()["threeDs"]["challengeUrl"]
                    answers += [browser().get(path), browser().post(path, {"decision": "approve"})]
        deliver_due()
        sent = b"".join(one.body for one in receiver.received).decode()

    assert len(CardToken.objects.all()) == len(NUMBERS)
    assert numbers_in_the_database(NUMBERS) == set()
    assert numbers_in("".join(answer.content.decode() for answer in answers), NUMBERS) == set()
    assert numbers_in(sent, NUMBERS) == set()
    logged = caplog.text + "".join(capfd.readouterr())
    assert logged.count("/sdk/v1/tokens") == 2 * len(NUMBERS)
    assert numbers_in(logged, NUMBERS) == set()
    assert not re.search(rf"(?i)(cvv|cvc|code)\W{{1,4}}{CVC}", logged + sent)


def test_the_vault_keeps_brand_last_four_date_kind_and_scenario(api: Api) -> None:
    session = opened(api)
    token = session.token("4000000000003220", "902")

    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(t), t.digest FROM gateway_cardtoken t")
        [(row, digest)] = cursor.fetchall()
    kept = row if isinstance(row, dict) else json.loads(row)

    told = {"brand", "last4", "funding", "plays", "exp_month", "exp_year"}
    assert set(kept) == {"digest", "payment_id", "created_at", "used_at"} | told
    assert (kept["brand"], kept["last4"], kept["funding"], kept["plays"]) == ("visa", "3220", "debit", "CHALLENGE")
    assert (kept["payment_id"], kept["used_at"]) == (session.id, None)
    assert len(bytes(digest)) == 32
    assert token not in str(kept) and token.encode() not in bytes(digest)
    del kept["digest"], kept["payment_id"], kept["created_at"]
    assert not re.search(r"902|\d{5,}", str(kept))


def test_a_payment_keeps_no_more_of_its_card(api: Api) -> None:
    session = opened(api)
    session.pay("4242424242424242", "901")

    details = Payment.objects.get().details
    assert details["card"] == {"brand": "visa", "last4": "4242", "funding": "credit", "plays": "APPROVED"}
    assert "cat_" not in str(details) and "901" not in str({**details, "authorizationCode": ""})
    assert "4242" not in json.dumps(lookup(api, session))


def test_an_unforeseen_failure_tells_nothing_of_the_card(api: Api, caplog: Any, capfd: Any) -> None:
    session = opened(api)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE gateway_cardtoken ADD CONSTRAINT broken CHECK (last4 <> '4242')")

    with alone():
        answer = session.type("4242424242424242", CVC)

    assert answer.status_code == 500
    logged = caplog.text + "".join(capfd.readouterr())
    assert "broken" in logged
    assert numbers_in(logged + answer.content.decode(), NUMBERS) == set()
    assert CVC not in answer.content.decode()


PLANTED = ["4242424242424242", "4242 4242 4242 4242", "4242-4242-4242-4242", "x4000000000000002y", "5555555555554444"]


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("planted", PLANTED)
@pytest.mark.parametrize("kind", ["text", "jsonb", "bytea", "text[]", "varchar(40)"])
def test_the_scan_finds_what_is_planted(db: None, planted: str, kind: str) -> None:
    value: Any = {"jsonb": json.dumps({"a": [planted]}), "bytea": planted.encode(), "text[]": [planted]}.get(
        kind, planted
    )
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE planted (id serial, kept {kind})")
        cursor.execute("INSERT INTO planted (kept) VALUES (%s)", [value])

    found = {column for column, _ in numbers_in_the_database(NUMBERS)}

    assert found == {"planted.kept"}


@pytest.mark.parametrize("planted", PLANTED)
def test_the_scan_finds_what_is_logged(planted: str) -> None:
    assert len(numbers_in(f'{{"event": "request", "said": "{planted}"}}', NUMBERS)) == 1
    assert numbers_in("4242424242424241 · 52998224725 · 2026-11-21T04:57:00.933Z", NUMBERS) == set()
