"""Every lifecycle is a table: what it does not list is refused, and what is drawn is what runs."""

from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db.models import TextChoices

from accounts.base.lifecycle import NEW, Table, Transition
from tests.support.lifecycles import LIVES, unreachable, wrong_answers
from webhooks.kinds import KINDS

README = (Path(settings.BASE_DIR) / "README.md").read_text()


@pytest.mark.parametrize("life", LIVES)
def test_every_action_in_every_status_is_listed_or_refused(life: str) -> None:
    table = LIVES[life]

    assert wrong_answers(table) == []
    assert len(list(table.pairs())) == len(table.actions) * len(table.statuses)
    assert {one.action for one in table.transitions} <= set(table.actions)


@pytest.mark.parametrize("life", LIVES)
def test_every_status_can_be_reached(life: str) -> None:
    assert unreachable(LIVES[life]) == set()


@pytest.mark.parametrize("life", LIVES)
def test_what_has_movements_says_what_they_are_called_and_every_event_exists(life: str) -> None:
    for one in LIVES[life].transitions:
        assert one.posts or not one.books
        assert set(one.announces) <= set(KINDS)


@pytest.mark.parametrize("life", LIVES)
def test_the_drawings_in_the_readme_are_the_tables(life: str) -> None:
    assert f"```mermaid\n{LIVES[life].diagram()}\n```" in README


class Door(TextChoices):
    OPEN = "OPEN"
    SHUT = "SHUT"


class Push(StrEnum):
    BUILD = "build"
    SHUT = "shut"
    BURN = "burn"


class Locked(Exception):
    pass


def door(*more: Transition[Push, Any]) -> Table[Push, Any]:
    first = (Transition(Push.BUILD, NEW, Door.OPEN), Transition(Push.SHUT, (Door.OPEN,), Door.SHUT))
    return Table(Push, Door, Locked, (*first, *more))


def test_a_table_knows_every_pair() -> None:
    found = {(str(action), status): listed and str(listed.target) for action, status, listed in door().pairs()}

    assert len(found) == 3 * 3
    assert {pair: target for pair, target in found.items() if target} == {
        ("build", ""): "OPEN",
        ("shut", "OPEN"): "SHUT",
    }
    assert (door().allows(Push.SHUT, "OPEN"), door().allows(Push.SHUT, "SHUT")) == (True, False)
    with pytest.raises(Locked):
        door().transition(Push.BURN, "OPEN")
    with pytest.raises(Locked):
        door().transition(Push.BUILD, "no status")


def test_a_pair_has_one_meaning() -> None:
    with pytest.raises(AssertionError):
        door(Transition(Push.SHUT, (Door.SHUT, Door.OPEN), Door.OPEN))


def test_a_table_draws_itself() -> None:
    assert door(Transition(Push.BURN, (Door.OPEN,), Door.SHUT)).diagram().splitlines() == [
        "stateDiagram-v2",
        "    [*] --> OPEN : build",
        "    OPEN --> SHUT : shut, burn",
        "    SHUT --> [*]",
    ]
