"""Money that leaves by hand: every condition in sight, a last look, and once."""

import csv
import io
import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils.http import urlencode

from accounts.models import AuditEntry
from accounts.roles import Role
from gateway.dashboard.withdrawals.list import account_line
from gateway.requests.models import IdempotencyKey
from gateway.withdrawals import services
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.pages import Page, words
from tests.support.people import a_member, signed_in, signed_in_twice
from tests.support.withdrawals import change, fund, nothing_moves

PIX = {"pix_key_type": "EMAIL", "pix_key": "Financeiro@LojaExemplo.com.br", "amount": "500.00"}
FORMS: dict[str, tuple[str, dict[str, str]]] = {
    "pix": ("BRL", PIX),
    "spei": ("MXN", {"clabe": "032180000118359719", "beneficiary_name": "Juan Perez Lopez", "amount": "12000"}),
    "ars": ("ARS", {"account": "2850590940090418135201", "beneficiary_name": "Ana Gomez", "amount": "250000"}),
    "cop": (
        "COP",
        {
            "bank_code": "007", "account_type": "SAVINGS", "account_number": "123 4567 8901",
            "beneficiary_name": "Carlos Vives", "document_type": "CC", "document_number": "1018760936",
            "amount": "1500000",
        },
    ),
    "crypto": (
        "BRL",
        {"asset": "USDT", "address": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "currency": "BRL", "amount": "1000"},
    ),
}  # fmt: skip


def filled(way: str = "pix", **members: str) -> dict[str, str]:
    return FORMS[way][1] | {"once": str(uuid.uuid4())} | members


def made(shop: Shop) -> list[Withdrawal]:
    return list(Withdrawal.objects.filter(merchant=shop.sandbox).order_by("created_at", "id"))


def failing(answer: Any) -> list[str]:
    return [str(check.title) for check in answer.context["checks"].checks if check.holds is False]


def test_what_is_hidden_of_a_number_takes_little_room() -> None:
    shown = {"clabe": "**************9719", "beneficiaryName": "Juan Perez Lopez"}
    assert account_line(shown) == "****9719 · Juan Perez Lopez"
    assert account_line({"pixKey": "p***@b.com.br"}) == "p***@b.com.br"


@pytest.mark.parametrize("way", FORMS)
def test_money_leaves_over_every_rail(finance: Client, acme: Shop, api: Api, page: Page, way: str) -> None:
    currency, _ = FORMS[way]
    fund(api, currency)
    form = filled(way)

    assert finance.get(page("new_withdrawal", way)).status_code == 200
    last_look = finance.post(page("new_withdrawal", way), form)
    assert last_look.templates[0].name == "dashboard/withdrawals/confirm.html"
    assert made(acme) == []
    done = finance.post(page("confirm_withdrawal", way), form, follow=True)

    [one] = made(acme)
    assert done.redirect_chain == [(page("withdrawal", one.pk), 302)]
    assert (one.currency, one.amount_exact, one.status) == (currency, Decimal(form["amount"]), "PROCESSING")
    assert one.reference == f"wd-{form['once'].replace('-', '')[:20]}"
    assert one.origin == "10.0.0.1"
    assert "The withdrawal was accepted." in words(done)
    [entry] = AuditEntry.objects.filter(action="withdrawal.asked")
    assert (entry.object_id, entry.merchant, entry.after["amount"]) == (one.pk, acme.sandbox, str(one.amount_exact))


def test_a_last_look_shows_where_it_goes_and_what_is_left(finance: Client, funded: Shop, page: Page) -> None:
    answer = finance.post(page("new_withdrawal", "pix"), filled(reference="salaries-11"))

    said = words(answer)
    for expected in (
        "financeiro@lojaexemplo.com.br",
        "salaries-11",
        "R$500.00",
        "R$501.00",
        "R$9,900.99",
        "R$9,399.99",
    ):
        assert expected in said


def test_people_write_numbers_as_they_read_them(finance: Client, funded: Shop, page: Page) -> None:
    keys = {
        "CPF": ("529.982.247-25", "52998224725"),
        "CNPJ": ("11.222.333/0001-81", "11222333000181"),
        "PHONE": ("(11) 99999-8888", "+5511999998888"),
        "EVP": ("123E4567-E89B-42D3-A456-426614174000", "123e4567-e89b-42d3-a456-426614174000"),
    }
    for kind, (written, meant) in keys.items():
        answer = finance.post(
            page("new_withdrawal", "pix"), filled(pix_key_type=kind, pix_key=written, amount="1.234,50")
        )
        assert answer.context["form"].given["pix_key"] == meant
        assert answer.context["checks"].price.amount == 123450


def test_two_clicks_are_one_withdrawal(finance: Client, funded: Shop, page: Page) -> None:
    form = filled()
    finance.post(page("confirm_withdrawal", "pix"), form)
    with nothing_moves(funded):
        again = finance.post(page("confirm_withdrawal", "pix"), form, follow=True)

    [one] = made(funded)
    assert again.redirect_chain == [(page("withdrawal", one.pk), 302)]
    assert "nothing was done twice" in words(again)


def test_a_form_that_was_sent_cannot_be_sent_with_other_content(finance: Client, funded: Shop, page: Page) -> None:
    form = filled()
    finance.post(page("confirm_withdrawal", "pix"), form)
    with nothing_moves(funded):
        again = finance.post(page("confirm_withdrawal", "pix"), form | {"amount": "400.00"})

    assert (again.status_code, "Start a new one" in words(again)) == (409, True)
    changed = finance.post(page("new_withdrawal", "pix"), form | {"amount": "400.00", "change": "1"})
    assert changed.context["form"]["once"].value() != form["once"]
    assert changed.context["form"]["amount"].value() == "400.00"


def test_while_the_rail_is_away_nothing_moves_and_the_same_form_makes_one(
    finance: Client, funded: Shop, page: Page
) -> None:
    """905: the first call is refused, the same one then accepted."""
    form = filled(amount="905.00")
    with nothing_moves(funded):
        away = finance.post(page("confirm_withdrawal", "pix"), form)
    assert away.status_code == 503
    assert "temporarily unavailable" in words(away) and "Try again" in words(away)
    assert f'value="{form["once"]}"' in away.content.decode()
    begun = IdempotencyKey.objects.get(key=form["once"]).resource_id

    finance.post(page("confirm_withdrawal", "pix"), form)
    finance.post(page("confirm_withdrawal", "pix"), form)

    assert [one.pk for one in made(funded)] == [begun]
    assert AuditEntry.objects.filter(action="withdrawal.asked").count() == 1


def test_a_form_that_began_while_the_rail_was_away_ends_with_what_is_there_then(
    finance: Client, funded: Shop, page: Page
) -> None:
    form = filled(amount="9905.00", pix_key="other@lojaexemplo.com.br")
    fund(Api(funded.sandbox_key, "10.0.0.9"), "BRL", 1000)
    assert finance.post(page("confirm_withdrawal", "pix"), form).status_code == 503
    finance.post(page("confirm_withdrawal", "pix"), filled(amount="5000.00"))

    with nothing_moves(funded):
        answer = finance.post(page("confirm_withdrawal", "pix"), form)

    assert answer.status_code == 422
    assert "Insufficient available balance" in words(answer)


def test_what_is_refused_at_the_last_moment_is_said_and_can_be_changed(
    finance: Client, funded: Shop, page: Page
) -> None:
    finance.post(page("confirm_withdrawal", "pix"), filled(reference="wd-1"))
    with nothing_moves(funded):
        twice = finance.post(page("confirm_withdrawal", "pix"), filled(reference="wd-1"))
        much = finance.post(page("confirm_withdrawal", "pix"), filled(amount="9900.99"))

    assert (twice.status_code, much.status_code) == (409, 422)
    assert "Another withdrawal already uses this reference" in words(twice)
    assert "Insufficient available balance" in words(much)
    for answer in (twice, much):
        assert answer.context["may_try"] is False and b'name="change"' in answer.content


@pytest.mark.parametrize(
    ("way", "members", "gates"),
    [
        ("pix", {"pix_key": "nobody"}, {"All fields are filled in correctly"}),
        ("pix", {"amount": ""}, {"All fields are filled in correctly"}),
        ("pix", {"amount": "0.999"}, {"All fields are filled in correctly"}),
        ("pix", {"pix_key": "a@b.com\u200b"}, {"All fields are filled in correctly"}),
        ("pix", {"amount": "0.50"}, {"The amount is within the limits"}),
        ("pix", {"amount": "200000"}, {"The amount is within the limits", "The balance is sufficient"}),
        ("pix", {"amount": "9900.99"}, {"The balance is sufficient"}),
        ("spei", {"clabe": "032180000118359718"}, {"All fields are filled in correctly", "The balance is sufficient"}),
        ("ars", {"account": "no alias!"}, {"All fields are filled in correctly", "The balance is sufficient"}),
        ("cop", {"bank_code": "999"}, {"All fields are filled in correctly", "The balance is sufficient"}),
        ("crypto", {"address": "T000"}, {"All fields are filled in correctly"}),
        ("crypto", {"minimum_asset_amount": "100000"}, {"The amount is within the limits"}),
        ("crypto", {"minimum_asset_amount": "1.12345678"}, {"All fields are filled in correctly"}),
    ],
)  # fmt: skip
def test_every_condition_is_in_sight(
    finance: Client, funded: Shop, page: Page, way: str, members: dict[str, str], gates: set[str]
) -> None:
    with nothing_moves(funded):
        live = finance.post(page("check_withdrawal", way), filled(way, **members))
        sent = finance.post(page("new_withdrawal", way), filled(way, **members))

    for answer in (live, sent):
        assert answer.status_code == 200
        assert set(failing(answer)) == gates
    assert sent.templates[0].name == "dashboard/withdrawals/new.html"


def test_an_empty_form_tells_what_is_known_already(finance: Client, funded: Shop, page: Page) -> None:
    change(funded, withdrawal_enabled=False)

    answer = finance.get(page("new_withdrawal", "pix"))

    assert failing(answer) == ["Withdrawals are enabled"]
    assert "Withdrawals, or this rail, are not enabled" in words(answer)
    assert "R$1.00 – R$100,000.00" in words(answer)


def test_the_registered_address_is_a_matter_of_backends(finance: Client, funded: Shop, page: Page) -> None:
    assert funded.company.withdrawal_ip is None

    finance.post(page("confirm_withdrawal", "pix"), filled())

    assert len(made(funded)) == 1


def test_in_production_it_is_said_why_nothing_leaves(finance: Client, acme: Shop, page: Page) -> None:
    for name, args in (("withdrawals", ()), ("choose_withdrawal", ()), ("new_withdrawal", ("pix",))):
        said = words(finance.get(page(name, *args, environment="production")))
        assert "Withdrawals are not enabled" in said and "Contact support" in said
    with nothing_moves(acme):
        answer = finance.post(page("confirm_withdrawal", "pix", environment="production"), filled())
    assert (answer.status_code, "Ask support" in words(answer)) == (403, True)


def test_who_may_not_move_money_moves_none(
    viewer: Client, support: Client, stranger: Client, funded: Shop, page: Page
) -> None:
    names = ["new_withdrawal", "check_withdrawal", "confirm_withdrawal"]
    with nothing_moves(funded):
        for browser, status in ((viewer, 403), (support, 403), (stranger, 404)):
            assert {browser.post(page(name, "pix"), filled()).status_code for name in names} == {status}
    assert viewer.get(page("withdrawals")).status_code == 200
    assert support.get(page("withdrawals")).status_code == 403
    assert "New withdrawal" not in words(viewer.get(page("withdrawals")))


def test_money_wants_a_fresh_second_factor(funded: Shop, page: Page) -> None:
    browser = signed_in(a_member(funded.company, Role.OWNER, "other@acme.example"))
    with nothing_moves(funded):
        for name in ("choose_withdrawal", "new_withdrawal"):
            args = () if name == "choose_withdrawal" else ("pix",)
            assert browser.get(page(name, *args)).status_code == 302
        assert browser.post(page("confirm_withdrawal", "pix"), filled()).headers["location"] == "/accounts/2fa/"


def test_one_withdrawal_tells_its_life(finance: Client, funded: Shop, page: Page) -> None:
    finance.post(page("confirm_withdrawal", "pix"), filled(amount="904.00"))
    [one] = made(funded)
    waiting = finance.get(page("withdrawal", one.pk))
    assert 'hx-get="?look=1"' in waiting.content.decode()
    assert "hx-get" not in finance.get(page("withdrawal", one.pk) + "?look=5").content.decode()

    failed = finance.post(
        page("simulate_withdrawal", one.pk), {"status": "FAILED", "failure_code": "BANK_REJECTED"}, follow=True
    )

    said = words(failed)
    for expected in (
        "f***@lojaexemplo.com.br",
        "The beneficiary's bank rejected the money.",
        "Withdrawal failed, money returned",
        "Requested",
    ):
        assert expected in said
    assert "hx-get" not in failed.content.decode()
    assert "financeiro@lojaexemplo.com.br" not in failed.content.decode().lower()
    [entry] = AuditEntry.objects.filter(action="withdrawal.simulated")
    assert (entry.before, entry.after) == ({"status": "PROCESSING"}, {"status": "FAILED"})


def test_what_arrived_can_come_back_once(finance: Client, funded: Shop, page: Page) -> None:
    finance.post(page("confirm_withdrawal", "pix"), filled(amount="904.00"))
    [one] = made(funded)
    for status in ("COMPLETED", "RETURNED"):
        assert finance.post(page("simulate_withdrawal", one.pk), {"status": status}).status_code == 302
    with nothing_moves(funded):
        again = finance.post(page("simulate_withdrawal", one.pk), {"status": "RETURNED"})
        wrong = finance.post(page("simulate_withdrawal", one.pk), {"status": "LOST"})

    assert (again.status_code, wrong.status_code) == (409, 400)
    assert "status does not allow this" in words(again)
    assert made(funded)[0].status == "RETURNED"


def test_simulations_stay_in_the_sandbox_and_with_those_who_may(
    finance: Client, viewer: Client, stranger: Client, funded: Shop, globex: Shop, page: Page
) -> None:
    finance.post(page("confirm_withdrawal", "pix"), filled(amount="904.00"))
    [one] = made(funded)
    with nothing_moves(funded):
        assert viewer.post(page("simulate_withdrawal", one.pk), {"status": "FAILED"}).status_code == 403
        assert (
            finance.post(
                page("simulate_withdrawal", one.pk, environment="production"), {"status": "FAILED"}
            ).status_code
            == 404
        )
        assert stranger.post(page("simulate_withdrawal", one.pk), {"status": "FAILED"}).status_code == 404
        own = f"/dashboard/{globex.company.pk}/sandbox/withdrawals/{one.pk}/"
        assert {stranger.get(own).status_code, stranger.post(f"{own}simulate", {"status": "FAILED"}).status_code} == {
            404
        }
    assert b"It arrives" not in viewer.get(page("withdrawal", one.pk)).content


def test_the_list_is_narrowed_and_goes_into_a_file(finance: Client, funded: Shop, page: Page) -> None:
    for reference in ("first", "=second"):
        finance.post(page("confirm_withdrawal", "pix"), filled(amount="10.00", reference=reference))
    one, two = made(funded)
    services.simulate(funded.sandbox, one.pk, "FAILED", "INVALID_DESTINATION")

    def ids(**query: str) -> list[str]:
        return [row.pk for row in finance.get(f"{page('withdrawals')}?{urlencode(query)}").context["page"].rows]

    assert ids() == [two.pk, one.pk]
    assert ids(status="FAILED") == [one.pk]
    assert ids(rail="PIX", currency="BRL", reference="=second") == [two.pk]
    assert ids(rail="SPEI") == ids(until="2020-01-01") == []
    assert ids(since="rubbish", status="rubbish") == [two.pk, one.pk]
    answer = finance.get(page("withdrawals") + "?format=csv&status=FAILED")
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))
    assert [row["Withdrawal"] for row in rows] == [one.pk]
    assert (
        rows[0] | {"Amount": "10.00", "Fee": "1.00", "Total": "11.00", "Why not": "The account does not exist."}
        == rows[0]
    )
    whole = finance.get(page("withdrawals") + "?format=csv").getvalue().decode()
    assert ",'=second," in whole


def test_the_list_asks_as_often_for_many_as_for_few(
    finance: Client, funded: Shop, page: Page, django_assert_max_num_queries: Any
) -> None:
    for _ in range(5):
        finance.post(page("confirm_withdrawal", "pix"), filled(amount="10.00"))
    finance.get(page("withdrawals"))
    with django_assert_max_num_queries(10):
        finance.get(page("withdrawals"))


def test_nothing_yet_leads_to_the_first_one(finance: Client, acme: Shop, page: Page) -> None:
    said = words(finance.get(page("withdrawals")))
    assert "No withdrawals yet" in said and "New withdrawal" in said
    assert "Nothing matches" in words(finance.get(page("withdrawals") + "?status=FAILED"))
    assert finance.get(page("new_withdrawal", "carrier-pigeon")).status_code == 404
    assert not Withdrawal.objects.filter(merchant=acme.sandbox).exists()
    assert signed_in_twice(a_member(acme.company)).get(page("choose_withdrawal")).status_code == 200
