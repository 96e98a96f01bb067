"""A boleto has no account to return to: the money goes to the payer's tax id, or through the gates of a withdrawal."""

import uuid
from typing import Any

import pytest
from django.db import transaction

from accounts.models import ApiKey, AuditEntry, Environment, RefusedOrigin
from accounts.permissions import PRODUCTION_DEFAULT
from gateway.refunds import services as refunds
from gateway.refunds.destinations import Withdrawer
from gateway.refunds.errors import DestinationNotAllowed
from gateway.refunds.models import Refund
from gateway.withdrawals.errors import UnregisteredOrigin
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.orders import ADDRESS
from tests.support.payments import MARIA
from tests.support.people import a_member
from tests.support.refunds import ask, disputed, nothing_moves, paid, refunded, refusal
from tests.support.withdrawals import register

pytestmark = pytest.mark.django_db

EVP = "123e4567-e89b-12d3-a456-426655440000"
THIEF = {"pixKey": "thief@evil.example", "pixKeyType": "EMAIL"}
CPF_PAYER = MARIA | {"taxId": "529.982.247-25", "email": "maria@example.com", "address": ADDRESS}
NO_PERMISSION, OTHER_ADDRESS = (403, "ONP403"), (403, "ONP403_IP")


def goes_to(refund: dict[str, Any]) -> tuple[str, str] | None:
    kept = Refund.objects.get(pk=refund["id"]).destination
    return (kept["pixKeyType"], kept["pixKey"]) if kept else None


def without_withdrawals(shop: Shop) -> None:
    """The key of an ordinary shop, as production gives it by default."""
    ApiKey.objects.filter(merchant=shop.sandbox).update(permissions=list(PRODUCTION_DEFAULT))


# ── The payer's own document ──────────────────────────────────────────────────────────────────────────────────────
def test_the_document_of_the_payer_is_the_key_where_no_other_is_named(api: Api) -> None:
    company = refunded(api, paid(api, "BOLETO"), amount=10)
    person = refunded(api, paid(api, "BOLETO", payer=CPF_PAYER), amount=10)

    assert goes_to(company) == ("CNPJ", "11444777000161")
    assert goes_to(person) == ("CPF", "52998224725")


def test_what_a_payer_of_a_boleto_wants_back_goes_to_the_payers_key(api: Api) -> None:
    assert goes_to(disputed(api, paid(api, "BOLETO"), amount=10)) == ("CNPJ", "11444777000161")


def test_the_payers_own_document_can_be_named_from_everywhere(api: Api, acme: Shop) -> None:
    without_withdrawals(acme)
    payment = paid(api, "BOLETO", payer=CPF_PAYER)

    named = refunded(api, payment, amount=10, destination={"pixKey": "52998224725", "pixKeyType": "CPF"})

    assert goes_to(named) == ("CPF", "52998224725")
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("written", ["529.982.247-25", " 529 982 247 25 ", "529.982.247/25"])
def test_the_payers_own_document_is_free_however_it_is_written(api: Api, acme: Shop, written: str) -> None:
    without_withdrawals(acme)
    payment = paid(api, "BOLETO", payer={name: said for name, said in CPF_PAYER.items() if name != "taxIdType"})

    named = refunded(api, payment, amount=10, destination={"pixKey": written, "pixKeyType": "CPF"})

    assert goes_to(named) == ("CPF", "52998224725")


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    "destination",
    [
        THIEF | {"pixKeyType": "CPF"},
        THIEF | {"pixkey": "52998224725"},
        {"pixKey": "52998224725", "pixKeyType": "CPF", "key": THIEF["pixKey"]},
        {"pixKey": ["52998224725", THIEF["pixKey"]], "pixKeyType": "CPF"},
        {"pixKey": "\uff15\uff12\uff19\uff19\uff18\uff12\uff12\uff14\uff17\uff12\uff15", "pixKeyType": "CPF"},
        {"pixKey": {"CPF": "52998224725"}, "pixKeyType": {}},
        [THIEF],
        THIEF["pixKey"],
        {},
    ],
)
def test_what_only_looks_like_a_destination_moves_nothing(api: Api, acme: Shop, destination: Any) -> None:
    payment = paid(api, "BOLETO", payer=CPF_PAYER)

    with nothing_moves(acme):
        assert ask(api, payment, amount=10, destination=destination).status_code == 400


# ── Any other key ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("CPF", "52998224725"),
        ("CNPJ", "11222333000181"),
        ("EMAIL", "maria.silva+pix@example.com.br"),
        ("EMAIL", "m@" + "a" * 71 + ".com"),
        ("PHONE", "+5511999998888"),
        ("PHONE", "+551133334444"),
        ("EVP", EVP),
    ],
)
def test_another_key_is_taken_from_whoever_may_withdraw(
    api: Api, acme: Shop, address: str, kind: str, key: str
) -> None:
    register(acme, address)

    refund = refunded(api, paid(api, "BOLETO"), amount=10, destination={"pixKey": key, "pixKeyType": kind})

    assert goes_to(refund) == (kind, key)


def test_without_the_permission_to_withdraw_no_other_key_is_taken(api: Api, acme: Shop, address: str) -> None:
    register(acme, address)
    payment = paid(api, "BOLETO")
    without_withdrawals(acme)

    with nothing_moves(acme):
        answer = ask(api, payment, amount=10, destination=THIEF)

    assert refusal(answer) == NO_PERMISSION
    assert answer.json()["error"]["field"] == "withdrawals:write"


def test_from_an_unregistered_address_no_other_key_is_taken(api: Api, acme: Shop) -> None:
    payment = paid(api, "BOLETO")
    with nothing_moves(acme):
        assert refusal(ask(api, payment, amount=10, destination=THIEF)) == OTHER_ADDRESS
        register(acme, "203.0.113.9")
        assert refusal(ask(api, payment, amount=10, destination=THIEF)) == OTHER_ADDRESS
    assert RefusedOrigin.objects.filter(merchant=acme.sandbox).exists()


def test_where_withdrawals_are_off_no_other_key_is_taken(api: Api, acme: Shop, address: str) -> None:
    register(acme, address)
    payment = paid(api, "BOLETO")
    type(acme.sandbox).objects.filter(pk=acme.sandbox.pk).update(withdrawal_enabled=False)

    with nothing_moves(acme):
        refused = ask(api, payment, amount=10, destination=THIEF)

    assert refusal(refused) == (403, "ONP403_WITHDRAWAL_DISABLED")


@pytest.mark.parametrize("kind", ["CPF", "CNPJ"])
def test_a_document_that_is_only_similar_is_another_key(api: Api, acme: Shop, kind: str) -> None:
    other = {"CPF": "12345678909", "CNPJ": "11222333000181"}[kind]
    payment = paid(api, "BOLETO", payer=CPF_PAYER)
    with nothing_moves(acme):
        assert refusal(ask(api, payment, destination={"pixKey": other, "pixKeyType": kind})) == OTHER_ADDRESS
        as_phone = {"pixKey": "52998224725", "pixKeyType": "PHONE"}
        assert refusal(ask(api, payment, destination=as_phone)) in (OTHER_ADDRESS, (400, "ONP400_PIX_KEY"))


def test_a_replay_passes_the_same_gates(api: Api, acme: Shop, address: str) -> None:
    register(acme, address)
    payment, key = paid(api, "BOLETO"), str(uuid.uuid4())
    path, body = f"/payments/{payment}/refunds", {"amount": 10, "destination": THIEF}
    first = api.post(path, body, key=key)
    assert first.status_code == 201
    assert api.post(path, body, key=key)["Idempotent-Replayed"] == "true"

    with nothing_moves(acme):
        assert refusal(Api(acme.sandbox_key, "10.9.9.9").post(path, body, key=key)) == OTHER_ADDRESS
        without_withdrawals(acme)
        assert refusal(api.post(path, body, key=key)) == NO_PERMISSION


def test_the_service_itself_refuses_who_says_nothing_of_a_withdrawal(api: Api, acme: Shop) -> None:
    payment = paid(api, "BOLETO")
    with nothing_moves(acme):
        with pytest.raises(DestinationNotAllowed), transaction.atomic():
            refunds.create(acme.sandbox, payment, destination=THIEF)
        with pytest.raises(UnregisteredOrigin), transaction.atomic():
            refunds.create(acme.sandbox, payment, destination=THIEF, withdrawer=Withdrawer())


def test_owners_are_told_and_the_audit_says_it(
    api: Api, acme: Shop, address: str, mailoutbox: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    register(acme, address)
    a_member(acme.company, email="owner@acme.example")
    payment = paid(api, "BOLETO")

    with django_capture_on_commit_callbacks(execute=True):
        refund = refunded(api, payment, amount=10, destination=THIEF)

    [message] = [one for one in mailoutbox if one.to == ["owner@acme.example"]]
    assert "10.00 BRL" in message.body
    assert "t***@evil.example" in message.body
    assert "sandbox" in message.body
    assert THIEF["pixKey"] not in message.body
    [entry] = AuditEntry.objects.all()
    assert (entry.action, entry.object_id, entry.actor, entry.address) == (
        "refund.sent_elsewhere",
        refund["id"],
        None,
        address,
    )
    assert entry.after == {"paymentId": payment, "amount": "10.00", "currency": "BRL", "pixKey": "t***@evil.example"}
    assert entry.merchant is not None
    assert entry.merchant.environment == Environment.SANDBOX


# ── What is no key ────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("destination", "field"),
    [
        ({"pixKey": "5299822472", "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "529982247250", "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "11444777000161", "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "52998224725", "pixKeyType": "CNPJ"}, "destination.pixKey"),
        ({"pixKey": "maria.example.com", "pixKeyType": "EMAIL"}, "destination.pixKey"),
        ({"pixKey": "m@" + "a" * 72 + ".com", "pixKeyType": "EMAIL"}, "destination.pixKey"),
        ({"pixKey": "11999998888", "pixKeyType": "PHONE"}, "destination.pixKey"),
        ({"pixKey": "+351912345678", "pixKeyType": "PHONE"}, "destination.pixKey"),
        ({"pixKey": "+551199999888888", "pixKeyType": "PHONE"}, "destination.pixKey"),
        ({"pixKey": "+55１１999998888", "pixKeyType": "PHONE"}, "destination.pixKey"),
        ({"pixKey": EVP.replace("-", ""), "pixKeyType": "EVP"}, "destination.pixKey"),
        ({"pixKey": "maria@example.com", "pixKeyType": "EVP"}, "destination.pixKey"),
        ({"pixKey": 52998224725, "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "", "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "52998224725"}, "destination.pixKeyType"),
        ({"pixKey": "52998224725", "pixKeyType": "DOCUMENT"}, "destination.pixKeyType"),
    ],
)
def test_a_key_that_is_none_is_named_and_nothing_moves(
    api: Api, acme: Shop, destination: dict[str, Any], field: str
) -> None:
    payment = paid(api, "BOLETO")

    with nothing_moves(acme):
        answer = ask(api, payment, amount=10, destination=destination)

    assert refusal(answer) == (400, "ONP400_PIX_KEY")
    assert answer.json()["error"]["field"] == field


@pytest.mark.parametrize("method", ["PIX", "SPEI", "MB_WAY", "CREDIT_CARD"])
def test_money_of_other_methods_goes_back_where_it_came_from(api: Api, method: str) -> None:
    refund = refunded(api, paid(api, method), amount=10, destination={"pixKey": EVP, "pixKeyType": "EVP"})

    assert goes_to(refund) is None
