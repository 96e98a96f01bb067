"""Where there is no Citus all cells are on one node, and nothing is moved."""

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Cell
from tests.support.lives import ACMES, Lives

pytestmark = pytest.mark.a_third_a_day


@pytest.mark.parametrize(
    ("cell", "node", "said"),
    [
        (ACMES, "10.0.0.52:5432", "The database has no Citus, so all cells are on one node. Nothing was changed."),
        (ACMES, "10.0.0.52", "10.0.0.52 is no HOST:PORT. Nothing was changed."),
        (ACMES, ":5432", ":5432 is no HOST:PORT. Nothing was changed."),
    ],
)
def test_a_cell_stays_where_there_is_no_other_node(lives: Lives, cell: str, node: str, said: str) -> None:
    with pytest.raises(CommandError, match=f"^{said}$"):
        call_command("place_cell", cell, node)
    assert Cell.objects.filter(name=ACMES).exists()


def test_a_cell_that_was_interrupted_goes_on(lives: Lives) -> None:
    """`add_cell` ended before its last step: the cell is there, closed, and nobody lives in it."""
    call_command("add_cell", "cell_13")
    Cell.objects.filter(name="cell_13").update(is_open=False)
    call_command("add_cell", "cell_13")
    assert Cell.objects.get(name="cell_13").is_open


def test_a_cell_in_which_somebody_lives_is_not_opened_once_more(lives: Lives) -> None:
    with pytest.raises(CommandError, match=f"^{ACMES} is there already. Nothing was changed.$"):
        call_command("add_cell", ACMES)
    assert not Cell.objects.get(name=ACMES).is_open
