"""Whatever somebody knows of a payment finds it, and every filter leaves exactly what it says."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from accounts.models import Merchant
from gateway.payments.models import Payment
from gateway.payments.search import FEW, LONGEST_TEXT, Count, Search, found
from gateway.refunds import services as refunds
from tests.support.companies import Shop
from tests.support.sales import JOSE, LOJA, OF_DEBIT, REFUSED, card, later, many, order, sale


def ids(merchant: Merchant, **wanted: Any) -> list[str]:
    """What is found, newest first; each is counted, too."""
    sought = found(merchant, Search(**wanted))
    rows, counts = list(sought.rows), sought.counts()
    for status, number in Counter(payment.status for payment in rows).items():
        assert counts[status].number == number
    return [payment.pk for payment in rows]


@pytest.fixture
def bought(acme: Shop, globex: Shop) -> Payment:
    """José's payment of 1234.56 reais, among others of acme's and of globex's."""
    sale(acme.sandbox, "150.00", reference="cart-7")
    card(acme.sandbox, "200.00")
    for shop in (globex, acme):
        wanted = sale(shop.sandbox, "1234.56", payer=JOSE, reference="order_77%x")
    order(acme.sandbox, "99.90", payer=LOJA)
    return wanted


@pytest.mark.parametrize(
    "text",
    [
        "order_77%x", "order_77%", "order_", "José Núñez", "jose nu", "ARAUJO", "ÁRÁ", "11144477735", "111.444.777-35",
        "jose@example.com", " Jose@Example.com ", "1234.56", "1234,56", "1.234,56", "R$ 1.234,56", "BRL 1,234.56",
    ],
)  # fmt: skip
def test_what_is_known_of_a_payment_finds_it(acme: Shop, globex: Shop, bought: Payment, text: str) -> None:
    assert ids(acme.sandbox, text=text) == [bought.pk]
    assert bought.pk not in ids(globex.sandbox, text=text)


def test_ids_find_a_payment(acme: Shop, globex: Shop, bought: Payment) -> None:
    assert bought.rail_reference
    for text in (bought.pk, bought.pk.lower(), bought.pk.removeprefix("pay_"), bought.pk[:-1], bought.rail_reference):
        assert ids(acme.sandbox, text=text) == [bought.pk], text
        assert ids(globex.sandbox, text=text) == [], text
    assert ids(acme.sandbox, text=bought.customer_id) == [bought.pk]


@pytest.mark.parametrize(
    "text",
    [
        "rder_77", "order_77_x", "zz", "x\0", "%", "_", "\\", "1234.57", "9" * 20, "x" * (LONGEST_TEXT + 1), "é", "'",
    ],
)  # fmt: skip
def test_what_nobody_knows_finds_nothing(acme: Shop, bought: Payment, text: str) -> None:
    assert ids(acme.sandbox, text=text) == []
    assert set(found(acme.sandbox, Search(text=text)).counts().values()) == {Count()}


def test_the_last_four_digits_of_a_card_find_its_payments(acme: Shop, globex: Shop) -> None:
    first, second = card(acme.sandbox), card(acme.sandbox, "300.00")
    sale(acme.sandbox, "42.42", reference="424")

    assert ids(acme.sandbox, text="4242") == [second.pk, first.pk]
    assert ids(globex.sandbox, text="4242") == []


def test_a_text_that_means_many_payments_finds_all_of_them(acme: Shop, globex: Shop) -> None:
    opened = order(acme.sandbox, "77.00", payer=JOSE, reference="lot-0")
    order(acme.sandbox, "78.00")
    many(opened, FEW + 50)

    assert len(ids(globex.sandbox, text="lot-")) == 0
    for text in ("lot-", "jose", "77,00", "11144477735"):
        sought = found(acme.sandbox, Search(text=text))
        assert sought.rows.count() == FEW + 51, text
        assert sought.counts()["PENDING"].number == FEW + 51, text


def test_every_filter_leaves_exactly_what_it_says(acme: Shop, globex: Shop) -> None:
    pix = sale(acme.sandbox, "150.00")
    failed = sale(acme.sandbox, "150.01", status="FAILED")
    boleto = order(acme.sandbox, "20.00")
    credit = card(acme.sandbox, "200.00")
    dollars = card(acme.sandbox, "200.00", currency="USD")
    refused = card(acme.sandbox, "200.00", token=REFUSED)
    sale(globex.sandbox)

    def left(**wanted: Any) -> list[Payment]:
        order_of = [pix, failed, boleto, credit, dollars, refused]
        names = {payment.pk: payment for payment in order_of}
        return [names[id] for id in reversed(ids(acme.sandbox, **wanted))]

    assert left() == [pix, failed, boleto, credit, dollars, refused]
    assert left(statuses=("FAILED",)) == [failed, refused]
    assert left(statuses=("FAILED", "PENDING")) == [failed, boleto, refused]
    assert left(methods=("CREDIT_CARD", "BOLETO")) == [credit, dollars, refused]
    assert left(currency="USD") == [dollars]
    assert left(amount_from=Decimal("150.01")) == [failed, credit, dollars, refused]
    assert left(amount_from=Decimal("150"), amount_to=Decimal("150.01")) == [pix, failed]
    assert left(amount_from=Decimal("150.001"), amount_to=Decimal("150.019")) == [failed]
    assert left(amount_to=Decimal(0)) == []
    assert left(customer_id=pix.customer_id) == left()
    assert left(customer_id="cus_x") == []
    assert left(text="200", statuses=("PAID",), currency="BRL") == [credit]


def test_times_of_day_are_exact_and_their_ends_exclusive(acme: Shop) -> None:
    first = sale(acme.sandbox)
    later(acme.sandbox, hours=5)
    second = sale(acme.sandbox)
    moment = timedelta(milliseconds=1)
    assert first.paid_at and second.paid_at

    assert ids(acme.sandbox, created_from=second.created_at) == [second.pk]
    assert ids(acme.sandbox, created_to=second.created_at) == [first.pk]
    assert ids(acme.sandbox, created_from=first.created_at, created_to=second.created_at + moment) == [
        second.pk,
        first.pk,
    ]
    assert ids(acme.sandbox, paid_from=first.paid_at + moment) == [second.pk]
    assert ids(acme.sandbox, paid_from=first.paid_at, paid_to=second.paid_at) == [first.pk]


def test_warnings_and_refunds_are_found(acme: Shop, globex: Shop) -> None:
    plain, corrected, wanted = sale(acme.sandbox), card(acme.sandbox, token=OF_DEBIT), sale(acme.sandbox)
    refunds.dispute(acme.sandbox, wanted.pk, amount=100)
    refunds.dispute(globex.sandbox, sale(globex.sandbox).pk)

    assert corrected.method == "DEBIT_CARD"
    assert ids(acme.sandbox, has_warning=True) == [corrected.pk]
    assert ids(acme.sandbox, has_refunds=True) == [wanted.pk]
    assert ids(acme.sandbox, has_refunds=True, has_warning=True) == []
    assert len(ids(acme.sandbox)) == 3 and plain.pk in ids(acme.sandbox)
