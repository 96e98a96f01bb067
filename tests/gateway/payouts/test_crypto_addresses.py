"""Addresses of the two main nets, and nothing else: what is sent elsewhere is gone."""

import hashlib
import random
from typing import Any

from stdnum import bitcoin

from gateway.payouts.crypto import rail as crypto
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.rows import rows
from tests.support.withdrawals import BTC, USDT, Rail, ask, fields, nothing_moves, refusal, withdrawn

TRON = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
P2PKH = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
P2SH = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"
SEGWIT = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
TAPROOT = "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58check(version: int, size: int, chance: random.Random) -> str:
    payload = bytes([version]) + chance.randbytes(size)
    payload += hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    number, text = int.from_bytes(payload), ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    return "1" * (len(payload) - len(payload.lstrip(b"\0"))) + text


def refused(api: Api, shop: Shop, rail: Rail, address: Any) -> tuple[str, dict[str, str]]:
    with nothing_moves(shop):
        answer = ask(api, shop, rail, amount=1_000, address=address)
    assert answer.status_code == 400, answer.content
    return answer.json()["onpayCode"], fields(answer)


@rows(
    ("rail", "to", "shown"),
    [
        (USDT, TRON, "TR7NHq...gjLj6t"),
        (BTC, P2PKH, "1A1zP1...DivfNa"),
        (BTC, P2SH, "3J98t1...RhWNLy"),
        (BTC, SEGWIT, "bc1qw5...v8f3t4"),
        (BTC, SEGWIT.upper(), None),
        (BTC, "bc1qwqdg6squsna38e46795at95yu9atm8azzmyvckulcc7kytlcckxswvvzej", "bc1qwq...wvvzej"),
        (BTC, TAPROOT, "bc1p5c...kedrcr"),
        (BTC, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "bc1p0x...zk5jj0"),
    ],
)
def test_an_address_of_the_main_net_is_taken(out: Api, acme: Shop, rail: Rail, to: str, shown: str | None) -> None:
    data = withdrawn(out, acme, rail, amount=1_000, address=to)

    assert data["address"] == data["destination"]["address"]
    assert to not in str(data)
    assert shown in (None, data["address"])


@rows(
    ("rail", "to"),
    [
        (USDT, TRON[:-1] + "u"),
        (USDT, TRON[:-1]),
        (USDT, TRON + "t"),
        (USDT, TRON.lower()),
        (USDT, "T" + "1" * 33),
        (USDT, "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"),
        (USDT, "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
        (USDT, P2PKH),
        (USDT, SEGWIT),
        (USDT, ""),
        (USDT, 41),
        (BTC, TRON),
        (BTC, P2PKH[:-1] + "b"),
        (BTC, P2PKH.replace("z", "0", 1)),
        (BTC, P2SH[:-1]),
        (BTC, SEGWIT[:-1] + "5"),
        (BTC, "bc1QW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
        (BTC, SEGWIT[:20] + SEGWIT[20:].upper()),
        (BTC, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"),
        (BTC, "bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp"),
        (BTC, "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"),
        (BTC, "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc"),
        (BTC, "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c"),
        (BTC, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd"),
        (BTC, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh"),
        (BTC, "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL"),
        (BTC, "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4"),
        (BTC, "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R"),
        (BTC, "bc1pw5dgrnzv"),
        (BTC, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav"),
        (BTC, "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P"),
        (BTC, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf"),
        (BTC, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j"),
        (BTC, "bc1gmk9yu"),
        (BTC, "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"),
        (BTC, ""),
        (BTC, "bc1q" + "q" * 90),
    ],
)
def test_an_address_that_is_none_is_refused(out: Api, acme: Shop, rail: Rail, to: Any) -> None:
    code, faults = refused(out, acme, rail, to)

    assert (code, list(faults)) == ("ONP400_CRYPTO_ADDRESS", ["address"])


@rows("version", [1, 4, 6, 48, 52, 111, 196, 239, 255])
def test_an_address_of_another_version_is_refused(out: Api, acme: Shop, version: int) -> None:
    address = base58check(version, 20, random.Random(version))

    assert refused(out, acme, BTC, address)[0] == "ONP400_CRYPTO_ADDRESS"


@rows(("rail", "version"), [(BTC, 0), (BTC, 5), (USDT, 0x41)])
@rows("size", [0, 19, 21, 32])
def test_an_address_of_another_length_is_refused(out: Api, acme: Shop, rail: Rail, version: int, size: int) -> None:
    address = base58check(version, size, random.Random(size))

    assert refused(out, acme, rail, address)[0] == "ONP400_CRYPTO_ADDRESS"


@rows(("rail", "version"), [(BTC, 0), (BTC, 5), (USDT, 0x41)])
def test_any_address_with_its_checksum_is_taken_and_none_without(
    out: Api, acme: Shop, rail: Rail, version: int
) -> None:
    chance = random.Random(version)
    for _ in range(3):
        address = base58check(version, 20, chance)
        withdrawn(out, acme, rail, amount=500, address=address, minimumAssetAmount=None)
        at = chance.randrange(1, len(address))
        other = address[:at] + chance.choice(BASE58.replace(address[at], "")) + address[at + 1 :]
        assert refused(out, acme, rail, other)[0] == "ONP400_CRYPTO_ADDRESS"


@rows("to", [P2PKH, P2SH, SEGWIT, P2PKH[:-1] + "b", P2SH[:-1], SEGWIT[:-1] + "5", "bc1gmk9yu"])
def test_an_outside_oracle_agrees_about_bitcoin(out: Api, acme: Shop, to: str) -> None:
    answer = ask(out, acme, BTC, amount=1_000, address=to)

    assert (answer.status_code == 201) == bitcoin.is_valid(to)


@rows(
    ("asset", "network", "member"),
    [
        ("USDT", "BITCOIN", "network"),
        ("BTC", "TRC20", "network"),
        ("USDT", "ERC20", "network"),
        ("USDT", "trc20", "network"),
        ("BTC", "LIGHTNING", "network"),
        ("ETH", "TRC20", "asset"),
        ("usdt", "TRC20", "asset"),
    ],
)
def test_an_asset_leaves_over_its_own_network_only(out: Api, acme: Shop, asset: str, network: str, member: str) -> None:
    with nothing_moves(acme):
        answer = ask(out, acme, USDT, asset=asset, network=network)

    assert refusal(answer) == (400, "ONP400_CRYPTO_NETWORK")
    assert answer.json()["error"]["field"] == member


def test_our_own_addresses_are_refused(out: Api, acme: Shop) -> None:
    ours = [
        address
        for rail in vars(crypto).values()
        if isinstance(rail, type)
        for address in getattr(rail, "own_addresses", ())
    ]

    assert ours
    for address in set(ours):
        rail = USDT if address.startswith("T") else BTC
        assert refused(out, acme, rail, address)[0] == "ONP400_CRYPTO_ADDRESS"
    for address in {one for one in ours if one.startswith("bc1")}:
        assert refused(out, acme, BTC, address.upper())[0] == "ONP400_CRYPTO_ADDRESS"
