"""An agreement of the platform collects boletos of merchants in several cells."""

from typing import Any

import pytest

from accounts.cells import all_cells
from gateway.boletos.models import RegistrationFile, SlipLine
from gateway.boletos.tasks import sweep_boletos, write_registration_files
from gateway.payments.models import Payment
from gateway.reconciliation import files as bank_files
from gateway.reconciliation.models import CollectionCredit
from gateway.slips.models import Slip
from gateway.suspense.models import SuspenseItem
from tests.support import bank_accounts
from tests.support.api import Api
from tests.support.boleto_bank import CREDENTIALS, DAY, PAID, REFUSED, REGISTERED, WITHDRAWN, Bank, Said, ordered
from tests.support.boleto_bank import returned as return_of
from tests.support.lives import Lives, rows, violations
from tests.support.production import live
from tests.support.providers import connected

CENTS = 15000


@pytest.fixture
def bank(lives: Lives) -> Bank:
    account = connected("bank-boletos", CREDENTIALS, "BOLETO")
    for shop in lives.in_turn():
        live(shop)
    return Bank(account)


def issued(lives: Lives) -> list[dict[str, Any]]:
    """A boleto of each, told to the bank."""
    made = [ordered(Api(shop.production_key)) for shop in lives.in_turn()]
    write_registration_files()
    file = RegistrationFile.objects.latest("sequence")
    assert (file.registered, set(Slip.objects.values_list("state", flat=True))) == (3, {"SENT"})
    return made


def says(bank: Bank, *said: Said) -> None:
    """A return takes effect, and the scheduled task applies it."""
    bank.sequence += 1
    with all_cells():  # what the test's bank knows of the boletos
        content = return_of(said, bank.sequence)
    assert bank_files.fetched(bank.account, f"{bank.sequence}.ret", content)
    sweep_boletos()
    assert not SlipLine.objects.filter(due_at__isnull=False).exists()


def statuses(lives: Lives) -> list[str]:
    return [Payment.objects.get().status for _ in lives.in_turn()]


def test_one_return_registers_pays_and_refuses_boletos_of_all_cells(lives: Lives, bank: Bank) -> None:
    early, acme, globex = issued(lives)
    assert [one["documentNumber"] for one in (early, acme, globex)] == ["00001000", "00001001", "00001002"]

    says(bank, Said(early["id"], REGISTERED), Said(acme["id"], REGISTERED), Said(globex["id"], REFUSED))
    assert statuses(lives) == ["PENDING", "PENDING", "FAILED"]
    says(bank, Said(early["id"], WITHDRAWN), Said(acme["id"], PAID, CENTS), Said("77", PAID, 100))
    assert statuses(lives) == ["EXPIRED", "PAID", "FAILED"]

    assert rows("webhooks_event WHERE type = 'payment.paid'") == [0, 1, 0]
    assert rows("ledger_transfer WHERE kind = 'payment.paid'") == [0, 1, 0]
    assert [(item.cause, item.amount) for item in SuspenseItem.objects.all()] == [("UNKNOWN_CHARGE", 100)]
    assert violations() == [[], [], []]


def test_what_the_bank_credits_of_a_day_is_in_the_books_of_each(lives: Lives, bank: Bank) -> None:
    made = issued(lives)
    says(bank, *(Said(one["id"], PAID, CENTS, fee=210) for one in made))
    assert statuses(lives) == ["PAID"] * 3
    assert CollectionCredit.objects.count() == 3

    credit = bank_accounts.line(f"{3 * (CENTS - 210) / 100:.2f}", text="COBRANCA", booked_on=DAY)
    days = {"opened_on": DAY, "closed_on": DAY}
    bank_accounts.imported(bank.account, bank_accounts.statement(credit, **days))

    assert [one.state for one in bank_accounts.lines_of(bank.account)] == ["EXPLAINED"]
    assert rows("ledger_transfer WHERE kind = 'bank.received'") == [1, 1, 1]
    assert violations() == [[], [], []]
