"""Payment links, and the payers who come to their page."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.http import HttpResponse

from gateway.customers.payer import Payer
from gateway.payment_links import selectors, services
from gateway.payment_links.models import PaymentLink
from gateway.payments.models import Payment
from gateway.payments.services import Request
from tests.support.api import Api
from tests.support.checkout import browser

MARIA = Payer(name="Maria Silva", tax_id="52998224725", tax_id_type="CPF")
TYPED = {"name": "Maria Silva", "taxId": "529.982.247-25"}
LINK = {"description": "Enrolment", "currency": "BRL", "amount": 150}


def a_link(api: Api, **members: Any) -> PaymentLink:
    """A link of 150 reais; a member given as None is left out."""
    body = {name: value for name, value in (LINK | members).items() if value is not None}
    answer = api.post("/payment-links", body)
    assert answer.status_code == 201, answer.content
    return selectors.links().get(pk=answer.json()["data"]["id"])


def pix(amount: str = "150.00", *, method: str = "PIX", currency: str = "BRL") -> Request:
    return Request(method, Decimal(amount), currency, "", MARIA)


def begun(link: PaymentLink, order: Request | None = None) -> Payment:
    return services.pay(link, order or pix(), str(uuid4()))


@dataclass
class LinkPage:
    """The page of a link, in the browser of a payer who pays by one method."""

    link: PaymentLink
    method: str = "PIX"
    language: str = "en"

    @property
    def path(self) -> str:
        return f"/pay/{self.link.token}"

    def open(self) -> HttpResponse:
        return browser().get(f"{self.path}?method={self.method}", headers={"accept-language": self.language})

    def pay(self, **said: Any) -> HttpResponse:
        data = {"method": self.method, "once": str(uuid4())} | TYPED | said
        return browser().post(self.path, data, headers={"accept-language": self.language})
