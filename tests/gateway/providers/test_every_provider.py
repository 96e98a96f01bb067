"""What holds for every institution: its accounts, what it serves, and what it leaves to the method."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from gateway.methods.rail import PaymentResult, Rail
from gateway.methods.registry import by_currency
from gateway.providers.credentials import sealed_of
from gateway.providers.errors import InvalidAccount
from gateway.providers.provider import Message, Provider
from gateway.providers.registry import declared
from gateway.providers.selectors import opened
from tests.support import scripted_provider
from tests.support.institutions import ACCOUNTS
from tests.support.rails import RAILS_UNDER_TEST

FOLDERS = Path(settings.BASE_DIR) / "gateway" / "providers"
MOST_LINES = 300
OF_MANY = {"bacen-pix": 520, "bank-files": 450, "adyen": 1700, "stripe": 1400, "stp": 1100}
"""A standard of many banks, with tokens, mutual TLS, returns and a list of received money; files in two formats, with
folders reached by SFTP; an acquirer of many methods that is believed; one of cards with its own list of reasons;
money in and out with orders that are signed."""
LEFT_TO_THE_METHOD = ("shown", "completed", "received", "deadline")
every_account = pytest.mark.parametrize(
    ("name", "given"), [(name, given) for name, accounts in ACCOUNTS.items() for given in accounts]
)


def connected(name: str, given: dict[str, Any]) -> Provider[Any]:
    """The institution as it is opened for real: sealed, and read again."""
    return opened(name, sealed_of(declared()[name], given).sealed)


def of_the_method(rail: Rail) -> list[Rail]:
    """The simulators of the rail's markets."""
    return [by_currency(rail.method)[market.currency] for market in rail.markets]


def test_no_institution_is_left_out() -> None:
    assert set(ACCOUNTS) == set(declared()) - {scripted_provider.ScriptedProvider.name}


@pytest.mark.parametrize("name", list(ACCOUNTS))
def test_it_is_one_small_folder_of_its_name(name: str) -> None:
    modules = list((FOLDERS / name.replace("-", "_")).glob("*.py"))

    assert sum(len(path.read_text().splitlines()) for path in modules) <= OF_MANY.get(name, MOST_LINES)
    assert declared()[name].__module__ == f"gateway.providers.{name.replace('-', '_')}.provider"


@pytest.mark.parametrize("name", list(ACCOUNTS))
def test_its_accounts_serve_and_pay_out_all_that_it_declares(name: str) -> None:
    every = [connected(name, given) for given in ACCOUNTS[name]]

    assert set().union(*(one.served() for one in every)) == set(declared()[name].methods)
    assert set().union(*(one.pays_out() for one in every)) == set(declared()[name].payouts)
    assert all(one.served() or one.pays_out() for one in every)


@every_account
def test_its_rails_are_the_methods_themselves(name: str, given: dict[str, Any]) -> None:
    for rail in connected(name, given).rails():
        for simulator in of_the_method(rail):
            assert rail.markets == simulator.markets
            for function in LEFT_TO_THE_METHOD:
                assert getattr(type(rail), function) is getattr(type(simulator), function), function
            assert rail.bank_reference is simulator.bank_reference
            assert rail.takes_due_date is simulator.takes_due_date


@every_account
def test_what_it_instructs_without_a_call_is_shown_like_the_simulators(name: str, given: dict[str, Any]) -> None:
    for rail in connected(name, given).rails():
        pair = (rail.method, rail.markets[0].currency)
        one = next((one for one in RAILS_UNDER_TEST if (one.method, one.currency) == pair), None)
        if one is None or rail.calls_provider(order := one.order()):
            continue
        answer = rail.instruct(order)
        assert answer.answered in (PaymentResult.WAITING, PaymentResult.CHECKOUT)
        assert answer == rail.instruct(order)
        assert tuple(rail.shown(answer.details)) == tuple(member for member in one.shows if member != "nextAction")


@every_account
def test_credentials_with_an_unknown_or_without_a_required_member_are_refused(name: str, given: dict[str, Any]) -> None:
    required = [
        member for member, field in declared()[name].credentials_type.model_fields.items() if field.is_required()
    ]
    for wrong in [given | {"surprise": "x"}, *({k: v for k, v in given.items() if k != member} for member in required)]:
        with pytest.raises(InvalidAccount):
            sealed_of(declared()[name], wrong)


@every_account
def test_a_message_of_nobody_is_not_believed(name: str, given: dict[str, Any]) -> None:
    institution = connected(name, given)

    for body in (b"", b"{}", b"<html>", b"[]"):
        assert institution.verify(Message("", {}, body)) is False
        assert institution.verify(Message("", {"authorization": "x"}, body, certificate="00" * 32)) is False
