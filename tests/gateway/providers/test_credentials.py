"""Credentials are validated, sealed as a whole, and their secrets are never told."""

import json
from typing import Any

import pytest

from accounts.base.sealing import unseal
from gateway.providers.credentials import sealed_of
from gateway.providers.errors import InvalidAccount
from gateway.providers.selectors import opened
from tests.support.certificates import certificate, private_key
from tests.support.scripted_provider import ScriptedProvider

SECRET = "s3cret-of-the-bank"
PLAIN = {"user": "acme", "password": SECRET}


def faults(**given: Any) -> dict[str, str]:
    with pytest.raises(InvalidAccount) as refused:
        sealed_of(ScriptedProvider, PLAIN | given)
    told = f"{refused.value.body()} {refused.value!r} {refused.value.__cause__!r} {refused.value.__context__!r}"
    assert [value for value in given.values() if isinstance(value, str) and len(value) > 4 and value in told] == []
    return {fault.field: fault.code for fault in refused.value.faults}


def test_what_is_sealed_opens_the_provider_and_only_the_rest_is_shown() -> None:
    entered = sealed_of(ScriptedProvider, PLAIN | {"certificate": certificate(90), "private_key": private_key()})

    assert opened("scripted", entered.sealed).credentials.password.get_secret_value() == SECRET
    assert set(entered.shown) == {"user", "certificate", "callback_certificate"}
    assert SECRET not in repr(entered) + str(entered.shown)
    assert "PRIVATE KEY" in json.loads(unseal(entered.sealed))["private_key"]
    assert entered.certificate_expires_at is not None


def test_credentials_without_a_certificate_have_no_expiry() -> None:
    assert sealed_of(ScriptedProvider, PLAIN).certificate_expires_at is None


def test_what_the_provider_does_not_know_or_misses_is_refused_without_its_value() -> None:
    assert faults(password=None) == {"password": "INVALID"}
    assert faults(pin="1234-5678") == {"pin": "INVALID"}
    assert faults(certificate="no certificate at all") == {"certificate": "INVALID"}
    assert faults(private_key="no private key at all") == {"private_key": "INVALID"}
    with pytest.raises(InvalidAccount) as refused:
        sealed_of(ScriptedProvider, {"user": "acme"})
    assert [(fault.field, fault.code) for fault in refused.value.faults] == [("password", "REQUIRED")]


def test_an_expired_certificate_and_a_swapped_key_are_refused() -> None:
    assert faults(certificate=certificate(-1), private_key=private_key()) == {"certificate": "EXPIRED"}
    assert faults(certificate=certificate(number=1), private_key=private_key(2)) == {"certificate": "KEY"}
    assert faults(certificate=private_key(), private_key=certificate()) == {
        "certificate": "INVALID",
        "private_key": "INVALID",
    }


def test_credentials_that_no_longer_fit_do_not_tell_their_values() -> None:
    entered = sealed_of(ScriptedProvider, PLAIN)
    with pytest.raises(ValueError, match="user") as broken:
        ScriptedProvider.credentials_type.model_validate({**json.loads(unseal(entered.sealed)), "user": [SECRET]})
    assert SECRET not in str(broken.value)
