"""What goes wrong with money elsewhere, tried on amounts and orders that nobody thought of: through the services."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.models import User
from gateway.customers.payer import Payer
from gateway.payments import questions
from gateway.payments import services as payments
from gateway.payments.models import Payment
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.refunds import due as refunds_due
from gateway.refunds import services as refunds
from gateway.refunds.errors import RefundAmountTooSmall
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import Refund, Status
from gateway.withdrawals import due as withdrawals_due
from gateway.withdrawals import provider
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from gateway.withdrawals.models import Withdrawal
from ledger.books.models import Transfer
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import AccountKind
from ledger.money import convert, to_decimal
from ledger.rates.table import SANDBOX
from ledger.receivables import advances
from ledger.receivables.models import Receivable
from ledger.wallets.selectors import Holding, holdings
from tests.support.companies import Shop
from tests.support.effort import tries
from tests.support.payments import a_payment, a_reference

pytestmark = pytest.mark.django_db

tried = settings(
    max_examples=tries(20, 2000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    print_blob=True,
)
PAYER = Payer(name="Maria Silva", tax_id="52998224725", tax_id_type="CPF")
AMOUNTS = st.integers(100, 5_000_000)
DOLLARS = st.integers(100, 1_000_000)
SHARES = st.lists(st.integers(1, 1000), min_size=1, max_size=6)


@contextmanager
def undone() -> Iterator[None]:
    """One example: nothing of it is there for the next one."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def a_card(shop: Shop, minor: int, currency: str = "USD") -> Payment:
    """A payment by a stored card that was paid."""
    wish = payments.Request(
        "CREDIT_CARD", to_decimal(minor, currency), currency, a_reference(), PAYER,
        payment_method_token="pmt_sandbox_approved",
    )  # fmt: skip
    payment = payments.create(shop.sandbox, wish)
    if payment.is_unanswered:
        payment = questions.answer(shop.sandbox, questions.ask(payment))
    assert payment.status == "PAID"
    return payment


def parts(whole: int, shares: list[int]) -> list[int]:
    """The whole in parts of about these shares, each at least one; they add up to it."""
    cut, found = 0, []
    for number in range(1, len(shares) + 1):
        upto = whole * sum(shares[:number]) // sum(shares)
        found.append(upto - cut)
        cut = upto
    return [part for part in found if part]


def held(shop: Shop, currency: str = "BRL") -> Holding:
    return holdings(shop.sandbox, currency).currencies.get(currency, Holding())


# ── 1 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
@tried
@example(minor=10_000, shares=[1, 1, 1], rate="5.4321")
@example(minor=100, shares=[1, 50], rate="0.5000")  # the first part is worth less than a centavo
@given(minor=DOLLARS, shares=SHARES, rate=st.decimals("0.5", "20", places=4).map(str))
def test_parts_of_converted_money_are_the_whole_to_the_cent(
    acme: Shop, monkeypatch: pytest.MonkeyPatch, minor: int, shares: list[int], rate: str
) -> None:
    with undone(), monkeypatch.context() as market:
        market.setitem(SANDBOX, "USD", 1 / Decimal(rate))
        payment = a_card(acme, minor)
        assert payment.settlement_rate
        a_payment(acme.sandbox, "PAID", "200000.00")  # what the fee has taken is given back as well
        a_payment(acme.sandbox, "PAID", "200000.00")
        whole = convert(minor, "USD", "BRL", payment.settlement_rate)

        made = []
        for part in parts(minor, shares):
            with suppress(RefundAmountTooSmall), transaction.atomic():
                made.append(refunds.create(acme.sandbox, payment.id, amount=part))

        returned = sum(one.amount for one in made)
        assert sum(one.wallet_amount for one in made) == convert(returned, "USD", "BRL", payment.settlement_rate)
        assert held(acme).blocked == sum(one.wallet_amount for one in made)
        if returned == minor:
            assert sum(one.wallet_amount for one in made) == whole


@tried
@given(amounts=st.lists(st.integers(1_000, 900_000), min_size=1, max_size=4))
def test_the_parts_of_an_advance_are_the_whole_to_the_cent(acme: Shop, amounts: list[int]) -> None:
    with undone():
        for minor in amounts:
            a_card(acme, minor, "BRL")
        ids = list(Receivable.objects.filter(merchant=acme.sandbox).values_list("pk", flat=True))
        releasing = held(acme).releasing

        given = advances.approve(advances.request(acme.sandbox, ids, None).pk, User.objects.create_user("r@o.example"))

        items = list(given.items.all())
        assert (given.gross_amount, given.fee) == (sum(one.amount for one in items), sum(one.fee for one in items))
        assert (releasing, held(acme).available, held(acme).releasing) == (given.gross_amount, given.net, 0)


# ── 2 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
@tried
@example(minor=10_000, wishes=[3334, 3333, 3333, 1])
@given(minor=AMOUNTS, wishes=st.lists(st.integers(1, 6_000_000), min_size=1, max_size=8))
def test_stacked_refunds_never_come_to_more_than_net_and_fee(acme: Shop, minor: int, wishes: list[int]) -> None:
    with undone():
        payment = a_payment(acme.sandbox, "PAID", str(to_decimal(minor, "BRL")))
        a_payment(acme.sandbox, "PAID", "200000.00")
        left = payment.net + payment.fee

        for number, wish in enumerate(wishes):
            made = None
            with suppress(Refusal), transaction.atomic():
                made = refunds.create(acme.sandbox, payment.id, amount=wish)
            assert (made is None) == (wish > left)
            if made:
                left -= wish
                if number % 3:  # of three one is on its way, one is completed and one fails
                    refunds.decide(
                        acme.sandbox, made.id, RefundAction.DONE if number % 3 == 1 else RefundAction.DECLINED
                    )
                    left += 0 if number % 3 == 1 else wish

        payment.refresh_from_db()
        kept = Refund.objects.filter(payment=payment).exclude(status=Status.FAILED)
        assert sum(one.amount for one in kept) == payment.net + payment.fee - left <= payment.amount
        assert payment.refunded_amount <= payment.net + payment.fee


# ── 3 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
@tried
@example(minor=10_000, then="5.0000", now="9.0000")
@given(
    minor=DOLLARS,
    then=st.decimals("0.5", "20", places=4).map(str),
    now=st.decimals("0.5", "20", places=4).map(str),
)
def test_converted_money_goes_back_at_the_rate_of_then(
    acme: Shop, monkeypatch: pytest.MonkeyPatch, minor: int, then: str, now: str
) -> None:
    with undone(), monkeypatch.context() as market:
        for _ in range(6):
            a_payment(acme.sandbox, "PAID", "240000.00")
        market.setitem(SANDBOX, "USD", 1 / Decimal(then))
        payment = a_card(acme, minor)
        frozen = payment.settlement_rate
        assert frozen is not None
        market.setitem(SANDBOX, "USD", 1 / Decimal(now))
        acme.sandbox.conversion_spread = Decimal(7)
        acme.sandbox.save()

        made = refunds.create(acme.sandbox, payment.id)

        payment.refresh_from_db()
        assert (payment.settlement_rate, made.wallet_amount) == (frozen, convert(minor, "USD", "BRL", frozen))
        before = held(acme).blocked
        refunds.decide(acme.sandbox, made.id, RefundAction.DONE)
        assert before - held(acme).blocked == made.wallet_amount


# ── 4 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
MOVES = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 1000)), min_size=1, max_size=12)


@tried
@given(said=MOVES)
def test_one_business_id_is_posted_once_whatever_is_said_again(acme: Shop, said: list[tuple[int, int]]) -> None:
    with undone():
        source, target = Side(AccountKind.CLEARING, "PIX", "BRL"), wallet(AccountKind.AVAILABLE, "BRL")
        first: dict[int, int] = {}
        for number, minor in said:
            is_new = post(acme.sandbox, "property", f"id-{number}", [Move(minor, source, target)], utcnow())
            assert is_new == (number not in first)
            first.setdefault(number, minor)

        assert held(acme).available == sum(first.values())
        assert Transfer.objects.filter(kind="property").count() == len(first)


ENDS = st.lists(st.sampled_from(["DONE", "DECLINED", "RETURNED", "LOOK"]), min_size=1, max_size=8)


@tried
@example(said=["DONE", "DECLINED", "DONE"])
@given(said=ENDS)
def test_however_often_an_end_is_said_its_books_are_written_once(acme: Shop, said: list[str]) -> None:
    with undone():
        made, refund = a_withdrawal(acme), refunds.create(acme.sandbox, a_payment(acme.sandbox, "PAID").pk, amount=1000)
        acts: dict[str, list[Callable[[], object]]] = {
            "LOOK": [withdrawals_due.run_due, refunds_due.run_due],
            "RETURNED": [lambda: withdrawals.simulate(acme.sandbox, made.pk, "RETURNED")],
            "DONE": [
                lambda: withdrawals.simulate(acme.sandbox, made.pk, "COMPLETED"),
                lambda: refunds.decide(acme.sandbox, refund.pk, RefundAction.DONE),
            ],
            "DECLINED": [
                lambda: withdrawals.simulate(acme.sandbox, made.pk, "FAILED"),
                lambda: refunds.decide(acme.sandbox, refund.pk, RefundAction.DECLINED),
            ],
        }
        for one in said:
            for act in acts[one]:
                with suppress(Refusal), transaction.atomic():
                    act()

        for reference in (made.pk, refund.pk):
            kinds = Counter(Transfer.objects.filter(reference=reference).values_list("kind", flat=True))
            assert set(kinds.values()) == {1}
            ended = [kind for kind in kinds if kind.endswith((".completed", ".failed"))]
            assert len(ended) + kinds["refund.returned"] <= 1


def a_withdrawal(shop: Shop) -> Withdrawal:
    a_payment(shop.sandbox, "PAID", "2000.00")
    destination = {"pixKey": "maria@example.com", "pixKeyType": "EMAIL"}
    wish = WithdrawalDraft(
        shop.company.id, "PIX", Decimal(904), "BRL", "BRL", a_reference(), destination, Requester(),
        is_from_backend=False,
    )  # fmt: skip
    return withdrawals.create(shop.sandbox, wish)


# ── 5 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
UNCLEAR = st.tuples(
    st.sampled_from([PayoutResult.UNKNOWN, PayoutResult.SENT, PayoutResult.NOT_RECEIVED]),
    st.integers(0, 60 * 60 * 24 * 40),
)


@tried
@example(answers=[(PayoutResult.UNKNOWN, 60 * 60 * 24 * 40)] * 6)
@given(answers=st.lists(UNCLEAR, min_size=1, max_size=8))
def test_no_unclear_answer_and_no_time_gives_money_back(acme: Shop, answers: list[tuple[PayoutResult, int]]) -> None:
    with undone():
        made = a_withdrawal(acme)
        before, at = held(acme), made.created_at

        for answered, seconds in answers:
            at += timedelta(seconds=seconds)
            locked = withdrawals.lock(acme.sandbox, made.pk)
            question = provider.prepare(locked, at)
            provider.take(locked, question, PayoutOutcome(answered), at)

        found = Withdrawal.objects.get(pk=made.pk)
        assert (found.status, found.failure_code) == ("PROCESSING", None)
        assert held(acme) == before
        assert before.blocked == made.total
        assert not Transfer.objects.filter(reference=made.pk).exclude(kind="withdrawal.held").exists()
