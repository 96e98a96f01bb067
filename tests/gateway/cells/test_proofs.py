"""The books of all cells are proved, and what is wrong in one is said, whatever another one's proof has found since."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.cells import in_cell_of
from accounts.models import Cell, User
from gateway.cells.building import build
from ledger.models import Proof, Receivable
from ledger.proofs.selectors import is_well
from ledger.proofs.services import prove
from ledger.tasks import prove_books
from tests.support.companies import a_shop
from tests.support.ledger import a_cent_too_much
from tests.support.lives import GLOBEXES, Lives, rows
from tests.support.receivables import a_receivable
from tests.support.staff_overview import cells, panels


@pytest.fixture
def staff() -> Client:
    browser = Client()
    browser.force_login(User.objects.create_superuser("root@onpay.example", "correct horse"))
    return browser


def test_the_books_of_all_cells_are_proved_right(lives: Lives) -> None:
    shops = [lives.early, lives.acme, lives.globex]
    for number in (13, 14):
        Cell.objects.update(is_open=False)
        build(f"cell_{number}")
        shops.append(a_shop(f"Shop {number}"))
    for shop in shops:
        with in_cell_of(shop.sandbox):
            a_receivable(shop.sandbox)
    prove_books()
    for shop in shops:
        with in_cell_of(shop.sandbox):
            assert (Receivable.objects.count(), Proof.objects.get().holds) == (1, True)


def test_what_is_wrong_in_one_cell_is_told_whatever_was_proved_since(
    lives: Lives, staff: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    for shop in lives.in_turn():
        a_receivable(shop.sandbox)
    prove_books()
    assert (rows("ledger_proof"), is_well()) == ([1, 1, 1], True)
    green = panels(staff)["Proof of the books"]
    assert (green.label, green.state) == ("Passed", "success")

    with in_cell_of(lives.globex.sandbox), a_cent_too_much():
        prove_books()
        with pytest.raises(CommandError, match="invariants do not hold"):
            call_command("verify_ledger")
        with in_cell_of(lives.acme.sandbox):
            assert prove().holds  # type: ignore[union-attr]
    red = panels(staff)["Proof of the books"]
    assert (red.label, red.state, is_well()) == ("Failed", "danger", False)
    assert red.note.startswith(f"{GLOBEXES}: ")
    assert [row[1] for row in cells(red)[""]] == ["I6"]

    prove_books()
    assert panels(staff)["Proof of the books"].label == "Passed"
    call_command("verify_ledger")
    assert "invariants hold" in capsys.readouterr().out
