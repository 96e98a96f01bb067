"""A payment through a bank with API Pix, from its charge to its refunds, and nothing twice."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from structlog.testing import capture_logs

from gateway.methods.rail import Money, PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail, RefundOrder
from gateway.providers.bacen_pix.provider import BacenPixProvider
from gateway.providers.errors import Unclear
from tests.support.bacen_pix.bank import KEY, Bank
from tests.support.br_codes import parse

RefundOf = Callable[[str, str], RefundOrder]
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
INVALID = {"cob": "CobOperacaoInvalida", "cobv": "CobVOperacaoInvalida"}
both_kinds = pytest.mark.parametrize("kind", ["cob", "cobv"])


def txid(order: PaymentOrder) -> str:
    return order.payment_id.removeprefix("pay_")


def paid(amount: str, money: str) -> PaymentOutcome:
    return PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": money}, None, money, Decimal(amount), "BRL")


@both_kinds
def test_a_charge_is_made_for_the_time_of_the_payment_and_shown(
    bank: Bank, rail: Rail, order: PaymentOrder, kind: str
) -> None:
    outcome = rail.instruct(order)

    charge = bank.books.charges[txid(order)]
    assert charge["valor"] == {"original": "100.00"}
    assert charge["chave"] == KEY
    calendar = {name: value for name, value in charge["calendario"].items() if name != "criacao"}
    if kind == "cob":
        assert calendar == {"expiracao": 3600}
        assert "devedor" not in charge
    else:
        assert calendar == {"dataDeVencimento": str(order.due_date), "validadeAposVencimento": 0}
        assert charge["devedor"] == {"cpf": "52998224725", "nome": "Maria Silva"}
    assert outcome.answered == PaymentResult.WAITING
    assert outcome.details == {"pixCopyPaste": charge["pixCopiaECola"], "pixTxid": txid(order)}
    assert set(rail.shown(outcome.details)) == {"pixCopyPaste", "pixQrCode", "pixTxid", "pixEndToEndId"}


@both_kinds
def test_a_bank_that_gives_only_a_location_gets_a_code_made_of_it(
    bank: Bank, rail: Rail, order: PaymentOrder, kind: str
) -> None:
    bank.books.gives_code = False

    fields = parse(rail.instruct(order).details["pixCopyPaste"])

    folder = {"cob": "", "cobv": "cobv/"}[kind]
    assert parse(fields["26"])["25"] == f"pix.example.com/qr/v2/{folder}{txid(order)}"
    assert (fields["54"], fields["59"]) == ("100.00", "LOJA EXEMPLO")


@both_kinds
@pytest.mark.parametrize("existing", [None, 400, 409])
def test_a_repeated_order_is_the_same_charge(bank: Bank, rail: Rail, order: PaymentOrder, existing: int | None) -> None:
    first = rail.instruct(order)
    bank.books.existing = existing

    assert rail.instruct(replace(order, asked_times=2)) == first
    assert len(bank.books.charges) == 1


@both_kinds
@pytest.mark.parametrize("existing", [400, 409])
def test_a_charge_of_another_amount_under_our_id_is_unclear_and_told(
    bank: Bank, rail: Rail, order: PaymentOrder, existing: int
) -> None:
    rail.instruct(replace(order, amount=Decimal("99.99")))
    bank.books.existing = existing

    with capture_logs() as lines, pytest.raises(Unclear, match="another amount"):
        rail.instruct(order)

    assert [one["event"] for one in lines if one["log_level"] == "critical"] == ["provider.other_amount"]
    assert bank.books.charges[txid(order)]["valor"] == {"original": "99.99"}


@both_kinds
def test_what_the_bank_refuses_is_refused_with_its_reason(
    bank: Bank, rail: Rail, order: PaymentOrder, kind: str
) -> None:
    bank.books.key = "somebody-else"

    outcome = rail.instruct(order)

    assert outcome.answered == PaymentResult.REFUSED
    assert outcome.failure is not None and outcome.failure[0] == INVALID[kind]
    assert bank.books.charges == {}


@both_kinds
@pytest.mark.parametrize("failure", ["400", "403", "422"])
def test_a_refusal_is_believed_once_the_bank_says_that_there_is_no_charge(
    bank: Bank, rail: Rail, order: PaymentOrder, failure: str
) -> None:
    bank.will(failure)
    assert rail.instruct(order).answered == PaymentResult.REFUSED
    assert bank.books.charges == {}


@both_kinds
@pytest.mark.parametrize("failure", ["400 after", "403 after"])
def test_a_refusal_of_what_exists_is_not_believed(bank: Bank, rail: Rail, order: PaymentOrder, failure: str) -> None:
    bank.will(failure)
    assert rail.instruct(order).answered == PaymentResult.WAITING


@both_kinds
@pytest.mark.parametrize("failures", [("403", "500"), ("400", "403")])
def test_a_refusal_that_cannot_be_verified_is_unclear(
    bank: Bank, rail: Rail, order: PaymentOrder, failures: tuple[str, str]
) -> None:
    bank.will(*failures)
    with pytest.raises(Unclear, match="HTTP"):
        rail.instruct(order)


def test_a_refusal_is_unclear_if_the_bank_is_not_reached_to_verify_it(
    bank: Bank, rail: Rail, order: PaymentOrder
) -> None:
    rail.instruct(order)
    bank.will("400 after", "401", "401")
    with pytest.raises(Unclear, match="token was refused"):
        rail.instruct(order)


@both_kinds
@pytest.mark.parametrize("about", [PaymentAction.PREPARE, PaymentAction.PAY])
def test_the_bank_tells_what_became_of_a_payment(
    bank: Bank, rail: Rail, order: PaymentOrder, about: PaymentAction
) -> None:
    assert rail.ask(order, about) == PaymentOutcome(PaymentResult.NOT_RECEIVED)

    waiting = rail.instruct(order)
    assert rail.ask(order, about) == waiting

    money = bank.books.pay(txid(order))
    assert rail.ask(order, about) == paid("100.00", money)


@both_kinds
@pytest.mark.parametrize("amount", ["0.01", "99.99", "100.01"])
def test_the_sum_that_arrived_is_told_whatever_was_ordered(
    bank: Bank, rail: Rail, order: PaymentOrder, amount: str
) -> None:
    rail.instruct(order)
    money = bank.books.pay(txid(order), amount)

    assert rail.ask(order, PaymentAction.PAY) == paid(amount, money)


@both_kinds
@pytest.mark.parametrize("first", [False, True])
def test_the_money_that_fits_is_told_and_the_rest_beside_it(
    bank: Bank, rail: Rail, order: PaymentOrder, first: bool
) -> None:
    rail.instruct(order)
    amounts = ("100.00", "99.99") if first else ("99.99", "100.00")
    money = {amount: bank.books.pay(txid(order), amount) for amount in amounts}

    other = Money(money["99.99"], Decimal("99.99"), "BRL")
    assert rail.ask(order, PaymentAction.PAY) == replace(paid("100.00", money["100.00"]), others=(other,))


def test_of_a_charge_that_was_paid_twice_the_known_money_is_told_first(
    bank: Bank, rail: Rail, order: PaymentOrder
) -> None:
    rail.instruct(order)
    both = [bank.books.pay(txid(order)) for _ in range(2)]

    for known, other in (both, reversed(both)):
        told = rail.ask(replace(order, reference=known), PaymentAction.PAY)
        assert told == replace(paid("100.00", known), others=(Money(other, Decimal("100.00"), "BRL"),))


@both_kinds
def test_a_canceled_charge_cannot_be_paid_any_more(bank: Bank, rail: Rail, order: PaymentOrder) -> None:
    rail.instruct(order)

    assert rail.cancel(order) == PaymentOutcome(PaymentResult.DONE)
    assert rail.cancel(order) == PaymentOutcome(PaymentResult.DONE)

    assert bank.books.charges[txid(order)]["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert rail.ask(order, PaymentAction.PAY).answered == PaymentResult.DECLINED


@both_kinds
def test_what_was_paid_is_not_canceled(bank: Bank, rail: Rail, order: PaymentOrder) -> None:
    rail.instruct(order)
    bank.books.pay(txid(order))

    assert rail.cancel(order).answered == PaymentResult.REFUSED
    assert bank.books.charges[txid(order)]["status"] == "CONCLUIDA"


@both_kinds
def test_what_the_bank_never_heard_of_cannot_be_paid(bank: Bank, rail: Rail, order: PaymentOrder) -> None:
    assert rail.cancel(order).answered == PaymentResult.DONE
    assert bank.books.charges == {}


@both_kinds
@pytest.mark.parametrize("status", ["REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"])
def test_a_removed_charge_is_declined_only_without_money(
    bank: Bank, rail: Rail, order: PaymentOrder, status: str
) -> None:
    rail.instruct(order)
    bank.books.charges[txid(order)]["status"] = status
    assert rail.ask(order, PaymentAction.PAY).failure == (status, "The charge was removed at the bank.")

    money = bank.books.pay(txid(order))
    assert rail.ask(order, PaymentAction.PAY) == paid("100.00", money)
    assert rail.cancel(order).answered == PaymentResult.REFUSED


def test_a_refund_in_parts_reaches_the_payer_part_by_part(
    bank: Bank, rail: Rail, order: PaymentOrder, refund_of: RefundOf
) -> None:
    rail.instruct(order)
    money = bank.books.pay(txid(order))
    first, second, third = (refund_of(money, amount) for amount in ("30.00", "70.00", "0.01"))

    assert rail.ask_refund(first, NOON).answered == PaymentResult.NOT_RECEIVED
    assert rail.refund(first, NOON).answered == PaymentResult.UNKNOWN
    assert rail.ask_refund(first, NOON).answered == PaymentResult.UNKNOWN
    bank.books.settle(money, first.refund_id.removeprefix("ref_"), "DEVOLVIDO")
    returned = rail.ask_refund(first, NOON)
    assert (returned.answered, returned.amount, returned.currency) == (PaymentResult.DONE, Decimal("30.00"), "BRL")
    assert returned.reference is not None and returned.reference.startswith("D12345678")

    bank.books.settles = "DEVOLVIDO"
    assert rail.refund(second, NOON).answered == PaymentResult.DONE
    declined = rail.refund(third, NOON)
    assert declined.answered == PaymentResult.DECLINED
    assert declined.failure == ("PixDevolucaoInvalida", "excederia o valor do pix originário")

    assert (bank.books.received(), bank.books.returned()) == (Decimal("100.00"), Decimal("100.00"))


def test_a_repeated_refund_is_the_same_return(bank: Bank, rail: Rail, order: PaymentOrder, refund_of: RefundOf) -> None:
    bank.books.settles = "DEVOLVIDO"
    money = bank.books.pay(None, "100.00")
    refund = refund_of(money, "40.00")

    assert rail.refund(refund, NOON) == rail.refund(refund, NOON) == rail.ask_refund(refund, NOON)
    assert bank.books.returned() == Decimal("40.00")


def test_a_return_of_another_amount_under_our_id_is_unclear_and_told(
    bank: Bank, rail: Rail, refund_of: RefundOf
) -> None:
    money = bank.books.pay(None, "100.00")
    refund = refund_of(money, "40.00")
    rail.refund(replace(refund, amount=Decimal("41.00")), NOON)

    with capture_logs() as lines, pytest.raises(Unclear, match="another amount"):
        rail.refund(refund, NOON)

    assert [one["event"] for one in lines if one["log_level"] == "critical"] == ["provider.other_amount"]


def test_what_the_bank_could_not_return_is_declined_with_its_reason(
    bank: Bank, rail: Rail, refund_of: RefundOf
) -> None:
    money = bank.books.pay(None, "100.00")
    refund = refund_of(money, "40.00")
    rail.refund(refund, NOON)
    bank.books.settle(money, refund.refund_id.removeprefix("ref_"), "NAO_REALIZADO", motivo="Conta encerrada")

    outcome = rail.ask_refund(refund, NOON)

    assert (outcome.answered, outcome.failure) == (PaymentResult.DECLINED, ("NAO_REALIZADO", "Conta encerrada"))
    assert bank.books.returned() == 0


def test_money_that_the_bank_does_not_know_is_not_returned(bank: Bank, rail: Rail, refund_of: RefundOf) -> None:
    outcome = rail.refund(refund_of("E" + "1" * 31, "40.00"), NOON)
    assert (outcome.answered, outcome.failure and outcome.failure[0]) == (PaymentResult.DECLINED, "PixNaoEncontrado")


@pytest.mark.parametrize("money", [None, "", "E123", "E" * 33, "E" * 31 + "/"])
def test_without_the_id_of_the_money_no_refund_is_sent(
    bank: Bank, rail: Rail, refund_of: RefundOf, money: str | None
) -> None:
    refund = replace(refund_of("", "40.00"), payment_reference=money)

    assert rail.refund(refund, NOON).answered == PaymentResult.DECLINED
    assert rail.ask_refund(refund, NOON).answered == PaymentResult.NOT_RECEIVED
    assert bank.calls == []


def test_all_money_of_a_window_is_found_with_and_without_a_charge(
    bank: Bank, provider: BacenPixProvider, rail: Rail, order: PaymentOrder
) -> None:
    rail.instruct(order)
    bank.books.most_per_page = 2
    expected = [bank.books.pay(txid(order), "12.34"), *(bank.books.pay(None, "1.00") for _ in range(4))]
    bank.books.settle(expected[0], "MED1", "EM_PROCESSAMENTO", natureza="MED_FRAUDE", valor="5.00")
    now = datetime.now(UTC)

    found = list(provider.received(now - timedelta(minutes=1), now + timedelta(minutes=1)))

    assert [one.end_to_end_id for one in found] == expected
    assert [(one.txid, one.amount) for one in found[:2]] == [(txid(order), Decimal("12.34")), (None, Decimal("1.00"))]
    assert [(one.nature, one.amount) for one in found[0].returns] == [("MED_FRAUDE", Decimal("5.00"))]
    assert list(provider.received(now - timedelta(hours=2), now - timedelta(hours=1))) == []
    assert len([call for call in bank.calls if call.startswith("GET /pix?")]) == 4
