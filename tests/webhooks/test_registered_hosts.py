"""A host that does not exist is a typing error, and said at once; where the resolver fails nobody can know."""

import socket
from typing import Any, NoReturn

import pytest

from tests.support.companies import Shop
from webhooks import services

NO_SUCH_HOST = [socket.gaierror(socket.EAI_NONAME, "unknown"), socket.gaierror(socket.EAI_NODATA, "no address")]
NO_RESOLVER = [
    socket.gaierror(socket.EAI_AGAIN, "temporary"),
    socket.gaierror(socket.EAI_FAIL, "failed"),
    TimeoutError(),
]


def faults(shop: Shop, trouble: Exception) -> list[Any]:
    def lookup(*_: Any, **__: Any) -> NoReturn:
        raise trouble

    return services.url_faults(shop.production, "https://shop.exmaple/hook", lookup)


@pytest.mark.parametrize("trouble", NO_SUCH_HOST)
def test_a_host_that_does_not_exist_is_refused(acme: Shop, trouble: Exception) -> None:
    [fault] = faults(acme, trouble)

    assert (fault.field, fault.code) == ("url", "INVALID")
    assert "spelling" in fault.message


@pytest.mark.parametrize("trouble", NO_RESOLVER, ids=str)
def test_a_resolver_that_fails_refuses_nobody(acme: Shop, trouble: Exception) -> None:
    assert faults(acme, trouble) == []
