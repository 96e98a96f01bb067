"""A Colombian order, and the payer who comes with their browser to its checkout."""

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

from django.http import HttpResponse
from django.test import Client

from tests.support.api import Api
from tests.support.payments import a_reference

CC = {"name": "Camila Rojas", "taxId": "1018760936"}
METHODS = ("PSE", "NEQUI", "BRE_B", "BANK_TRANSFER")
BACK = "https://shop.example/thanks"
ANSWERS = {"PSE": {"bank": "SANDBOX", "person": "NATURAL"}, "NEQUI": {"phone": "300 123 4567"}}
EMAIL = {"email": "camila@example.com"}


def order(method: str = "PSE", **members: Any) -> dict[str, Any]:
    """The body of a payment of 150 000 pesos; a member given as None is left out."""
    said = {"method": method, "amount": 150_000, "currency": "COP", "reference": a_reference(), "payer": CC}
    return {name: value for name, value in (said | {"returnUrl": BACK} | members).items() if value is not None}


def browser() -> Client:
    """Shows a failure of ours as people would see it."""
    return Client(enforce_csrf_checks=True, raise_request_exception=False)


@dataclass
class Checkout:
    """The page of one payment, in the browser of the payer."""

    payment: dict[str, Any]
    language: str = "en"

    @property
    def path(self) -> str:
        return "/checkout/" + str(self.payment["nextAction"]["redirectUrl"]).partition("/checkout/")[2]

    @property
    def token(self) -> str:
        return self.path.removeprefix("/checkout/")

    def open(self, language: str | None = None) -> HttpResponse:
        return browser().get(self.path, headers={"accept-language": language or self.language})

    def text(self, language: str | None = None) -> str:
        return spoken(self.open(language))

    def choose(self, choice: str, **said: str) -> HttpResponse:
        return browser().post(self.path, {"choice": choice} | said, headers={"accept-language": self.language})

    def pay(self) -> HttpResponse:
        return self.choose("pay", **answers_to(str(self.payment["method"])))


def opened(api: Api, method: str = "PSE", **members: Any) -> Checkout:
    answer = api.post("/payments", order(method, **members))
    assert answer.status_code == 201, answer.content
    return Checkout(answer.json()["data"])


def answers_to(method: str) -> dict[str, str]:
    """What a payer answers who has said nothing before."""
    return ANSWERS.get(method, {}) | ({} if method == "NEQUI" else EMAIL)


def spoken(page: HttpResponse) -> str:
    """The words that are read on the page: without its head and its markup."""
    body = re.split(r"<body[^>]*>", page.content.decode(), maxsplit=1)[-1]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def questions(page: HttpResponse) -> set[str]:
    """The names of what the page asks for, without the buttons."""
    return set(re.findall(r'<(?:input|select)\b[^>]*\bname="(\w+)"', page.content.decode()))


def now_shown(api: Api, checkout: Checkout) -> Any:
    return api.get(f"/payments/{checkout.payment['id']}").json()["data"]
