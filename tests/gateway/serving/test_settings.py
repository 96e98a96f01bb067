"""Settings of the proxy that cannot work are named before the service starts."""

from contextlib import nullcontext

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from gateway.checks import stop_if_unsafe
from gateway.serving.checks import client_address_is_configured, each_thread_finds_a_connection


@pytest.mark.parametrize(
    ("header", "proxies", "expected"),
    [
        ("X-Forwarded-For", [], []),
        ("X-Forwarded-For", ["10.0.0.0/8"], []),
        ("Onpay-Client-Address", ["10.231.77.2/32"], []),
        ("Onpay-Client-Address", [], ["onpay.E021"]),
        ("Onpay_Client_Address", ["10.231.77.2/32"], ["onpay.E020"]),
        ("Onpay Client", ["10.231.77.2/32"], ["onpay.E020"]),
        ("X-Forwarded-For", ["0.0.0.0/0"], ["onpay.E022"]),
        ("X-Forwarded-For", ["10.0.0.0/8", "::/0"], ["onpay.E022"]),
    ],
)
def test_what_cannot_work_is_an_error(settings: Settings, header: str, proxies: list[str], expected: list[str]) -> None:
    settings.CLIENT_ADDRESS_HEADER, settings.TRUSTED_PROXIES = header, proxies

    assert [found.id for found in client_address_is_configured(None)] == expected


@pytest.mark.parametrize(("threads", "pool", "expected"), [(4, 6, []), (4, 5, ["onpay.E028"]), (8, 8, ["onpay.E028"])])
def test_a_pool_that_is_too_small_is_an_error(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, threads: int, pool: int, expected: list[str]
) -> None:
    monkeypatch.setenv("ONPAY_WEB_THREADS", str(threads))
    monkeypatch.setitem(settings.DATABASES["default"]["OPTIONS"]["pool"], "max_size", pool)

    assert [found.id for found in each_thread_finds_a_connection(None)] == expected
    with pytest.raises(ImproperlyConfigured, match="E028") if expected else nullcontext():
        stop_if_unsafe()
