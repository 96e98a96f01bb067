"""A confirmed quote moves the money at once, wholly and once; whatever is refused moves nothing."""

import hashlib
import hmac
import string
from base64 import urlsafe_b64encode
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings as configured
from pytest_django import Settings

from accounts.base.clock import now
from accounts.models import Merchant
from accounts.services import issue_key
from gateway.conversions.models import Conversion
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import book
from tests.support.companies import Shop
from tests.support.conversions import (
    FUNDED,
    change,
    confirm,
    converted,
    encoded,
    exact,
    fund,
    nothing_moves,
    path,
    payload,
    quoted,
    refusal,
    told,
)
from tests.support.operations import EVERY

pytestmark = pytest.mark.django_db

ALTERED = (400, "ONP400_QUOTE_TOKEN")
LETTERS = string.ascii_letters + string.digits + "-_"


@pytest.fixture(autouse=True)
def money(acme: Shop) -> None:
    """acme has 9900.99 reais."""
    fund(acme)


def test_a_thousand_reais_are_worked_out_by_hand(api: Api, acme: Shop) -> None:
    before = now(acme.sandbox)
    quote = quoted(api, acme)

    answer = confirm(api, acme, quote["quoteToken"])

    assert refusal(answer) == (201, "ONP201")
    made = exact(answer)
    at = datetime.fromisoformat(made["createdAt"])
    assert before <= at <= now(acme.sandbox)
    assert made["completedAt"] == made["createdAt"]
    assert made == {
        "conversionId": Conversion.objects.get().id, "companyId": acme.company.id,
        "sourceMethod": "PIX", "sourceCurrency": "BRL", "sourceAmount": 1000,
        "destinationMethod": "SPEI", "destinationCurrency": "MXN", "destinationAmount": Decimal("3232.27"),
        "marketRate": Decimal("3.2815"), "appliedRate": Decimal("3.2322775"), "spreadPercentage": Decimal("1.5"),
        "status": "COMPLETED", "createdAt": made["createdAt"], "completedAt": made["completedAt"],
    }  # fmt: skip
    assert book(acme) == {
        "AVAILABLE PIX BRL": FUNDED - 100_000, "CLEARING PIX BRL": -1_000_000, "FEE_INCOME BRL": 9_901,
        "FX_POSITION BRL": 100_000, "FX_POSITION MXN": -328_150, "FX_SPREAD MXN": 4_923,
        "AVAILABLE SPEI MXN": 323_227,
    }  # fmt: skip
    transfer = Transfer.objects.get(kind__startswith="conversion")
    assert (transfer.posted_at, transfer.reference) == (at, made["conversionId"])


def test_it_is_announced_as_it_is_looked_up(api: Api, acme: Shop) -> None:
    made = converted(api, acme)

    found = api.get(path(acme, f"/{made['conversionId']}"))

    [event] = told(acme)
    assert event["type"] == "conversion.completed"
    assert event["data"] == found.json()["data"]
    assert exact(found) == made
    assert api.get(path(acme)).json()["data"] == [event["data"]]


def test_the_list_begins_with_the_newest_and_is_ones_own(api: Api, globex_api: Api, acme: Shop, globex: Shop) -> None:
    made = [converted(api, acme, sourceAmount=amount)["conversionId"] for amount in (1, 2, 3)]
    fund(globex)
    converted(globex_api, globex)

    answer = api.get(path(acme), pageSize=2).json()

    assert [one["conversionId"] for one in answer["data"]] == made[:0:-1]
    assert answer["pagination"] == {"pageNumber": 1, "pageSize": 2, "total": 2, "totalAvailable": 3}
    for unknown in (*made, "cnv_01KAGTW3Q8XJ5V0N2B7R4C9CNV", "x"):
        assert refusal(globex_api.get(path(globex, f"/{unknown}"))) == (404, "ONP404_CONVERSION")


def test_the_balance_is_explained_by_it(api: Api, acme: Shop) -> None:
    converted(api, acme)

    for currency, amount in (("BRL", -1000), ("MXN", 3232.27)):
        said = api.get(f"/companies/{acme.company.id}/balance/explain", currency=currency).json()["data"]
        causes = {one["cause"]: (one["count"], one["amount"]) for one in said["causes"]}
        assert causes["CONVERSIONS"] == (1, amount)
        assert said["ending"] == pytest.approx(sum(one["amount"] for one in said["causes"]))


def test_without_a_spread_the_books_have_none(api: Api, acme: Shop) -> None:
    change(acme, conversion_spread=0)

    assert converted(api, acme)["destinationAmount"] == Decimal("3281.5")

    assert "FX_SPREAD MXN" not in book(acme)
    assert book(acme)["AVAILABLE SPEI MXN"] == -book(acme)["FX_POSITION MXN"] == 328_150


def test_everything_there_and_back_leaves_less_and_the_rest_in_our_books(api: Api, acme: Shop) -> None:
    there = converted(api, acme, sourceAmount=9900.99)

    back = converted(
        api, acme, sourceMethod="SPEI", destinationMethod="PIX", sourceAmount=float(there["destinationAmount"])
    )

    assert (there["destinationAmount"], back["destinationAmount"]) == (Decimal("32002.74"), Decimal("9606.18"))
    held = book(acme)
    assert "AVAILABLE SPEI MXN" not in held
    assert (held["AVAILABLE PIX BRL"], held["FX_SPREAD MXN"], held["FX_SPREAD BRL"]) == (960_618, 48_735, 14_629)


# ── The token ─────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_token_altered_in_any_letter_is_refused(api: Api, acme: Shop) -> None:
    token = str(quoted(api, acme)["quoteToken"])
    last = len(token) - 1

    with nothing_moves(acme):
        for place in {*range(0, 12), *range(12, last, 23), *range(last - 44, last + 1)}:
            for other in {chr(ord(token[place]) ^ 1), LETTERS[LETTERS.find(token[place]) - 1]} - {token[place]}:
                bent = token[:place] + other + token[place + 1 :]
                assert refusal(confirm(api, acme, bent)) == ALTERED, (place, other)
    assert confirm(api, acme, token).status_code == 201


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("destinationAmount", "999999.00"), ("sourceAmount", "0.01"), ("appliedRate", "99"), ("spreadPercentage", "0"),
        ("expiresAt", 4_102_444_800_000), ("companyId", "cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP"), ("jti", "x"),
        ("environment", "PRODUCTION"), ("kid", "x"), ("termsVersion", "x"), ("destinationCurrency", "EUR"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("secret", [None, b"", b"x", configured.SECRET_KEY.encode()])
def test_what_the_token_says_cannot_be_changed(
    api: Api, acme: Shop, member: str, value: Any, secret: bytes | None
) -> None:
    prefix, _, signature = str(quoted(api, acme)["quoteToken"]).split(".")
    said = payload(str(quoted(api, acme)["quoteToken"])) | {member: value}
    signed = f"{prefix}.{encoded(said)}"
    if secret is not None:
        mac = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
        signature = urlsafe_b64encode(mac).decode().rstrip("=")

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, f"{signed}.{signature}")) == ALTERED


@pytest.mark.parametrize("token", [None, 7, True, [], {}, "", "x", "onpq1..", "onpq1.e30.", "." * 3, "é", "x" * 3000])
def test_what_is_no_token_is_refused(api: Api, acme: Shop, token: Any) -> None:
    with nothing_moves(acme):
        answer = confirm(api, acme, token)

    assert refusal(answer) == ALTERED
    assert answer.json()["error"]["field"] == "quoteToken"


def test_a_token_in_other_words_is_refused(api: Api, acme: Shop) -> None:
    token, other = (str(quoted(api, acme)["quoteToken"]) for _ in range(2))
    prefix, said, signature = token.split(".")
    forms = [f" {token}", f"{token} ", f"{token}\n", f"{token}=", f"{token}.", f"{prefix}.{said}=.{signature}",
             f"onpq2.{said}.{signature}", f"{prefix}.{said}.{other.split('.')[2]}", f"{prefix}.{said}", token.upper(),
             f"{prefix}.{said}.", f"{prefix}.{said}.{signature[:-1]}", f"{prefix}.{said}.{signature}A"]  # fmt: skip

    with nothing_moves(acme):
        assert {refusal(confirm(api, acme, form)) for form in forms} == {ALTERED}
        assert refusal(api.post(path(acme, "/confirm"), {})) == ALTERED


def test_the_quote_of_another_company_or_environment_is_refused(
    api: Api, globex_api: Api, acme: Shop, globex: Shop, address: str
) -> None:
    fund(globex)
    token = quoted(globex_api, globex)["quoteToken"]
    Merchant.objects.filter(pk=acme.production.pk).update(conversion_enabled=True)
    production = Api(issue_key(acme.production, EVERY, "everything")[1], address)

    with nothing_moves(acme, globex):
        assert refusal(confirm(api, acme, token)) == ALTERED
        assert refusal(confirm(production, acme, quoted(api, acme)["quoteToken"])) == ALTERED
    assert confirm(globex_api, globex, token).status_code == 201


def test_a_quote_outlives_a_change_of_the_secret_as_long_as_the_old_one_is_known(
    api: Api, acme: Shop, settings: Settings
) -> None:
    old = settings.SECRET_KEY
    first, second = (quoted(api, acme)["quoteToken"] for _ in range(2))
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another secret " * 5, [old]

    third = quoted(api, acme)["quoteToken"]

    assert confirm(api, acme, first).status_code == 201
    assert confirm(api, acme, third).status_code == 201
    assert payload(str(third))["kid"] != payload(str(second))["kid"]
    settings.SECRET_KEY_FALLBACKS = []
    with nothing_moves(acme):
        assert refusal(confirm(api, acme, second)) == ALTERED
