"""What staff enter for an account at Adyen."""

from typing import Any

import pytest

from gateway.providers.adyen.provider import AdyenCredentials, AdyenProvider
from gateway.providers.credentials import sealed_of
from gateway.providers.errors import InvalidAccount
from tests.support.adyen.acquirer import API_KEY, REPORT_KEY, Acquirer
from tests.support.adyen.webhooks import HMAC_KEY

GIVEN = Acquirer().credentials(
    base_url=None, reports_url=None, ca_certificates=None, live_url_prefix="1797a841fbb37ca7-AdyenDemo"
)
SECRETS = (API_KEY, HMAC_KEY, REPORT_KEY)


def opened(**other: Any) -> AdyenCredentials:
    return AdyenCredentials.model_validate(GIVEN | other)


def test_the_address_is_that_of_the_system() -> None:
    assert opened().address == "https://1797a841fbb37ca7-AdyenDemo-checkout-live.adyenpayments.com/checkout/v72"
    assert opened(client_key="test_ABC").address == "https://checkout-test.adyen.com/v72"
    assert opened(base_url="https://localhost:8443/").address == "https://localhost:8443/v72"


def test_secrets_are_sealed_and_never_shown() -> None:
    sealed = sealed_of(AdyenProvider, GIVEN | {"other_hmac_key": "ab" * 32}, "PRODUCTION")
    for secret in (*SECRETS, "ab" * 32):
        assert secret not in str(sealed.shown)
        assert secret.encode() not in sealed.sealed
        assert secret not in repr(opened(other_hmac_key="ab" * 32))
    assert sealed.shown["merchant_account"] == "OnpayPT"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("live_url_prefix", ""),
        ("live_url_prefix", "evil.example/x"),
        ("live_url_prefix", "a-b.evil"),
        ("client_key", "pk_live_1"),
        ("client_key", "live_"),
        ("merchant_account", "a:b"),
        ("merchant_account", ""),
        ("hmac_key", "12"),
        ("hmac_key", "xy" * 32),
        ("other_hmac_key", "12"),
        ("api_key", "short"),
        ("base_url", "http://localhost"),
    ],
)
def test_wrong_credentials_are_refused_without_repeating_them(member: str, value: str) -> None:
    with pytest.raises(InvalidAccount) as refused:
        sealed_of(AdyenProvider, GIVEN | {member: value}, "PRODUCTION")
    assert not value or value not in str(refused.value.faults)


@pytest.mark.parametrize(("client_key", "system"), [("test_ABC", "PRODUCTION"), ("live_ABC", "TEST")])
def test_credentials_of_the_other_system_are_refused(client_key: str, system: str) -> None:
    with pytest.raises(InvalidAccount) as refused:
        sealed_of(AdyenProvider, GIVEN | {"client_key": client_key}, system)
    assert [fault.field for fault in refused.value.faults] == ["system"]
    assert sealed_of(AdyenProvider, GIVEN | {"client_key": client_key})
