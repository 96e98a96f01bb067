"""Support finds money by what people tell: an amount, a day, a name, the digits of a card."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Model
from django.test import Client

from gateway.models import Customer, Payment, Refund, SuspenseItem, Withdrawal
from gateway.staff.kit.columns import address
from gateway.staff.kit.readings import split_days
from ledger.models import Receivable
from ledger.notation import plain_amount
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.staff import World


def listed(staff: Client, model: type[Model], **query: Any) -> set[str]:
    page = staff.get(address(model, "changelist"), query)
    assert page.status_code == 200, (model, query)
    return {str(row.pk) for row in page.context["cl"].result_list}


def test_a_payment_is_found_by_what_its_payer_tells(acme: Shop, globex: Shop, staff: Client) -> None:
    found = a_payment(acme.sandbox, amount="475.88")
    Customer.objects.filter(pk=found.customer_id).update(name="María José Conceição")
    a_payment(globex.sandbox, amount="475.87")
    day = f"{found.created_at:%Y-%m-%d}"
    for term in (
        "475.88", "R$ 475,88", "475,88 BRL", f"475.88 {day}", f"{found.created_at:%d/%m/%Y} R$ 475,88",
        "maria conceicao", "CONCEIÇÃO", f"jose {day}",
    ):  # fmt: skip
        assert listed(staff, Payment, q=term) == {found.pk}, term
    for term in ("475,88 MXN", "475.88 2020-01-31", "maria souza", "onceicao"):
        assert listed(staff, Payment, q=term) == set(), term
    assert len(listed(staff, Payment, q=day)) == 2
    assert listed(staff, Customer, q="conceicao maria") == {found.customer_id}
    for term in (f"475.88 {day}", "R$ 475,88"):
        answer = staff.get("/admin/search/", {"s": term, "extended": 1}).content.decode()
        assert f"/admin/gateway/payment/{found.pk}/change/" in answer, term
    assert "475.88 BRL" in answer


def test_ranges_narrow_a_list_and_order_it_by_their_time(acme: Shop, globex: Shop, staff: Client) -> None:
    small, big = a_payment(acme.sandbox, "PAID", amount="10.00"), a_payment(globex.sandbox, amount="20.00")
    today, tomorrow = (f"{small.created_at + timedelta(days=days):%Y-%m-%d}" for days in (0, 1))
    for query, expected in [
        ({"amount_from": "10.01"}, {big.pk}),
        ({"amount_from": "10", "amount_to": "19,99"}, {small.pk}),
        ({"created_at_from": today, "created_at_to": today}, {small.pk, big.pk}),
        ({"created_at_from": tomorrow}, set()),
        ({"paid_at_from": today}, {small.pk}),
        ({"company": "acm"}, {small.pk}),
        ({"company": globex.company.pk, "status__exact": "PENDING"}, {big.pk}),
        ({"amount_from": "NaN", "amount_to": "x", "created_at_from": "31/31"}, {small.pk, big.pk}),
    ]:
        assert listed(staff, Payment, **query) == expected, query


def test_other_lists_know_amounts_and_names_too(world: World, staff: Client) -> None:
    whole = plain_amount(Receivable.objects.get().gross_amount, "BRL")
    for model, term in [
        (Withdrawal, "5.00 BRL"), (Refund, "1,00"), (Refund, "maria"), (Receivable, whole), (SuspenseItem, "12.34"),
    ]:  # fmt: skip
        assert len(listed(staff, model, q=term)) == 1, (model, term)
        assert listed(staff, model, q=f"{term} 2001-01-01") == set()


def test_a_day_is_a_day_of_any_market() -> None:
    assert split_days("no day") == ("no day", None)
    rest, span = split_days("475.88 on 2026-11-22..2026-11-23")
    assert (rest, span) == (
        "475.88 on",
        (datetime(2026, 11, 21, 23, tzinfo=UTC), datetime(2026, 11, 24, 6, tzinfo=UTC)),
    )
    assert split_days("2026-02-31") == ("2026-02-31", None)
