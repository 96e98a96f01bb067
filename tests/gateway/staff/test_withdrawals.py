"""Withdrawals before staff: read whole and masked, and decided with a note once the provider has answered."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from accounts.models import Merchant, User
from gateway.models import Conversion, Withdrawal
from gateway.staff.kit.columns import address as page_at
from ledger.models import Hold, Transfer
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.people import browser_of
from tests.support.staff import support
from tests.support.staff_withdrawals import (
    ACTIONS,
    FORMS,
    NOTE,
    a_withdrawal,
    has_become,
    offered,
    page_of,
    take_to_production,
)
from webhooks.models import Event

REFUSED = "s status does not allow this."
WARNING = "The money may already have been sent"


def test_a_withdrawal_is_read_whole_and_its_destination_only_masked(staff: Client, out: Api, funded: Shop) -> None:
    w.price(w.PIX, fee_fixed=150)
    withdrawal = a_withdrawal(out, funded, w.PIX, reference="Pay <b>1</b>")
    w.wait(out, 10)
    withdrawal.refresh_from_db()

    page = staff.get(page_of(withdrawal)).content.decode()

    said = ["500.00 BRL", "1.50 BRL", "501.50 BRL", "PIX key: <b>f***@lojaexemplo.com.br</b>"]
    said += ["Type of the PIX key: <b>EMAIL", "Pay &lt;b&gt;1&lt;/b&gt;", "withdrawal.completed"]
    said += [withdrawal.origin, withdrawal.rail_reference]
    related = [funded.sandbox, Hold.objects.get(), *Transfer.objects.filter(reference=withdrawal.pk)]
    leads = [page_at(type(one), "change", one.pk) for one in (*related, Event.objects.get(object_id=withdrawal.pk))]
    assert [one for one in (*said, *(f'href="{where}"' for where in leads)) if str(one) not in page] == []
    listed = staff.get(page_at(Withdrawal, "changelist")).content.decode()
    for secret in ("financeiro@lojaexemplo.com.br", bytes(withdrawal.sealed_destination).decode()):
        assert secret not in page + listed
    assert "Market rate" not in page
    assert f'href="{page_of(withdrawal)}"' in staff.get(page_at(Hold, "change", related[1].pk)).content.decode()
    assert f'href="{page_of(withdrawal)}"' in staff.get(page_at(Merchant, "change", related[0].pk)).content.decode()


def test_crypto_is_shown_with_its_rates_and_what_they_earned(staff: Client, out: Api, funded: Shop) -> None:
    withdrawal = a_withdrawal(out, funded, w.USDT)
    page = staff.get(page_of(withdrawal)).content.decode()
    said = ["1 BRL = 0.1834 USDT", "1 BRL = 0.180649 USDT", "1.5%", "2.751000 USDT", "180.649000 USDT"]
    assert [one for one in (*said, "2.000000 USDT", "178.649000 USDT", "TR7NHq...gjLj6t") if one not in page] == []
    assert "178.649000 USDT" in staff.get(page_at(Withdrawal, "changelist")).content.decode()


def test_withdrawals_are_found_by_any_id_and_narrowed(
    staff: Client, out: Api, funded: Shop, globex: Shop, globex_api: Api, address: str
) -> None:
    first = has_become(out, funded, "COMPLETED")
    second = a_withdrawal(out, funded, w.USDT, reference="Wd 'A'")
    w.register(globex, address)
    w.fund(globex_api)
    others = a_withdrawal(globex_api, globex)

    def found(**asked: str) -> set[str]:
        answer = staff.get(page_at(Withdrawal, "changelist"), asked)
        return {row.pk for row in answer.context["cl"].result_list}

    blocks, events = Hold.objects.get(withdrawal_id=second.pk), Event.objects.get(object_id=first.pk)
    for term, expected in [
        (first.pk, {first.pk}),
        (first.rail_reference, {first.pk}),
        (events.pk, {first.pk}),
        ("Wd 'A'", {second.pk}),
        (blocks.pk, {second.pk}),
        (funded.company.id, {first.pk, second.pk}),
        (globex.company.id, {others.pk}),
        ("nothing", set()),
    ]:
        assert found(q=str(term)) == expected, term
    assert (found(status__exact="COMPLETED"), found(rail__exact="CRYPTO")) == ({first.pk}, {second.pk})
    assert (found(currency="BRL"), found(currency="MXN")) == ({first.pk, second.pk, others.pk}, set())
    assert found(merchant__environment__exact="PRODUCTION") == set()


@pytest.mark.parametrize(
    ("status", "name", "ends", "reference", "failure"),
    [
        ("PROCESSING", "arrived", "COMPLETED", "E1", (None, None)),
        ("PROCESSING", "failed", "FAILED", None, ("BANK_REJECTED", "The beneficiary's bank rejected the money.")),
        (
            "COMPLETED",
            "came_back",
            "RETURNED",
            ...,
            ("RETURNED_BY_BANK", "The beneficiary's bank returned the money."),
        ),
    ],
)
def test_a_decision_is_confirmed_with_a_note_and_carried_out_once(
    staff: Client, root: User, out: Api, funded: Shop, status: str, name: str, ends: str, reference: Any, failure: Any
) -> None:
    withdrawal = has_become(out, funded, status)
    reference = withdrawal.rail_reference if reference is ... else reference
    with w.nothing_moves(funded):
        assert "904.00 BRL" in staff.get(page_of(withdrawal, name)).content.decode()
        for note in ("", "abcd", "   ab   ", "x" * 256, "with\0nul"):
            refused = staff.post(page_of(withdrawal, name), FORMS[name] | {"note": note})
            assert list(refused.context["form"].errors) == ["note"]

    told = staff.post(page_of(withdrawal, name), FORMS[name], follow=True).content.decode()

    withdrawal.refresh_from_db()
    assert f"{withdrawal.pk} is {ends.lower()}." in told
    assert (withdrawal.status, withdrawal.rail_reference, withdrawal.note) == (ends, reference, NOTE["note"])
    assert (withdrawal.failure_code, withdrawal.failure_message) == failure
    assert w.looked_up(out, withdrawal.pk)["status"] == ends
    assert NOTE["note"] not in str(w.looked_up(out, withdrawal.pk)) + str(w.told(funded))
    available = Decimal("8996.99" if ends == "COMPLETED" else "9900.99")
    assert w.wallet(out, funded) == (available, 0, 0)
    assert w.kinds(funded)[-1] == f"withdrawal.{ends.lower()}"
    entry = LogEntry.objects.get(object_id=withdrawal.pk)
    assert (entry.user, entry.change_message) == (root, f"Record the outcome of a withdrawal: {NOTE['note']}")
    with w.nothing_moves(funded):
        assert REFUSED in staff.post(page_of(withdrawal, name), FORMS[name], follow=True).content.decode()
    assert LogEntry.objects.filter(object_id=withdrawal.pk).count() == 1


@pytest.mark.parametrize(
    ("name", "members", "field"),
    [
        *(("arrived", {"reference": wrong}, "reference") for wrong in ("", "  ", "x" * 81, "a\0b")),
        *(("failed", {"failure_code": wrong}, "failure_code") for wrong in ("", "RETURNED_BY_BANK", "BECAUSE")),
    ],
)
def test_what_the_outside_party_said_is_asked_for_whole(
    staff: Client, out: Api, funded: Shop, name: str, members: dict[str, str], field: str
) -> None:
    withdrawal = has_become(out, funded, "PROCESSING")
    with w.nothing_moves(funded):
        refused = staff.post(page_of(withdrawal, name), FORMS[name] | members)
        assert list(refused.context["form"].errors) == [field]


@pytest.mark.parametrize(
    ("status", "rail", "in_production", "possible"),
    [
        ("PROCESSING", w.PIX, False, ["arrived", "failed", "ask"]),
        ("PROCESSING", w.PIX, True, ["arrived", "failed"]),
        ("PROCESSING", w.USDT, False, ["arrived", "failed", "ask"]),
        ("COMPLETED", w.PIX, False, ["came_back"]),
        ("COMPLETED", w.USDT, False, []),
        ("FAILED", w.PIX, True, []),
        ("RETURNED", w.PIX, False, []),
    ],
)
def test_what_cannot_be_decided_is_not_offered_and_moves_nothing(
    staff: Client, out: Api, funded: Shop, status: str, rail: w.Rail, in_production: bool, possible: list[str]
) -> None:
    withdrawal = has_become(out, funded, status, rail)
    if in_production:
        take_to_production(funded)
    assert offered(staff, withdrawal) == possible
    with w.nothing_moves(funded):
        for name in set(ACTIONS) - set(possible):
            assert staff.get(page_of(withdrawal, name)).status_code == 302
            assert staff.post(page_of(withdrawal, name), FORMS[name], follow=True).content.decode().count(REFUSED) == 2
    assert not LogEntry.objects.exists()


def test_failing_a_real_withdrawal_warns_that_the_money_may_be_gone(staff: Client, out: Api, funded: Shop) -> None:
    withdrawal = has_become(out, funded, "PROCESSING")
    assert WARNING not in staff.get(page_of(withdrawal, "failed")).content.decode()
    take_to_production(funded)
    assert WARNING in staff.get(page_of(withdrawal, "failed")).content.decode()
    assert WARNING in staff.post(page_of(withdrawal, "failed"), {}).content.decode()
    assert WARNING not in staff.get(page_of(withdrawal, "arrived")).content.decode()


def test_the_outside_party_is_asked_at_once_whether_it_is_due_or_not(
    staff: Client, root: User, out: Api, funded: Shop
) -> None:
    withdrawal = a_withdrawal(out, funded)
    with w.nothing_moves(funded):
        assert "submitted" in staff.get(page_of(withdrawal, "ask")).content.decode()

    assert "was queried" in staff.post(page_of(withdrawal, "ask"), follow=True).content.decode()

    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.sent_times, withdrawal.asked_times) == ("PROCESSING", 1, 0)
    assert "is completed" in staff.post(page_of(withdrawal, "ask"), follow=True).content.decode()
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.sent_times, withdrawal.asked_times) == ("COMPLETED", 1, 1)
    for entry in LogEntry.objects.filter(object_id=withdrawal.pk):
        assert (entry.user, entry.change_message) == (root, "Queried the provider")


def test_whoever_may_only_view_decides_nothing(out: Api, funded: Shop) -> None:
    withdrawal = has_become(out, funded, "PROCESSING")
    viewer = browser_of(support("view_withdrawal"))
    assert offered(viewer, withdrawal) == []
    with w.nothing_moves(funded):
        for name in ACTIONS:
            assert viewer.get(page_of(withdrawal, name)).status_code == 403
            assert viewer.post(page_of(withdrawal, name), FORMS[name]).status_code == 403
        for page in ("change", "delete"):
            assert viewer.post(page_of(withdrawal, page), {"status": "COMPLETED", "post": "yes"}).status_code == 403


def test_a_conversion_is_read_with_both_amounts_its_rates_and_the_spread(world: Any, staff: Client) -> None:
    conversion = Conversion.objects.get()
    for page in (page_at(Conversion, "changelist"), page_at(Conversion, "change", conversion.pk)):
        told = staff.get(page).content.decode()
        # 10 BRL at 3.2815 less 1.5 %, and what the market would have given: 32.81 MXN
        said = ["10.00 BRL", "32.32 MXN", "0.49 MXN", "1 BRL = 3.2322775 MXN"]
        assert [one for one in said if one not in told] == []
    assert "1 BRL = 3.2815 MXN" in told
    assert "conversion.completed" in told
    for narrowed, count in (
        ({"source_currency": "BRL"}, 1),
        ({"source_currency": "MXN"}, 0),
        ({"q": conversion.pk}, 1),
    ):
        rows = staff.get(page_at(Conversion, "changelist"), narrowed).context["cl"].result_list
        assert len(rows) == count
