"""A bank that follows API Pix: what an account needs, its connection check, its callbacks, and received money."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Annotated, ClassVar

from django.utils.translation import gettext
from pydantic import AfterValidator, SecretStr

from accounts.base.wire import NotOneJsonObject, loads
from gateway.methods.pix.keys import FORMS, is_pix_key
from gateway.methods.rail import Clawback, Money, PaymentAction, PaymentResult, Rail
from gateway.providers.bacen_pix.api import DUE_SCOPES, SCOPES, PixApi
from gateway.providers.bacen_pix.rail import ULID, BacenPix, return_of
from gateway.providers.bacen_pix.shapes import Listing, ReceivedPix
from gateway.providers.certificates import Certificate, PrivateKey
from gateway.providers.client import Client, Identity, shaped
from gateway.providers.errors import CallFailed, NotConnected, Unclear, Unreadable
from gateway.providers.fields import Address, Fingerprints
from gateway.providers.oauth2 import AuthorizedClient
from gateway.providers.provider import MONEY, Arrival, Credentials, KnownOrder, Message, Notice, Provider

RETURNED_WITHIN = timedelta(days=90)
"""How long a pix can be returned."""
_OURS = re.compile(ULID)
_TOLD = {"DEVOLVIDO": PaymentResult.DONE, "NAO_REALIZADO": PaymentResult.DECLINED}


def _pix_key(key: str) -> str:
    if not any(is_pix_key(key, kind) for kind in FORMS):
        raise ValueError(gettext("This is not a PIX key as banks store it."))
    return key


class BacenPixCredentials(Credentials):
    """What the bank hands out. `callback_fingerprints` are those of the client certificates of its callbacks."""

    identified_by: ClassVar[tuple[tuple[str, ...], ...]] = (("pix_key",),)

    base_url: Address
    token_url: Address
    client_id: str
    client_secret: SecretStr
    certificate: Certificate
    private_key: PrivateKey
    ca_certificates: Certificate | None = None
    pix_key: Annotated[str, AfterValidator(_pix_key)]
    callback_fingerprints: Fingerprints = ""


class BacenPixProvider(Provider[BacenPixCredentials]):
    """PIX through any bank with Banco Central's API."""

    name: ClassVar[str] = "bacen-pix"
    title: ClassVar[str] = "PIX (API Pix of Banco Central)"
    credentials_type: ClassVar[type[BacenPixCredentials]] = BacenPixCredentials
    methods: ClassVar[tuple[tuple[str, str], ...]] = (("PIX", "BRL"),)

    def __init__(self, credentials: BacenPixCredentials) -> None:
        super().__init__(credentials)
        key, secret = credentials.private_key.get_secret_value(), credentials.client_secret.get_secret_value()
        client = Client(self.name, Identity(credentials.certificate, key, credentials.ca_certificates))
        authorized, due = (
            AuthorizedClient(client, credentials.token_url, credentials.client_id, secret, scopes)
            for scopes in (SCOPES, DUE_SCOPES)
        )
        self.api = PixApi(authorized, due, credentials.base_url, credentials.pix_key)

    is_told_where_to_call = True

    def rails(self) -> Sequence[Rail]:
        return [BacenPix(self.api)]

    def check(self) -> None:
        try:
            self.api.reach_webhook()
        except CallFailed as failed:
            raise NotConnected(failed.reason) from None

    def register_webhook(self, url: str) -> None:
        """Callbacks go to `url` with `/pix` added. Raises NotSent or Unclear, also if the bank refuses the address."""
        self.api.register_webhook(url)

    def received(self, since: datetime, until: datetime) -> Iterator[ReceivedPix]:
        """All money that arrived in the window, with its returns: what callbacks may have missed."""
        return self.api.received(since, until)

    def arrivals(self, since: datetime, until: datetime) -> Iterator[Arrival]:
        for one in self.received(since, until):
            is_ours = one.txid is not None and _OURS.fullmatch(one.txid) is not None
            money = Money(one.end_to_end_id, one.amount, "BRL")
            yield Arrival("PIX", money, f"pay_{one.txid}" if is_ours else None)

    def clawbacks(self, since: datetime, until: datetime) -> Iterator[Clawback]:
        for one in self.api.received(since, until, returned=True):
            yield from one.clawbacks()

    lists_orders_within: ClassVar[timedelta | None] = timedelta(0)

    def orders(self, since: datetime, until: datetime) -> Iterator[KnownOrder]:
        """Returns of money that arrived long before, too: API Pix lists them by the time of the money."""
        for one in self.api.received(since - RETURNED_WITHIN, until, returned=True):
            for returned in one.returns:
                if returned.nature == "ORIGINAL" and (ours := return_of(returned.id)):
                    yield KnownOrder(ours, returned.amount, "BRL")

    def verify(self, message: Message) -> bool:
        return message.certificate is not None and message.certificate in self.credentials.callback_fingerprints.split()

    def read(self, message: Message) -> Sequence[Notice]:
        """Payments, their details as `ReceivedPix.described`, refunds, and returns of money in suspense."""
        try:
            told = shaped(loads(message.body), Listing)
        except (NotOneJsonObject, Unclear) as wrong:
            raise Unreadable("not a list of received pix") from wrong
        return [notice for one in told.received for notice in notices(one)]


def notices(pix: ReceivedPix) -> Iterator[Notice]:
    """What received money says: about a payment and returns of ours, if its ids may be ours, and about MED."""
    if pix.txid and _OURS.fullmatch(pix.txid):
        yield Notice(f"pay_{pix.txid}", PaymentAction.PAY, PaymentResult.DONE, pix.described())
    for one in pix.returns:
        if one.nature == "ORIGINAL" and (ours := return_of(one.id)):
            yield Notice(ours, PaymentAction.REFUND, _TOLD.get(one.status))
    if any(pix.clawbacks()):
        yield Notice(f"{MONEY}_{pix.end_to_end_id}", PaymentAction.REFUND)


PROVIDER = BacenPixProvider
