"""What looks like a destination and is none, and what a stranger is not told."""

from typing import Any

from accounts.services import issue_key
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.rows import rows

PIX, SPEI, ARS, COP = ("PIX", "BRL"), ("SPEI", "MXN"), ("BANK_TRANSFER", "ARS"), ("BANK_TRANSFER", "COP")
ELSEWHERE = "203.0.113.9"
NASTY: list[tuple[tuple[str, str], dict[str, Any]]] = [
    *(
        (PIX, {"pixKey": key, "pixKeyType": "EMAIL"})
        for key in ("jo\u200bao@loja.com.br", "Élan@loja.com.br", "a\u202eb@x.com", '"<,;@☃.☃', "a@b", "a@-b.com")
    ),
    (PIX, {"pixKey": "+551011111111", "pixKeyType": "PHONE"}),
    (PIX, {"pixKey": "+55１１99999999９", "pixKeyType": "PHONE"}),
    (PIX, {"pixKey": "00000000000000", "pixKeyType": "CNPJ"}),
    (SPEI, {"clabe": "0" * 18}),
    (SPEI, {"beneficiaryName": "\u200b\u200b\u202e"}),
    (ARS, {"cbu": None, "cvu": "0" * 22}),
    (ARS, {"cbu": None, "alias": "......"}),
    (COP, {"accountNumber": "000000"}),
    (("CRYPTO", "BTC"), {"address": "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4".replace("K", "\u212a")}),
]


@rows(("rail", "members"), NASTY)
def test_it_is_refused_and_moves_nothing(
    out: Api, funded: Shop, rail: tuple[str, str], members: dict[str, Any]
) -> None:
    with w.nothing_moves(funded):
        answer = w.ask(out, funded, rail, **members)
    assert answer.status_code == 400, answer.content


def test_an_address_with_a_scope_is_another_address_and_no_error(funded: Shop) -> None:
    answer = w.ask(Api(funded.sandbox_key, "fe80::1%eth0"), funded)

    assert w.refusal(answer) == (403, "ONP403_IP")


def test_a_key_at_another_address_learns_neither_balance_nor_references(out: Api, funded: Shop) -> None:
    w.withdrawn(out, funded, reference="known")
    stolen = Api(issue_key(funded.sandbox, ["withdrawals:write"])[1], ELSEWHERE)

    seen = w.rehearsed(stolen, funded, reference="known")

    gates = {gate["gate"]: gate["holds"] for gate in seen["gates"]}
    assert (gates["REGISTERED_IP"], gates["REFERENCE"], gates["BALANCE"]) == (False, None, None)


def test_a_key_that_may_not_withdraw_learns_no_terms_and_no_registered_address(out: Api, funded: Shop) -> None:
    other = Api(issue_key(funded.sandbox, ["payment-methods:read"])[1], ELSEWHERE)

    seen = w.rehearsed(other, funded)

    told = ("registeredIp", "fee", "totalDebited", "minimum", "maximum", "appliedRate")
    assert [seen[name] for name in told] == [None] * len(told)
    assert seen["origin"] == ELSEWHERE
