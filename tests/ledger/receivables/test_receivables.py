"""Money that is confirmed and not yet available: its life, its day, and the proof that nothing is lost on the way."""

from datetime import timedelta

import pytest
from django.db import transaction

from accounts.base.wire import timestamp
from ledger.models import Transfer
from ledger.receivables import due as receivables_due
from ledger.receivables.due import RELEASE
from ledger.receivables.lifecycle import RECEIVABLE_LIFE, ReceivableAction
from ledger.receivables.models import Receivable, State
from ledger.verify import verify
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receivables import NET, a_receivable, book, stand_at, tamper, told
from tests.support.sweeps import the_delay_is_over
from webhooks.models import Event

LIFE = {
    (ReceivableAction.SCHEDULE, ""): (State.SCHEDULED, None),
    (ReceivableAction.RELEASE, State.SCHEDULED): (State.RELEASED, "receivable.released"),
    (ReceivableAction.RESERVE, State.SCHEDULED): (State.RESERVED_FOR_ADVANCE, None),
    (ReceivableAction.ADVANCE, State.RESERVED_FOR_ADVANCE): (State.ADVANCED, "receivable.advanced"),
    (ReceivableAction.GIVE_BACK, State.RESERVED_FOR_ADVANCE): (State.SCHEDULED, None),
    (ReceivableAction.CANCEL, State.SCHEDULED): (State.CANCELED, None),
    (ReceivableAction.RESTORE, State.CANCELED): (State.SCHEDULED, None),
}


def test_the_life_of_a_receivable_is_this_table_and_nothing_else() -> None:
    assert {
        (action, status): (listed.target, listed.posts)
        for action, status, listed in RECEIVABLE_LIFE.pairs()
        if listed is not None
    } == LIFE


def test_nothing_is_released_a_second_before_its_day(acme: Shop) -> None:
    receivable = a_receivable(acme.sandbox)
    before = book(acme.sandbox)
    stand_at(acme.sandbox, receivable.release_at - timedelta(seconds=1))

    assert receivables_due.run_due() == 0

    assert book(acme.sandbox) == before == {"RELEASING BRL": NET, "CLEARING BRL": -20_000, "FEE_INCOME BRL": 798}
    assert told(acme.sandbox, "balance.released") == []


def test_on_its_day_everything_is_available_and_told_once_for_each_wallet(acme: Shop, globex: Shop) -> None:
    first, second = a_receivable(acme.sandbox), a_receivable(acme.sandbox, "100.00")
    euros, others = a_receivable(acme.sandbox, "50.00", "EUR"), a_receivable(globex.sandbox)
    for shop in (acme, globex):
        stand_at(shop.sandbox, others.release_at + timedelta(seconds=1))

    assert receivables_due.run_due() == 4

    held = {key: amount for key, amount in book(acme.sandbox).items() if key.startswith(("AVAILABLE", "RELEASING"))}
    assert held == {"AVAILABLE BRL": NET + 9_601, "AVAILABLE EUR": 4_800}
    assert told(acme.sandbox, "balance.released") == [
        {
            "walletMethod": "PIX",
            "currency": "BRL",
            "amount": "288.03",
            "count": 2,
            "releasedAt": timestamp(second.release_at),
        },
        {
            "walletMethod": "MB_WAY",
            "currency": "EUR",
            "amount": "48.00",
            "count": 1,
            "releasedAt": timestamp(euros.release_at),
        },
    ]
    assert [one["amount"] for one in told(globex.sandbox, "balance.released")] == ["192.02"]
    for receivable in (first, second, euros, others):
        transfer = Transfer.objects.get(reference=receivable.id)
        receivable.refresh_from_db()
        assert (transfer.kind, transfer.posted_at) == ("receivable.released", receivable.release_at)
        assert (receivable.state, receivable.updated_at) == (State.RELEASED, receivable.release_at)


def test_releasing_again_moves_nothing(acme: Shop) -> None:
    receivable = a_receivable(acme.sandbox)
    stand_at(acme.sandbox, receivable.release_at)
    assert receivables_due.run_due() == 1
    after = book(acme.sandbox)

    assert receivables_due.run_due() == 0
    RELEASE.run_at_clock(acme.sandbox, receivable.id)

    assert book(acme.sandbox) == after
    assert (Event.objects.filter(type="balance.released").count(), Transfer.objects.count()) == (1, 2)


def test_small_batches_release_everything_with_an_event_for_each(acme: Shop) -> None:
    made = [a_receivable(acme.sandbox, "10.00") for _ in range(5)]
    stand_at(acme.sandbox, made[-1].release_at)

    assert receivables_due.run_due(limit=2) == 5

    assert [one["count"] for one in told(acme.sandbox, "balance.released")] == [2, 2, 1]
    assert "RELEASING BRL" not in book(acme.sandbox)


def test_a_wallet_that_is_stuck_holds_up_no_other(acme: Shop, globex: Shop) -> None:
    stuck, euros = a_receivable(acme.sandbox), a_receivable(acme.sandbox, "50.00", "EUR")
    other = a_receivable(globex.sandbox)
    for shop in (acme, globex):
        stand_at(shop.sandbox, other.release_at + timedelta(seconds=1))
    more_than_there_is = "UPDATE ledger_receivable SET amount = amount {0} 1, gross_amount = gross_amount {0} 1"
    tamper(f"{more_than_there_is.format('+')} WHERE id = '{stuck.id}'")

    assert receivables_due.run_due() == 2

    states = Receivable.objects.in_bulk([stuck.id, euros.id, other.id])
    assert [states[one.id].state for one in (stuck, euros, other)] == ["SCHEDULED", "RELEASED", "RELEASED"]
    assert book(acme.sandbox)["RELEASING BRL"] == NET
    tamper(f"{more_than_there_is.format('-')} WHERE id = '{stuck.id}'")
    the_delay_is_over()
    assert receivables_due.run_due() == 1


def test_the_money_of_a_dollar_payment_waits_in_the_currency_of_its_settlement(acme: Shop) -> None:
    receivable = a_receivable(acme.sandbox, "100.00", "USD")
    assert (receivable.currency, receivable.gross_amount, receivable.fee, receivable.amount) == (
        "BRL",
        54_525,
        2_175,
        52_350,
    )
    stand_at(acme.sandbox, receivable.release_at)

    assert receivables_due.run_due() == 1

    assert book(acme.sandbox)["AVAILABLE BRL"] == 52_350
    assert told(acme.sandbox, "balance.released")[0]["amount"] == "523.50"


def test_thirty_jumps_of_a_day_are_one_of_thirty_days(acme: Shop, globex: Shop, api: Api, globex_api: Api) -> None:
    for shop in (acme, globex):
        for amount in ("200.00", "30.00"):
            for method in ("CREDIT_CARD", "DEBIT_CARD"):
                a_receivable(shop.sandbox, amount, method=method)
        a_receivable(shop.sandbox, "100.00", "USD")
        a_payment(shop.sandbox)

    def jump(browser: Api, by: str) -> list[str]:
        fired = browser.post("/simulations/clock", {"advanceBy": by}).json()["data"]["fired"]
        return [one["type"] for one in fired]

    daily = [kind for _ in range(30) for kind in jump(api, "P1D")]

    assert daily == ["balance.released"] * 2 + ["payment.expired"] + ["balance.released"] * 3
    assert jump(globex_api, "P30D") == daily
    assert book(acme.sandbox) == book(globex.sandbox)
    assert "RELEASING BRL" not in book(acme.sandbox)
    for receivable in Receivable.objects.all():
        assert (receivable.state, receivable.updated_at) == (State.RELEASED, receivable.release_at)
        assert Transfer.objects.get(reference=receivable.id).posted_at == receivable.release_at
    assert receivables_due.run_due() == 0


@pytest.mark.parametrize(
    ("released", "tampering", "broken"),
    [
        (False, "amount = amount + 1, gross_amount = gross_amount + 1", "I6"),
        (False, "amount = 0, refunded_amount = amount, state = 'CANCELED'", "I6"),
        (False, "state = 'RELEASED'", "I18"),
        (True, "state = 'SCHEDULED'", "I6"),
        (True, "state = 'ADVANCED'", "I18"),
        (True, "state = 'CANCELED'", "I18"),
        (True, "release_at = release_at + interval '1 millisecond'", "I18"),
    ],
)
def test_the_proof_fails_when_a_receivable_is_tampered_with(
    acme: Shop, released: bool, tampering: str, broken: str
) -> None:
    receivable = a_receivable(acme.sandbox)
    if released:
        stand_at(acme.sandbox, receivable.release_at)
        receivables_due.run_due()

    with transaction.atomic():
        tamper(f"UPDATE ledger_receivable SET {tampering}")
        found = {violation.invariant.number for violation in verify()}
        transaction.set_rollback(True)

    assert broken in found
    assert verify() == []
