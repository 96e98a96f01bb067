"""When it is over the payer goes back to the shop, which is told which payment it was."""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from accounts.models import Merchant
from gateway.payments.due import EXPIRY
from tests.support.api import Api
from tests.support.checkout import BACK, Checkout, opened, order
from tests.support.companies import Shop

CLOSE = "You can close this page."


def refreshes_to(checkout: Checkout) -> str | None:
    found = re.search(r'<meta http-equiv="refresh" content="5; url=([^"]*)">', checkout.open().content.decode())
    return unescape(found[1]) if found else None


def links(checkout: Checkout) -> list[str]:
    return [unescape(link) for link in re.findall(r'<a [^>]*href="([^"]*)"', checkout.open().content.decode())]


def end(checkout: Checkout, shop: Shop, how: str) -> None:
    if how == "EXPIRED":
        Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=timedelta(hours=1))
        assert EXPIRY.sweep() == 1
    else:
        assert (checkout.pay() if how == "PAID" else checkout.choose("refuse")).status_code == 303


@pytest.mark.parametrize("how", ["PAID", "FAILED", "EXPIRED"])
def test_the_payer_goes_back_at_the_end(api: Api, acme: Shop, how: str) -> None:
    checkout = opened(api)
    back = f"{BACK}?paymentId={checkout.payment['id']}"
    assert (refreshes_to(checkout), links(checkout)) == (None, [back])

    end(checkout, acme, how)

    assert (refreshes_to(checkout), links(checkout)) == (back, [back])
    assert CLOSE not in checkout.text()


@pytest.mark.parametrize(
    "address",
    [
        "https://shop.example/thanks?cart=7&tag=a&tag=b%2Bc%26d&next=%2Fhome#top",
        "https://shop.example:8443/gracias/%C3%B1?q=a%20b",
        "https://shop.example",
        "https://shop.example/?empty=&x='\"<>",
        "https://tienda-ñandú.example/vuelta?a=1#/route?not=query",
    ],
)
def test_query_and_fragment_of_the_address_are_kept(api: Api, address: str) -> None:
    checkout = opened(api, returnUrl=address)

    checkout.pay()

    back = refreshes_to(checkout)
    assert back is not None
    wanted, found = urlsplit(address), urlsplit(back)
    expected = [*parse_qsl(wanted.query, keep_blank_values=True), ("paymentId", checkout.payment["id"])]
    assert parse_qsl(found.query, keep_blank_values=True) == expected
    assert (found.scheme, found.port, found.fragment) == ("https", wanted.port, wanted.fragment)
    assert back.isascii()
    assert not set('"<> ') & set(back)
    assert links(checkout) == [back]


def test_a_payment_id_that_the_address_had_is_replaced(api: Api) -> None:
    checkout = opened(api, returnUrl=f"{BACK}?paymentId=forged&paymentId=twice")
    checkout.pay()

    assert refreshes_to(checkout) == f"{BACK}?paymentId={checkout.payment['id']}"


@pytest.mark.parametrize("how", ["PAID", "FAILED", "EXPIRED"])
def test_without_an_address_the_page_can_be_closed(api: Api, acme: Shop, how: str) -> None:
    checkout = opened(api, returnUrl=None)
    assert links(checkout) == []

    end(checkout, acme, how)

    assert (refreshes_to(checkout), links(checkout)) == (None, [])
    assert CLOSE in checkout.text()


@pytest.mark.parametrize(
    "address",
    [
        "http://shop.example/thanks", "javascript:alert(1)", "//shop.example", "/thanks", "https://", "shop.example",
        "https://me:secret@shop.example/", "data:text/html,x", "ftp://shop.example",
    ],
)  # fmt: skip
def test_a_way_back_that_is_no_https_address_is_refused(api: Api, address: str) -> None:
    refused = api.post("/payments", order(returnUrl=address))

    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "returnUrl")
    assert refused.json()["error"]["code"] == "ONP400_RETURN_URL"
