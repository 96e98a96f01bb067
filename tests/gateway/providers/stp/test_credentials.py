"""What staff enter for an account at STP."""

from collections.abc import Callable
from typing import Any

import pytest

from gateway.providers.credentials import sealed_of
from gateway.providers.errors import InvalidAccount
from gateway.providers.stp.provider import StpProvider
from tests.support.stp.books import OWN
from tests.support.stp.service import Stp

CARD_KEY = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA==\n-----END EC PRIVATE KEY-----"


def test_the_key_may_have_a_pass_phrase_or_none_and_is_never_shown(make_key: Callable[[], str]) -> None:
    for own in ({}, {"private_key": make_key(), "passphrase": None}):
        given = Stp().credentials(base_url=None) | own
        sealed = sealed_of(StpProvider, given, "PRODUCTION")

        assert not {"private_key", "passphrase"} & set(sealed.shown)
        assert given["private_key"] not in str(sealed.shown)


@pytest.mark.parametrize(
    "wrong",
    [
        {"passphrase": "another"},
        {"passphrase": None},
        {"private_key": "no key"},
        {"private_key": CARD_KEY},
        {"clabe": OWN[:-1] + str((int(OWN[-1]) + 1) % 10)},
        {"clabe_prefix": "0721801580"},
        {"clabe_prefix": "646180"},
        {"clabe_prefix": OWN[:10], "clabe": "646180157000000101"},
        {"callback_addresses": "stp.example"},
        {"empresa": "ONPAY|X"},
        {"environment": "test"},
        {"base_url": "http://prod.stpmex.com"},
    ],
)
def test_what_cannot_be_used_is_refused_without_repeating_it(wrong: dict[str, Any]) -> None:
    given = Stp().credentials(base_url=None) | wrong

    with pytest.raises(InvalidAccount) as refused:
        sealed_of(StpProvider, given)

    assert given["private_key"] not in str(refused.value.faults)


def test_an_account_of_the_demo_system_is_none_of_production() -> None:
    with pytest.raises(InvalidAccount):
        sealed_of(StpProvider, Stp().credentials(base_url=None, environment="demo"), "PRODUCTION")


def test_each_system_has_its_address_unless_another_one_is_entered() -> None:
    given = Stp().credentials(base_url=None)
    addresses = [
        StpProvider.credentials_type.model_validate(given | other).address
        for other in ({}, {"environment": "demo"}, {"base_url": "https://proxy.example/stp/"})
    ]

    assert addresses == ["https://prod.stpmex.com", "https://demo.stpmex.com:7024", "https://proxy.example/stp"]
