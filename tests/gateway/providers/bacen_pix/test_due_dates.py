"""Charges with a due date (cobv): accounts that may not use them, and one txid for one kind of charge."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.providers.bacen_pix.provider import BacenPixProvider
from gateway.providers.errors import Unclear
from tests.support.bacen_pix.bank import Bank

WITHOUT = {"cob": {"cobv.read", "cobv.write"}, "cobv": {"cob.read", "cob.write"}}
"""The scopes of the other kind."""
both_kinds = pytest.mark.parametrize("kind", ["cob", "cobv"])


@pytest.fixture
def kind() -> str:
    return "cobv"


def txid(order: PaymentOrder) -> str:
    return order.payment_id.removeprefix("pay_")


def of_the_other_kind(order: PaymentOrder) -> PaymentOrder:
    due = None if order.due_date else datetime.now(UTC).date() + timedelta(days=3)
    return replace(order, due_date=due)


def test_a_company_owes_by_its_cnpj(bank: Bank, rail: Rail, order: PaymentOrder) -> None:
    payer = replace(order.payer, name="Padaria Central LTDA", tax_id="12ABC34501DE35")

    assert rail.instruct(replace(order, payer=payer)).answered == PaymentResult.WAITING

    owes = {"cnpj": "12ABC34501DE35", "nome": "Padaria Central LTDA"}
    assert bank.books.charges[txid(order)]["devedor"] == owes


def test_a_day_that_has_passed_at_the_bank_is_refused(bank: Bank, rail: Rail, order: PaymentOrder) -> None:
    bank.books.clock_offset = timedelta(days=5)

    assert rail.instruct(order).answered == PaymentResult.REFUSED
    assert bank.books.charges == {}


@pytest.mark.parametrize("narrows", [True, False], ids=["403", "no token"])
@both_kinds
def test_an_account_that_may_not_use_such_charges_has_refused(
    bank: Bank, rail: Rail, order: PaymentOrder, kind: str, narrows: bool
) -> None:
    """Some banks answer 403 to the calls, others give no token for the scopes."""
    bank.scopes, bank.narrows = WITHOUT[kind], narrows

    outcome = rail.instruct(order)

    assert outcome.answered == PaymentResult.REFUSED
    assert outcome.failure is not None and outcome.failure[0] == "AcessoNegado"
    assert bank.books.charges == {}


@pytest.mark.parametrize("narrows", [True, False], ids=["403", "no token"])
def test_without_due_dates_an_account_serves_all_else(
    bank: Bank, rail: Rail, order: PaymentOrder, provider: BacenPixProvider, narrows: bool
) -> None:
    bank.scopes, bank.narrows = bank.scopes - {"cobv.read", "cobv.write"}, narrows

    provider.check()
    assert rail.instruct(of_the_other_kind(order)).answered == PaymentResult.WAITING
    assert rail.instruct(replace(order, payment_id=f"pay_{'0' * 26}")).answered == PaymentResult.REFUSED
    assert list(bank.books.charges) == [txid(order)]


@both_kinds
def test_a_right_that_was_taken_away_leaves_a_charge_unclear(
    bank: Bank, connect: Callable[..., BacenPixProvider], order: PaymentOrder
) -> None:
    [rail] = connect().rails()
    rail.instruct(order)
    bank.scopes = set()
    [rail] = connect().rails()

    for call in (lambda: rail.ask(order, PaymentAction.PAY), lambda: rail.cancel(order)):
        with pytest.raises(Unclear, match="HTTP 403 AcessoNegado"):
            call()
    assert bank.books.charges[txid(order)]["status"] == "ATIVA"


@both_kinds
def test_a_bank_has_a_txid_as_one_kind_of_charge_only(bank: Bank, rail: Rail, order: PaymentOrder, kind: str) -> None:
    rail.instruct(order)
    other = of_the_other_kind(order)

    assert rail.ask(other, PaymentAction.PREPARE) == PaymentOutcome(PaymentResult.NOT_RECEIVED)
    assert rail.instruct(other).answered == PaymentResult.REFUSED
    assert [charge["loc"]["tipoCob"] for charge in bank.books.charges.values()] == [kind]
    assert rail.cancel(order).answered == PaymentResult.DONE
    assert bank.books.charges[txid(order)]["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"


def test_each_kind_has_a_token_of_its_own_for_many_calls(bank: Bank, rail: Rail, order: PaymentOrder) -> None:
    other = replace(of_the_other_kind(order), payment_id=f"pay_{'0' * 26}")
    for one in (order, other, order, other):
        assert rail.instruct(one).answered == PaymentResult.WAITING

    assert sorted(map(sorted, bank.tokens.values()))[1] == ["cobv.read", "cobv.write"]
    assert bank.calls.count("POST /oauth/token") == 2
