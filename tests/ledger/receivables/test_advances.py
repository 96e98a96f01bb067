"""Having money sooner: what it costs, to the cent, and who decides."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction

from accounts.base.wire import timestamp
from accounts.errors import OwnRequest
from accounts.models import Merchant, User
from gateway.models import PriceRule
from gateway.seeds import BEGINNING
from ledger.models import Transfer
from ledger.receivables import advances
from ledger.receivables import due as receivables_due
from ledger.receivables.errors import AdvanceDisabled, AdvanceState, AdvanceTooSmall, ReceivableState
from ledger.receivables.models import Advance, AdvanceItem, Receivable, State
from tests.support.companies import Shop
from tests.support.receivables import NET, a_receivable, book, stand_at, told

FEE = 480
"""For 192.02 thirty days sooner, at 2.5 % a month: 4.8005."""
WAITING = {"RELEASING BRL": NET, "CLEARING BRL": -20_000, "FEE_INCOME BRL": 798}


@pytest.fixture
def owner(db: None) -> User:
    """Asks."""
    return User.objects.create_user("owner@acme.example", "a long password")


@pytest.fixture
def staff(db: None) -> User:
    """Decides."""
    return User.objects.create_user("ana@onpay.example", "a long password")


def a_price(merchant: Merchant, rate: str, *, minimum: int = 0, method: str = "CREDIT_CARD") -> None:
    """No fee, and this price of an advance."""
    PriceRule.objects.create(
        merchant=merchant,
        method=method,
        currency="BRL",
        percentage=0,
        settlement_days=30,
        advance_enabled=True,
        advance_monthly_rate=Decimal(rate),
        advance_minimum=minimum,
        effective_from=BEGINNING,
    )


def states() -> list[str]:
    return [*Receivable.objects.order_by("id").values_list("state", flat=True)]


def refused(error: type[Exception], merchant: Merchant, ids: list[str]) -> None:
    """Neither a quote nor a request, and nothing changes."""
    before = [*Receivable.objects.order_by("id").values()], book(merchant)
    for ask in (lambda: advances.quote(merchant, ids), lambda: advances.request(merchant, ids, None)):
        with pytest.raises(error), transaction.atomic():
            ask()
    assert ([*Receivable.objects.order_by("id").values()], book(merchant)) == before
    assert (Advance.objects.count(), AdvanceItem.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("left", "days", "fee"),
    [
        (timedelta(days=30), 30, 15),
        (timedelta(days=29, seconds=1), 30, 15),
        (timedelta(days=29) - timedelta(milliseconds=1), 29, 15),  # 14.5
        (timedelta(days=28), 28, 14),
        (timedelta(days=27), 27, 14),  # 13.5
        (timedelta(seconds=30), 1, 1),  # 0.5
    ],
)
def test_every_begun_day_costs_a_thirtieth_and_halves_are_rounded_up(
    acme: Shop, left: timedelta, days: int, fee: int
) -> None:
    a_price(acme.sandbox, "0.25")
    receivable = a_receivable(acme.sandbox, "60.00")
    stand_at(acme.sandbox, receivable.release_at - left)

    quote = advances.quote(acme.sandbox, [receivable.id])

    assert [(item.days, item.fee, item.net) for item in quote.items] == [(days, fee, 6_000 - fee)]
    assert (quote.currency, quote.gross, quote.fee, quote.net) == ("BRL", 6_000, fee, 6_000 - fee)
    assert states() == [State.SCHEDULED]


def test_a_quote_is_the_sum_of_its_receivables_each_rounded_alone(acme: Shop) -> None:
    ids = [a_receivable(acme.sandbox).id, a_receivable(acme.sandbox, "33.33").id]
    quote = advances.quote(acme.sandbox, [*reversed(ids), ids[0]])
    assert [(item.receivable.id, item.fee) for item in quote.items] == [(ids[0], FEE), (ids[1], 80)]
    assert (quote.gross, quote.fee) == (NET + 3_200, FEE + 80)


def test_what_cannot_be_advanced_is_refused(acme: Shop, globex: Shop) -> None:
    mine, euros = a_receivable(acme.sandbox), a_receivable(acme.sandbox, "50.00", "EUR")
    theirs = a_receivable(globex.sandbox)
    for ids in (
        [],
        ["rcv_00000000000000000000000000"],
        [mine.id, theirs.id],
        [theirs.id],
        [mine.id, euros.id],
        [mine.id, "rcv_00000000000000000000000000"],
    ):
        refused(ReceivableState, acme.sandbox, ids)


def test_a_merchant_that_staff_switched_off_advances_nothing(acme: Shop) -> None:
    receivable = a_receivable(acme.sandbox)
    acme.sandbox.advance_enabled = False
    refused(AdvanceDisabled, acme.sandbox, [receivable.id])
    with pytest.raises(AdvanceDisabled):
        advances.quote_amount(acme.sandbox, "BRL", 1)


def test_what_is_due_is_not_advanced(acme: Shop) -> None:
    receivable = a_receivable(acme.sandbox)
    stand_at(acme.sandbox, receivable.release_at)
    refused(ReceivableState, acme.sandbox, [receivable.id])
    receivables_due.run_due()
    refused(ReceivableState, acme.sandbox, [receivable.id])


def test_a_method_whose_price_says_no_is_not_advanced(acme: Shop) -> None:
    a_price(acme.sandbox, "2.5")
    PriceRule.objects.filter(merchant=acme.sandbox).update(advance_enabled=False)
    receivable = a_receivable(acme.sandbox)
    refused(ReceivableState, acme.sandbox, [receivable.id])
    with pytest.raises(ReceivableState):
        advances.quote_amount(acme.sandbox, "BRL", 1)


def test_an_advance_has_a_minimum(acme: Shop) -> None:
    a_price(acme.sandbox, "2.5", minimum=10_000)
    small, rest = a_receivable(acme.sandbox, "99.99"), a_receivable(acme.sandbox, "10.00")
    refused(AdvanceTooSmall, acme.sandbox, [small.id])
    assert advances.quote(acme.sandbox, [small.id, rest.id]).gross == 10_999


def test_an_advance_that_costs_everything_is_refused(acme: Shop) -> None:
    a_price(acme.sandbox, "100")
    refused(AdvanceTooSmall, acme.sandbox, [a_receivable(acme.sandbox).id])


def test_an_amount_is_made_of_the_cheapest(acme: Shop) -> None:
    late, later = a_receivable(acme.sandbox), a_receivable(acme.sandbox)
    soon = a_receivable(acme.sandbox, "100.00", method="DEBIT_CARD")
    a_receivable(acme.sandbox, "50.00", "EUR")
    soon_net, late_net = soon.amount - 5, NET - FEE
    for wanted, chosen in (
        (1, [soon]),
        (soon_net, [soon]),
        (soon_net + 1, [soon, late]),
        (soon_net + late_net + 1, [soon, late, later]),
        (soon_net + 2 * late_net, [soon, late, later]),
    ):
        quote = advances.quote_amount(acme.sandbox, "BRL", wanted)
        assert [item.receivable.id for item in quote.items] == [one.id for one in chosen], wanted
    with pytest.raises(ReceivableState):
        advances.quote_amount(acme.sandbox, "BRL", soon_net + 2 * late_net + 1)


def test_an_approved_advance_is_available_at_once_less_its_fee(acme: Shop, owner: User, staff: User) -> None:
    receivable = a_receivable(acme.sandbox)
    asked = advances.request(acme.sandbox, [receivable.id], owner)
    assert (states(), book(acme.sandbox)) == ([State.RESERVED_FOR_ADVANCE], WAITING)
    assert (asked.state, asked.gross_amount, asked.fee, asked.requested_by) == ("UNDER_REVIEW", NET, FEE, owner)

    decided = advances.approve(asked.id, staff, "Known for years")

    assert states() == [State.ADVANCED]
    assert book(acme.sandbox) == {
        "AVAILABLE BRL": NET - FEE,
        "ADVANCE_INCOME BRL": FEE,
        "CLEARING BRL": -20_000,
        "FEE_INCOME BRL": 798,
    }
    assert told(acme.sandbox, "advance.approved") == [
        {
            "id": asked.id,
            "state": "APPROVED",
            "receivableIds": [receivable.id],
            "grossAmount": "192.02",
            "feeAmount": "4.80",
            "netAmount": "187.22",
            "currency": "BRL",
            "requestedAt": timestamp(asked.requested_at),
            "decidedAt": timestamp(decided.decided_at),
        }
    ]
    assert (decided.decided_by, decided.note) == (staff, "Known for years")
    assert Transfer.objects.get(reference=receivable.id).posted_at == decided.decided_at
    stand_at(acme.sandbox, receivable.release_at)
    assert receivables_due.run_due() == 0


def test_a_refused_advance_goes_back_to_its_schedule(acme: Shop, owner: User, staff: User) -> None:
    receivable = a_receivable(acme.sandbox)
    asked = advances.request(acme.sandbox, [receivable.id], owner)

    advances.refuse(asked.id, staff, "Too soon")

    assert (states(), book(acme.sandbox)) == ([State.SCHEDULED], WAITING)
    [event] = told(acme.sandbox, "advance.refused")
    assert (event["id"], event["state"], event["feeAmount"]) == (asked.id, "REFUSED", "4.80")
    again = advances.request(acme.sandbox, [receivable.id], owner)
    advances.approve(again.id, staff)
    assert book(acme.sandbox)["AVAILABLE BRL"] == NET - FEE


def test_what_came_due_while_it_was_reserved_is_released_by_the_refusal(acme: Shop, owner: User, staff: User) -> None:
    receivable, other = a_receivable(acme.sandbox), a_receivable(acme.sandbox)
    asked = advances.request(acme.sandbox, [receivable.id, other.id], owner)
    stand_at(acme.sandbox, other.release_at + timedelta(days=1))
    assert receivables_due.run_due() == 0
    assert book(acme.sandbox)["RELEASING BRL"] == 2 * NET

    decided = advances.refuse(asked.id, staff)

    assert states() == [State.RELEASED, State.RELEASED]
    assert book(acme.sandbox)["AVAILABLE BRL"] == 2 * NET
    released = Transfer.objects.filter(kind="receivable.released").values_list("posted_at", flat=True)
    assert [*released] == [decided.decided_at] * 2
    events = told(acme.sandbox, "balance.released")
    assert sum(one["count"] for one in events) == 2
    assert {one["releasedAt"] for one in events} == {timestamp(decided.decided_at)}


def test_an_approval_after_the_day_costs_nothing(acme: Shop, owner: User, staff: User) -> None:
    receivable = a_receivable(acme.sandbox)
    asked = advances.request(acme.sandbox, [receivable.id], owner)
    stand_at(acme.sandbox, receivable.release_at + timedelta(hours=1))

    decided = advances.approve(asked.id, staff)

    assert (decided.fee, decided.items.get().fee) == (0, 0)
    assert (states(), book(acme.sandbox)) == (
        [State.ADVANCED],
        {"AVAILABLE BRL": NET, "CLEARING BRL": -20_000, "FEE_INCOME BRL": 798},
    )
    assert told(acme.sandbox, "advance.approved")[0]["feeAmount"] == "0.00"


def test_a_later_approval_costs_only_the_days_that_are_left(acme: Shop, owner: User, staff: User) -> None:
    receivable = a_receivable(acme.sandbox)
    asked = advances.request(acme.sandbox, [receivable.id], owner)
    stand_at(acme.sandbox, receivable.release_at - timedelta(days=10))

    assert advances.approve(asked.id, staff).fee == 160

    assert book(acme.sandbox)["ADVANCE_INCOME BRL"] == 160


def test_whoever_asked_does_not_decide(acme: Shop, owner: User) -> None:
    asked = advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], owner)
    for decide in (advances.approve, advances.refuse):
        with pytest.raises(OwnRequest), transaction.atomic():
            decide(asked.id, owner)
    asked.refresh_from_db()
    assert (asked.state, states(), book(acme.sandbox)) == ("UNDER_REVIEW", [State.RESERVED_FOR_ADVANCE], WAITING)


@pytest.mark.parametrize("first", [advances.approve, advances.refuse])
def test_a_second_decision_is_refused_and_moves_nothing(acme: Shop, owner: User, staff: User, first: object) -> None:
    asked = advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], owner)
    first(asked.id, staff)  # type: ignore[operator]
    before = Advance.objects.values().get(), states(), book(acme.sandbox)

    for decide in (advances.approve, advances.refuse):
        with pytest.raises(AdvanceState), transaction.atomic():
            decide(asked.id, staff)

    assert (Advance.objects.values().get(), states(), book(acme.sandbox)) == before
    assert len(told(acme.sandbox, "advance.approved") + told(acme.sandbox, "advance.refused")) == 1


def test_what_is_reserved_is_not_asked_for_again(acme: Shop, owner: User) -> None:
    receivable, other = a_receivable(acme.sandbox), a_receivable(acme.sandbox)
    advances.request(acme.sandbox, [receivable.id], owner)
    for ids in ([receivable.id], [receivable.id, other.id]):
        with pytest.raises(ReceivableState), transaction.atomic():
            advances.request(acme.sandbox, ids, owner)
    assert (states(), Advance.objects.count()) == ([State.RESERVED_FOR_ADVANCE, State.SCHEDULED], 1)
