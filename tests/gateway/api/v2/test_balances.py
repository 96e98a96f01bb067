"""What a balance is made of, item by item, and how it came about, to the cent."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.base import clock
from accounts.models import User
from ledger.holds import services as holds
from ledger.holds.models import Hold
from ledger.receivables import advances
from ledger.receivables.models import Receivable
from tests.support.api import Api, used
from tests.support.cards import a_card
from tests.support.companies import Shop
from tests.support.payments import a_payment

PATHS = ["balance/explain", "balances/releasing", "balances/blocked", "statement"]


def ask(api: Api, shop: Shop, what: str, **query: Any) -> Any:
    answer = api.get(f"/companies/{shop.company.id}/{what}", **query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def wait(api: Api, shop: Shop, duration: str) -> None:
    assert api.post("/simulations/clock", {"advanceBy": duration}).status_code == 200
    shop.sandbox.refresh_from_db()


def block(shop: Shop, amount: int, reason: str = "COMPLIANCE", **members: Any) -> str:
    case = {"note": "By letter", "case_number": "1/26"}
    return holds.place(shop.sandbox, "BRL", amount, reason, **case | members).id


def causes(story: Any) -> list[tuple[str, int, float]]:
    return [(one["cause"], one["count"], one["amount"]) for one in story["data"]["causes"]]


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("staff@onpay.example", "not a secret")


def test_what_is_releasing_is_told_payment_by_payment(api: Api, acme: Shop) -> None:
    paid = a_card(api, 200.00)
    receivable = Receivable.objects.get()

    page = ask(api, acme, "balances/releasing")

    assert page["data"] == [
        {
            "id": receivable.id,
            "paymentId": paid["id"],
            "reference": paid["reference"],
            "method": "CREDIT_CARD",
            "walletMethod": "PIX",
            "currency": "BRL",
            "grossAmount": 200.00,
            "fee": 7.98,
            "refundedAmount": 0,
            "amount": 192.02,
            "state": "SCHEDULED",
            "releaseAt": paid["releaseAt"],
            "createdAt": paid["paidAt"],
        }
    ]
    assert page["totals"] == [{"currency": "BRL", "amount": 192.02}]
    assert page["pagination"] == {"pageNumber": 1, "pageSize": 20, "total": 1, "totalAvailable": 1}


def test_what_is_due_first_comes_first_and_totals_are_over_all_pages(api: Api, acme: Shop) -> None:
    credit, debit, euros = a_card(api, 200.00), a_card(api, 100.00, "DEBIT_CARD"), a_card(api, 50.00, currency="EUR")
    a_payment(acme.sandbox, "PAID")

    pages = [ask(api, acme, "balances/releasing", pageSize=1, pageNumber=number) for number in (1, 2, 3, 4)]

    assert [[item["paymentId"] for item in page["data"]] for page in pages] == [
        [debit["id"]], [credit["id"]], [euros["id"]], []
    ]  # fmt: skip
    balances = {one["currency"]: one["releasing"] for one in used(ask(api, acme, "balance")["data"]["balances"])}
    for page in pages:
        assert {one["currency"]: one["amount"] for one in page["totals"]} == balances
        assert [one["currency"] for one in page["totals"]] == ["BRL", "EUR"]
        assert page["pagination"]["totalAvailable"] == 3


def test_what_is_reserved_for_an_advance_is_still_releasing(api: Api, acme: Shop, staff: User) -> None:
    a_card(api, 200.00)
    requested = advances.request(acme.sandbox, [Receivable.objects.get().id], None)

    [item] = ask(api, acme, "balances/releasing")["data"]
    assert (item["state"], item["amount"]) == ("RESERVED_FOR_ADVANCE", 192.02)

    advances.approve(requested.id, staff)
    page = ask(api, acme, "balances/releasing")
    assert (page["data"], page["totals"]) == ([], [])


def test_what_was_released_is_releasing_no_more(api: Api, acme: Shop) -> None:
    a_card(api, 200.00)
    a_card(api, 100.00, "DEBIT_CARD")
    wait(api, acme, "P2D")

    page = ask(api, acme, "balances/releasing")

    assert [item["method"] for item in page["data"]] == ["CREDIT_CARD"]
    assert page["totals"] == [{"currency": "BRL", "amount": 192.02}]


def test_releasing_is_filtered_by_currency_method_and_day(api: Api, acme: Shop) -> None:
    credit, debit = a_card(api, 200.00), a_card(api, 100.00, "DEBIT_CARD")
    euros = a_card(api, 50.00, "DEBIT_CARD", "EUR")

    def found(**query: str) -> set[str]:
        return {item["paymentId"] for item in ask(api, acme, "balances/releasing", **query)["data"]}

    assert found(currency="BRL") == {credit["id"], debit["id"]}
    assert found(method="DEBIT_CARD") == {debit["id"], euros["id"]}
    assert found(currency="EUR", method="CREDIT_CARD") == set()
    due = datetime.fromisoformat(credit["releaseAt"])
    later = (due + timedelta(milliseconds=1)).isoformat().replace("+00:00", "Z")
    assert found(releaseFrom=credit["releaseAt"]) == {credit["id"]}
    assert found(releaseFrom=later) == set()
    assert found(releaseTo=credit["releaseAt"], currency="BRL") == {debit["id"]}
    assert found(releaseTo=later, currency="BRL") == {credit["id"], debit["id"]}
    totals = ask(api, acme, "balances/releasing", releaseFrom=credit["releaseAt"])["totals"]
    assert totals == [{"currency": "BRL", "amount": 192.02}]


def test_what_is_blocked_is_told_newest_first_with_its_reason(api: Api, acme: Shop, staff: User) -> None:
    a_payment(acme.sandbox, "PAID")
    expected = datetime(2030, 1, 2, tzinfo=UTC)
    first = block(acme, 5000, by=staff, expected_release_at=expected)
    wait(api, acme, "PT1S")
    second, lifted = block(acme, 25, "LEGAL_ORDER"), block(acme, 1)
    holds.lift(lifted)

    page = ask(api, acme, "balances/blocked")

    created = Hold.objects.get(pk=first).created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert [item["id"] for item in page["data"]] == [second, first]
    assert page["data"][1] == {
        "id": first,
        "reason": "COMPLIANCE",
        "walletMethod": "PIX",
        "currency": "BRL",
        "amount": 50.00,
        "paymentId": None,
        "refundId": None,
        "withdrawalId": None,
        "caseNumber": "1/26",
        "expectedReleaseAt": "2030-01-02T00:00:00.000Z",
        "createdAt": created,
    }
    assert page["totals"] == [{"currency": "BRL", "amount": 50.25}]
    assert ask(api, acme, "balance", currency="BRL")["data"]["balances"][0]["blocked"] == 50.25
    of_law = ask(api, acme, "balances/blocked", reason="LEGAL_ORDER")
    assert ([item["id"] for item in of_law["data"]], of_law["totals"][0]["amount"]) == ([second], 0.25)
    assert ask(api, acme, "balances/blocked", currency="MXN")["totals"] == []


def test_a_balance_is_explained_by_its_causes(api: Api, acme: Shop, staff: User) -> None:
    a_payment(acme.sandbox, "PAID")
    a_payment(acme.sandbox, "PAID", "100.00")
    a_card(api, 100.00, "DEBIT_CARD")
    wait(api, acme, "P2D")
    halfway = clock.now(acme.sandbox)
    wait(api, acme, "P1D")
    block(acme, 5000)
    holds.lift(block(acme, 300))

    story = ask(api, acme, "balance/explain", currency="BRL")
    assert causes(story) == [
        ("PAYMENTS", 2, 250.00), ("FEES", 2, -2.50), ("RELEASES", 1, 98.01), ("BLOCKS", 3, -50.00)
    ]  # fmt: skip
    assert (story["data"]["opening"], story["data"]["ending"]) == (0, 295.51)
    assert (story["data"]["companyId"], story["data"]["bucket"]) == (acme.company.id, "AVAILABLE")
    assert (story["data"]["from"], story["data"]["at"] > halfway.isoformat()) == (None, True)

    then = halfway.isoformat().replace("+00:00", "Z")
    before = ask(api, acme, "balance/explain", currency="BRL", at=then)["data"]
    after = ask(api, acme, "balance/explain", currency="BRL", **{"from": then})
    assert (before["ending"], after["data"]["opening"], after["data"]["ending"]) == (345.51, 345.51, 295.51)
    assert (causes(after), after["data"]["from"]) == ([("BLOCKS", 3, -50.00)], before["at"])

    assert causes(ask(api, acme, "balance/explain", currency="BRL", bucket="RELEASING")) == [
        ("PAYMENTS", 1, 100.00), ("FEES", 1, -1.99), ("RELEASES", 1, -98.01)
    ]  # fmt: skip
    assert causes(ask(api, acme, "balance/explain", currency="BRL", bucket="BLOCKED")) == [("BLOCKS", 3, 50.00)]
    total = ask(api, acme, "balance/explain", currency="BRL", bucket="TOTAL")
    assert causes(total) == [("PAYMENTS", 3, 350.00), ("FEES", 3, -4.49)]
    assert (
        total["data"]["ending"] == ask(api, acme, "balance", currency="BRL")["data"]["balances"][0]["total"] == 345.51
    )


def test_dollars_are_explained_as_they_were_credited(api: Api, acme: Shop) -> None:
    a_card(api, 100.00, currency="USD")

    story = ask(api, acme, "balance/explain", currency="BRL", bucket="RELEASING")

    assert (causes(story), story["data"]["ending"]) == ([("PAYMENTS", 1, 523.50)], 523.50)


def test_a_wallet_without_a_posting_is_explained_by_nothing(api: Api, acme: Shop) -> None:
    for bucket in ("AVAILABLE", "RELEASING", "BLOCKED", "TOTAL"):
        data = ask(api, acme, "balance/explain", currency="MXN", bucket=bucket)["data"]
        assert (data["opening"], data["causes"], data["ending"]) == (0, [], 0)
    assert ask(api, acme, "statement", currency="MXN")["data"] == []


def test_a_statement_has_every_movement_with_the_balance_after_it(api: Api, acme: Shop) -> None:
    paid = a_payment(acme.sandbox, "PAID")
    card = a_card(api, 100.00, "DEBIT_CARD")
    receivable = Receivable.objects.get().id
    wait(api, acme, "P2D")
    held = block(acme, 5000)
    seen = clock.now(acme.sandbox)

    lines = ask(api, acme, "statement", currency="BRL")

    at = [line.pop("at") for line in lines["data"]]
    assert at[1:] == [card["releaseAt"], api.get(f"/payments/{paid.id}").json()["data"]["paidAt"]]
    assert [tuple(line.values()) for line in lines["data"]] == [
        ("BLOCKS", "hold.placed", held, -50.00, 196.51),
        ("RELEASES", "receivable.released", receivable, 98.01, 246.51),
        ("PAYMENTS", "payment.paid", paid.id, 148.50, 148.50),
    ]
    assert lines["pagination"] == {"pageNumber": 1, "pageSize": 20, "total": 3, "totalAvailable": 3}

    def references(**query: str) -> list[str]:
        return [line["reference"] for line in ask(api, acme, "statement", currency="BRL", **query)["data"]]

    assert references(pageSize="1", pageNumber="2") == [receivable]
    assert references(bucket="RELEASING") == [receivable, card["id"]]
    assert references(bucket="BLOCKED") == [held]
    assert references(**{"from": card["releaseAt"]}) == [held, receivable]
    assert references(to=card["releaseAt"]) == [paid.id]
    assert references(**{"from": (seen + timedelta(seconds=9)).isoformat().replace("+00:00", "Z")}) == []


@pytest.mark.parametrize(
    ("what", "query", "code", "field"),
    [
        ("balances/releasing", {"currency": "USD"}, "ONP400_CURRENCY", "currency"),
        ("balances/releasing", {"method": "CASH"}, "ONP400_FILTER", "method"),
        ("balances/releasing", {"releaseFrom": "soon"}, "ONP400_FILTER", "releaseFrom"),
        ("balances/releasing", {"releaseTo": "2026-13-01"}, "ONP400_FILTER", "releaseTo"),
        ("balances/releasing", {"pageSize": "0"}, "ONP400_PAGINATION", "pageSize"),
        ("balances/blocked", {"currency": "brl"}, "ONP400_CURRENCY", "currency"),
        ("balances/blocked", {"reason": "BAD_LUCK"}, "ONP400_FILTER", "reason"),
        ("balance/explain", {}, "ONP400_CURRENCY", "currency"),
        ("balance/explain", {"currency": "USD"}, "ONP400_CURRENCY", "currency"),
        ("balance/explain", {"currency": "BRL", "bucket": "CLEARING"}, "ONP400_FILTER", "bucket"),
        ("balance/explain", {"currency": "BRL", "at": "now"}, "ONP400_FILTER", "at"),
        ("balance/explain", {"currency": "BRL", "at": "0001-01-01"}, "ONP400_FILTER", "at"),
        ("balance/explain", {"currency": "BRL", "from": "\x00"}, "ONP400_FILTER", "from"),
        ("balance/explain", {"currency": "BRL", "from": "2099-01-01"}, "ONP400_FILTER", "from"),
        ("statement", {}, "ONP400_CURRENCY", "currency"),
        ("statement", {"currency": "BRL", "bucket": "TOTAL"}, "ONP400_FILTER", "bucket"),
        ("statement", {"currency": "BRL", "from": ""}, "ONP400_FILTER", "from"),
        ("statement", {"currency": "BRL", "pageNumber": "x"}, "ONP400_PAGINATION", "pageNumber"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(
    api: Api, acme: Shop, what: str, query: dict[str, str], code: str, field: str
) -> None:
    answer = api.get(f"/companies/{acme.company.id}/{what}", **query)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert answer.json()["error"]["field"] == field


@pytest.mark.parametrize("what", PATHS)
def test_another_company_sees_nothing_of_it(api: Api, globex_api: Api, acme: Shop, globex: Shop, what: str) -> None:
    a_payment(acme.sandbox, "PAID")
    a_card(api, 200.00)
    block(acme, 5000)

    refused = globex_api.get(f"/companies/{acme.company.id}/{what}", currency="BRL")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "ONP404_COMPANY")

    production = Api(acme.production_key, "10.9.9.9")
    for caller, shop in ((globex_api, globex), (production, acme)):
        own = ask(caller, shop, what, currency="BRL")
        assert (own.get("totals", []), own["data"] if what != "balance/explain" else causes(own)) == ([], [])
