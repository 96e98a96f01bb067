"""Having money sooner: what it costs before it is asked for, the request, and what the reviewer says."""

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.models import AuditEntry, Merchant, User
from accounts.roles import Role
from gateway.refunds import services as refunds
from ledger.receivables import advances
from ledger.receivables.models import Advance, Receivable
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.people import a_member, set_up, signed_in
from tests.support.receivables import NET, a_receivable, book
from tests.support.refunds import everything, later, nothing_moves

pytestmark = pytest.mark.django_db

FEE = 480
"""For 192.02 thirty days sooner, at 2.5 % a month: 4.8005."""
ALL = {"choose": "all", "currency": "BRL"}


def quoted(client: Client, where: str, **choice: Any) -> tuple[int, int, int] | None:
    """How many, the fee and the net."""
    quote = client.get(where, choice).context["quote"]
    return (len(quote.items), quote.fee, quote.net) if quote else None


def refused(answer: HttpResponse) -> str:
    said = answer.context["form"].errors
    return " ".join(" ".join(one) for one in said.values())


def asking(client: Client, where: str, **choice: Any) -> dict[str, Any]:
    """The form as the page of the request holds it."""
    form = client.get(where, choice or ALL).context["form"]
    return {name: form[name].value() for name in form.fields}


def day_of(receivable: Receivable, **difference: int) -> str:
    return (receivable.release_at + timedelta(**difference)).date().isoformat()


def test_looking_costs_nothing_and_tells_everything(acme: Shop, viewer: Client, page: Page) -> None:
    one = a_receivable(acme.sandbox)
    later(acme, days=10)
    two = a_receivable(acme.sandbox)
    where = page("simulate_advance")

    with nothing_moves(acme):
        assert quoted(viewer, where, **ALL) == (2, FEE + 320, 2 * NET - FEE - 320)
        assert quoted(viewer, where, choose="until", until=day_of(one), currency="BRL") == (1, 320, NET - 320)
        assert quoted(viewer, where, choose="amount", amount="187", currency="BRL") == (1, 320, NET - 320)
        assert quoted(viewer, where, choose="amount", amount="200", currency="BRL") == (2, 800, 2 * NET - 800)
        assert quoted(viewer, where, id=[two.pk]) == (1, FEE, NET - FEE)
        body = viewer.get(where, ALL).content.decode()

    for said in ("R$376.04", "R$8.00", "25.0 on average", "(2.08%)"):
        assert said in body, said
    assert page("request_advance") not in body, "who may not ask is not led there"


def test_what_cannot_be_had_is_said(acme: Shop, viewer: Client, page: Page) -> None:
    where = page("simulate_advance")
    assert "There is nothing to advance at the moment" in viewer.get(where).content.decode()
    one = a_receivable(acme.sandbox)

    for choice, said in (
        ({"choose": "amount", "amount": "1000", "currency": "BRL"}, "Together they pay R$187.22."),
        ({"choose": "until", "until": day_of(one, days=-1), "currency": "BRL"}, "Nothing that can be advanced"),
        ({"choose": "amount", "currency": "BRL"}, "Enter an amount."),
        ({"choose": "until", "currency": "BRL"}, "Choose a day."),
        ({"id": ["rcv_nobody", one.pk]}, "cannot be advanced together"),
        ({"choose": "x"}, "Select a valid choice"),
        (ALL | {"currency": "USD"}, "Select a valid choice"),
    ):
        answer = viewer.get(where, choice)
        assert answer.context["quote"] is None
        assert said in refused(answer)
    Merchant.objects.filter(pk=acme.sandbox.pk).update(advance_enabled=False)
    assert "Advances are not enabled" in viewer.get(where).content.decode()


def test_an_advance_is_requested_as_it_was_looked_at(acme: Shop, finance: Client, page: Page) -> None:
    one = a_receivable(acme.sandbox)
    where = page("request_advance")
    with nothing_moves(acme):
        form = asking(finance, where)
    late = a_receivable(acme.sandbox)

    answer = finance.post(where, form)

    advance = Advance.objects.get()
    assert answer["Location"] == page("advance", advance.pk)
    assert [item.receivable_id for item in advance.items.all()] == [one.pk], "not what came meanwhile"
    assert (advance.gross_amount, advance.fee, advance.state) == (NET, FEE, "UNDER_REVIEW")
    assert advance.requested_by is not None and advance.requested_by.email == "finance@acme.example"
    assert Receivable.objects.get(pk=late.pk).state == "SCHEDULED"
    entry = AuditEntry.objects.get(action="advance.requested")
    assert (entry.object_id, entry.after) == (
        advance.pk, {"gross": NET, "fee": FEE, "currency": "BRL", "receivables": 1}
    )  # fmt: skip
    body = finance.get(page("advance", advance.pk)).content.decode()
    assert "Under review" in body and one.payment_reference in body


def test_a_double_click_asks_once(acme: Shop, finance: Client, page: Page) -> None:
    a_receivable(acme.sandbox)
    form = asking(finance, page("request_advance"))
    finance.post(page("request_advance"), form)
    with nothing_moves(acme):
        assert finance.post(page("request_advance"), form).status_code == 302
    assert Advance.objects.count() == 1


def test_days_that_pass_meanwhile_make_it_cheaper_and_nothing_else(acme: Shop, finance: Client, page: Page) -> None:
    a_receivable(acme.sandbox)
    form = asking(finance, page("request_advance"))
    later(acme, days=10)
    finance.post(page("request_advance"), form)

    assert Advance.objects.get().fee == 320


def test_an_amount_that_changed_is_shown_before_it_is_asked_for(acme: Shop, finance: Client, page: Page) -> None:
    one = a_receivable(acme.sandbox)
    form = asking(finance, page("request_advance"))
    refunds.create(acme.sandbox, one.payment_id, amount=5_000)

    with nothing_moves(acme):
        answer = finance.post(page("request_advance"), form)

    assert "An amount changed in the meantime" in answer.content.decode()
    assert answer.context["quote"].gross == NET - 5_000
    assert not AuditEntry.objects.filter(action="advance.requested").exists()


def test_what_is_gone_meanwhile_is_refused(acme: Shop, finance: Client, page: Page, reviewer: User) -> None:
    one = a_receivable(acme.sandbox)
    form = asking(finance, page("request_advance"))
    advances.request(acme.sandbox, [one.pk], reviewer)

    with nothing_moves(acme):
        answer = finance.post(page("request_advance"), form)

    assert answer.status_code == 409
    assert "Choose again" in answer.content.decode()


def test_a_receivable_of_another_company_cannot_be_had(
    acme: Shop, globex: Shop, stranger: Client, page: Page, finance: Client
) -> None:
    a_receivable(acme.sandbox)
    a_receivable(globex.sandbox)
    own = page("request_advance").replace(acme.company.pk, globex.company.pk)
    form = asking(stranger, own) | {
        name: value for name, value in asking(finance, page("request_advance")).items() if name == "receivables"
    }

    before = everything(acme), everything(globex)
    assert stranger.post(own, form).status_code == 409
    assert stranger.post(page("request_advance"), form).status_code == 404
    assert (everything(acme), everything(globex)) == before


def test_who_may_not_move_money_asks_for_nothing(acme: Shop, viewer: Client, page: Page) -> None:
    a_receivable(acme.sandbox)
    with nothing_moves(acme):
        assert viewer.get(page("request_advance"), ALL).status_code == 403
        assert viewer.post(page("request_advance"), {}).status_code == 403


def test_the_second_factor_is_asked_for_first(acme: Shop, page: Page) -> None:
    a_receivable(acme.sandbox)
    user = a_member(acme.company, Role.FINANCE)
    set_up(user)
    client = signed_in(user)

    assert "reauthenticate" in client.get(page("request_advance"), ALL)["Location"]
    with nothing_moves(acme):
        assert "reauthenticate" in client.post(page("request_advance"), {"once": "x"})["Location"]


@pytest.mark.parametrize(
    ("verb", "said"), [("approve", "became available immediately"), ("refuse", "back on their sched")]
)
def test_what_was_decided_is_told_with_the_reviewer_s_note(
    acme: Shop, viewer: Client, stranger: Client, globex: Shop, page: Page, reviewer: User, verb: str, said: str
) -> None:
    owner = a_member(acme.company)
    advance = advances.request(acme.sandbox, [a_receivable(acme.sandbox).pk], owner)
    getattr(advances, verb)(advance.pk, reviewer, "Known for <years>")
    where = page("advance", advance.pk)

    body = viewer.get(where).content.decode()

    assert said in body
    assert (
        "Known for &lt;years&gt;" in body and "Known for &lt;years&gt;" in viewer.get(page("advances")).content.decode()
    )
    assert f"advance.{verb}" in body
    assert reviewer.email not in body
    assert stranger.get(where).status_code == 404
    assert stranger.get(where.replace(acme.company.pk, globex.company.pk)).status_code == 404
    assert viewer.get(page("advance", "adv_nobody")).status_code == 404
    assert ("AVAILABLE BRL" in book(acme.sandbox)) == (verb == "approve")


def test_the_file_of_a_quote_has_all_of_it(acme: Shop, viewer: Client, page: Page) -> None:
    one = a_receivable(acme.sandbox)

    answer = viewer.get(page("simulate_advance"), ALL | {"format": "csv"})
    lines = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[arg-type]

    assert lines[1].startswith(one.pk)
    assert lines[1].endswith("30,BRL,192.02,4.80,187.22")
