"""What there is, and why: every number explains itself, down to the posting."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils.http import urlencode

from accounts.base import clock
from accounts.base.wire import timestamp
from accounts.models import Company
from gateway.refunds import services as refunds
from gateway.refunds.models import Refund
from ledger.books.models import Entry
from ledger.chart import BUCKETS, AccountKind
from ledger.proofs.models import Proof
from ledger.wallets.selectors import holdings
from tests.support.companies import Shop, a_shop
from tests.support.pages import Page, words
from tests.support.payments import a_payment


def story(browser: Client, page: Page, **query: str) -> Any:
    return browser.get(f"{page('explain')}?{urlencode(query)}")


def test_every_number_leads_to_its_explanation_and_is_its_ending(viewer: Client, busy: Shop, page: Page) -> None:
    answer = viewer.get(page("balance"))

    held = holdings(busy.sandbox).currencies
    for currency, _method, amounts in answer.context["wallets"]:
        for bucket, minor in amounts:
            assert minor == getattr(held[currency], bucket.lower())
            assert f"?currency={currency}&amp;bucket={bucket}" in answer.content.decode()
            told = story(viewer, page, currency=currency, bucket=bucket)
            assert told.context["explained"].ending == minor
            assert "Matches the balance to the cent" in words(told)
    assert {currency for currency, *_ in answer.context["wallets"]} == set(held)


def test_the_currency_of_the_companys_country_comes_first(acme: Shop, viewer: Client, page: Page) -> None:
    Company.objects.filter(pk=acme.company.pk).update(country="CO")
    wallets = viewer.get(page("balance")).context["wallets"]

    assert [currency for currency, *_ in wallets] == ["COP", "ARS", "BRL", "EUR", "MXN"]


def test_blocked_money_says_why_since_when_and_what_to_do(viewer: Client, busy: Shop, page: Page) -> None:
    answer = viewer.get(page("balance"))

    said = words(answer)
    for expected in (
        "Compliance Ask support what is needed to lift it.", "R$12.34", "A payer requested a refund Answer before the",
        "Being paid to a beneficiary", "Unknown",
    ):  # fmt: skip
        assert expected in said
    [withdrawal] = [owner for hold, *_, owner in answer.context["hold_rows"] if hold.withdrawal_id]
    assert page("withdrawal", withdrawal) in answer.content.decode()
    assert (
        sum(hold.amount for hold, *_ in answer.context["hold_rows"]) == holdings(busy.sandbox).currencies["BRL"].blocked
    )


def test_blocked_money_of_an_answered_dispute_is_under_review(viewer: Client, busy: Shop, page: Page) -> None:
    refund = Refund.objects.get()
    assert f">{refund.payment.reference}</u>" in viewer.get(page("balance")).content.decode()

    refunds.respond(busy.sandbox, refund.pk, "CONTEST", message="Delivered.")

    answer = viewer.get(page("balance"))
    said = words(answer)
    assert "Under review since" in said
    assert "Answer before the deadline" not in said
    [block] = [one for one in answer.context["hold_rows"] if one.hold.refund_id]
    assert (block.until, block.name, block.owner) == (None, refund.payment.reference, refund.pk)
    assert f'href="{page("refund", refund.pk)}"' in answer.content.decode()


def test_a_block_by_order_leads_to_support(viewer: Client, busy: Shop, page: Page, settings: Any) -> None:
    assert "No support contact is configured." in words(viewer.get(page("balance")))

    settings.SUPPORT = "help@onpay.example"

    assert 'lift it. <a href="mailto:help@onpay.example" rel=' in viewer.get(page("balance")).content.decode()


def test_the_next_releases_are_shown_by_day(viewer: Client, busy: Shop, page: Page) -> None:
    [day] = viewer.get(page("balance")).context["releases"]
    assert (day.currency, day.count, day.net) == ("BRL", 1, holdings(busy.sandbox).currencies["BRL"].releasing)


def test_the_last_proof_of_the_books_is_shown(viewer: Client, busy: Shop, page: Page) -> None:
    assert "proved" not in words(viewer.get(page("balance")))
    now = clock.utcnow()
    proof = Proof.objects.create(started_at=now, finished_at=now, invariants=18)
    assert "The books are verified 18 checks passed:" in words(viewer.get(page("balance")))

    Proof.objects.filter(pk=proof.pk).update(violations=[["I1", "Another company's secret", "[(7,)]"]])

    said = words(viewer.get(page("balance")))
    assert "The books are under review" in said and "secret" not in said


def test_nothing_yet_says_what_comes(viewer: Client, acme: Shop, page: Page) -> None:
    assert "No money yet" in words(viewer.get(page("balance")))
    assert "No movements in this period." in words(story(viewer, page))


@pytest.mark.parametrize("bucket", [*BUCKETS, "TOTAL"])
def test_every_cause_opens_to_postings_that_come_to_it(viewer: Client, busy: Shop, page: Page, bucket: str) -> None:
    whole = story(viewer, page, currency="BRL", bucket=bucket, **{"from": ""}).context
    assert whole["explained"].opening == 0
    for row in whole["rows"]:
        query = {"currency": "BRL", "bucket": bucket, "cause": row.cause, "from": ""}
        [opened] = [one for one in story(viewer, page, **query).context["rows"] if one.is_open]
        assert sum(part.amount for part, _ in opened.parts) == row.amount
        assert len(opened.parts) == row.count
        assert all(subject.object_id for _, subject in opened.parts)


def test_postings_lead_to_what_they_are_about(viewer: Client, busy: Shop, page: Page) -> None:
    answers = [
        story(viewer, page, currency="BRL", bucket="AVAILABLE", cause=cause, **{"from": ""}).content.decode()
        for cause in ("WITHDRAWALS", "CONVERSIONS", "REFUNDS", "RELEASES")
    ]

    assert page("withdrawals") + "wdr_" in answers[0]
    assert page("conversions") + "cnv_" in answers[1]
    assert page("refunds") + "ref_" in answers[2]
    assert "Debit card · " in answers[3] and "Held for a withdrawal" in answers[0]


def test_any_past_instant_is_explained(viewer: Client, busy: Shop, page: Page) -> None:
    entries = Entry.objects.filter(merchant=busy.sandbox, currency="BRL", account__kind=AccountKind.AVAILABLE)
    for at in set(entries.values_list("transfer__posted_at", flat=True)):
        told = story(viewer, page, currency="BRL", at=timestamp(at), **{"from": ""}).context["explained"]
        assert told.ending == sum(one.amount for one in entries.filter(transfer__posted_at__lte=at))
        since = timestamp(at - timedelta(milliseconds=1))
        part = story(viewer, page, currency="BRL", at=timestamp(at), **{"from": since}).context["explained"]
        assert (part.ending, part.opening) == (
            told.ending,
            sum(one.amount for one in entries.filter(transfer__posted_at__lt=at)),
        )


def test_instants_are_the_readers_own_time(viewer: Client, busy: Shop, page: Page) -> None:
    viewer.cookies["time_zone"] = "America%2FSao_Paulo"
    asked = story(viewer, page, at="2026-01-05T10:00", **{"from": "2026-01-01T00:00"}).context["question"]

    assert (timestamp_of(asked.at), timestamp_of(asked.since)) == (
        "2026-01-05T13:00:00.000Z",
        "2026-01-01T03:00:00.000Z",
    )
    kept = story(viewer, page, at="2026-01-05T13:00:00.123Z").context["form"]
    assert kept["at"].value() == "2026-01-05T10:00:00.123"


def timestamp_of(moment: datetime) -> str:
    return timestamp(moment.astimezone(clock.UTC))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"at": "2999-01-01T00:00"}, "Ensure this value is less than or equal to"),
        ({"at": "2098-01-01T00:00"}, "This time is in the future."),
        ({"at": "2026-01-01T00:00", "from": "2026-01-02T00:00"}, "The start is after the end."),
        ({"at": "yesterday"}, "Enter a valid date/time."),
        ({"bucket": "EVERYTHING"}, "Select a valid choice."),
    ],
)
def test_what_cannot_be_explained_is_said(
    viewer: Client, busy: Shop, page: Page, query: dict[str, str], said: str
) -> None:
    answer = story(viewer, page, **query)
    assert (answer.status_code, answer.context["question"]) == (200, None)
    assert said in words(answer)


def test_rubbish_opens_nothing(viewer: Client, busy: Shop, page: Page) -> None:
    for query in (
        {"cause": "MAGIC"},
        {"cause": "PAYMENTS", "after": "x"},
        {"cause": "PAYMENTS", "after": "9" * 30},
        {"currency": "XXX"},
    ):
        assert story(viewer, page, **query).status_code == 200


def test_long_causes_are_read_page_by_page(viewer: Client, acme: Shop, page: Page) -> None:
    for _ in range(53):
        a_payment(acme.sandbox, "PAID")
    query = {"currency": "BRL", "cause": "PAYMENTS", "from": ""}
    [first] = [row for row in story(viewer, page, **query).context["rows"] if row.is_open]
    [second] = [row for row in story(viewer, page, **query, after=str(first.after)).context["rows"] if row.is_open]

    assert (len(first.parts), len(second.parts), second.after) == (50, 3, None)
    assert {part.reference for part, _ in first.parts}.isdisjoint({part.reference for part, _ in second.parts})


def test_only_those_who_read_money_read_it(
    support: Client, stranger: Client, busy: Shop, globex: Shop, page: Page
) -> None:
    for name in ("balance", "explain", "statement", "statement_print", "statement_csv"):
        assert support.get(page(name)).status_code == 403
        assert stranger.get(page(name)).status_code == 404
    own = stranger.get(f"/dashboard/{globex.company.pk}/sandbox/balance/")
    assert not own.context["used"] and busy.company.trade_name not in words(own)


def test_pages_ask_as_often_for_much_as_for_little(
    viewer: Client, busy: Shop, page: Page, django_assert_max_num_queries: Any
) -> None:
    a_payment(a_shop("Neighbour").sandbox, "PAID")
    viewer.get(page("balance"))
    with django_assert_max_num_queries(14):
        viewer.get(page("balance"))
    with django_assert_max_num_queries(14):
        story(viewer, page, currency="BRL", bucket="TOTAL", cause="PAYMENTS", **{"from": ""})


def test_the_waterfall_leads_to_the_statement_of_each_cause(viewer: Client, busy: Shop, page: Page) -> None:
    for bucket in ("AVAILABLE", "TOTAL"):
        answer = story(viewer, page, currency="BRL", bucket=bucket)
        bars = answer.context["bars"]
        assert bars[0].amount + sum(bar.amount for bar in bars[1:-1]) == bars[-1].amount
        for bar, row in zip(bars[1:-1], answer.context["rows"], strict=True):
            behind = viewer.get(bar.address.partition("#")[0])
            if bucket == "AVAILABLE":
                assert sum((one.credit or 0) - (one.debit or 0) for one in behind.context["rows"]) == row.amount
            else:
                assert [one.amount for one in behind.context["rows"] if one.is_open] == [row.amount]
