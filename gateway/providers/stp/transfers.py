"""Orders to pay somebody: withdrawals and refunds alike. An order is named by the tracking key that our id gives it.

STP takes a key once in a day of operation. So an order is never sent again before every day that it may be of has been
looked up, and never under another key.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

import structlog
from clabe import BANKS

from accounts.base.clock import utcnow
from gateway.methods.spei.clabe import is_clabe
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.stp.api import StpApi
from gateway.providers.stp.reasons import DEFINITE, DUPLICATE
from gateway.providers.stp.shapes import SentOrder

CLABE, CARD, PHONE = 40, 3, 10
_ACCOUNTS = {18: CLABE, 16: CARD, 15: CARD, 10: PHONE}
LONGEST_TEXT, NOT_DECLARED, CONCEPT = 39, "ND", "Pago"
LOOKED_UP_FOR = timedelta(minutes=10)
"""How long STP may take to list an order that it was given."""
_ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
_KEY = re.compile(rf"(?P<kind>WDR|REF|SUS)(?P<ulid>{_ULID})")
SENT_BEFORE = timedelta(days=4)
"""How far back an order is looked up before it is sent once more: over a weekend."""

log = structlog.get_logger()


class State(StrEnum):
    UNDER_WAY = "under way"
    PAID = "paid"
    CANCELED = "canceled"
    RETURNED = "returned"


STATES = {
    "LQ": State.PAID, "TLQ": State.PAID, "CCO": State.PAID,
    "CN": State.CANCELED, "TCL": State.CANCELED, "CL": State.CANCELED, "RL": State.CANCELED, "CA": State.CANCELED,
    "RA": State.CANCELED, "RB": State.CANCELED, "EL": State.CANCELED,
    "D": State.RETURNED, "TD": State.RETURNED, "RE": State.RETURNED,
}  # fmt: skip
"""Those that promise something. In every other state the order is under way."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """An order to pay. `account` is a CLABE, the number of a debit card, or a mobile number."""

    key: str
    account: str
    institution: int
    name: str
    amount: Decimal
    concept: str
    number: int
    tax_id: str = NOT_DECLARED
    about: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Refusal:
    """STP has definitely not taken the order, and has none of its key."""

    id: int
    words: str


class Transfers:
    """Orders out of the account."""

    def __init__(self, api: StpApi) -> None:
        self._api = api

    def send(self, transfer: Transfer, at: datetime, *, may_be_known: bool) -> SentOrder | Refusal | None:
        """None: STP has taken it. A key that it knows, and a refusal, are looked up. Raises NotSent and Unclear.

        `may_be_known`: it was perhaps sent before, so that it is looked up first.
        """
        if may_be_known and (known := self._look_up(transfer, at - SENT_BEFORE)):
            return known
        result = self._api.register(self._members(transfer), transfer.about)
        if not result.error and result.id > 0:
            return None
        if result.id != DUPLICATE and result.id not in DEFINITE:
            raise Unclear(f"error {result.id}: {result.error[:120]}")
        found = self._after_sending(transfer, at)
        if found or result.id in DEFINITE:
            return found or Refusal(result.id, result.error)
        raise Unclear("the order is known and cannot be found")

    def find(self, transfer: Transfer, sent_at: datetime) -> SentOrder | None:
        """What became of an order that was possibly sent then; None: it was never received.

        Raises Unclear while STP may not list it yet.
        """
        found = self._look_up(transfer, sent_at)
        if found is None and utcnow() < sent_at + LOOKED_UP_FOR:
            raise Unclear("not listed yet")
        return found

    def _after_sending(self, transfer: Transfer, at: datetime) -> SentOrder | None:
        """Raises Unclear, never NotSent: a request was transmitted before."""
        try:
            return self._look_up(transfer, at)
        except NotSent as failed:
            raise Unclear(failed.reason) from None

    def _look_up(self, transfer: Transfer, since: datetime) -> SentOrder | None:
        found = self._api.sent(transfer.key, since, utcnow(), transfer.about)
        if found and (found.amount, found.account) != (transfer.amount, transfer.account):
            log.critical("provider.other_amount", about=transfer.about)
            raise Unclear("the order has another amount or account")
        return found

    def _members(self, transfer: Transfer) -> dict[str, Any]:
        account = self._api.credentials
        sender = {"nombreOrdenante": plain(account.holder), "rfcCurpOrdenante": account.tax_id or NOT_DECLARED}
        return {
            "claveRastreo": transfer.key,
            "folioOrigen": transfer.key,
            "institucionContraparte": transfer.institution,
            "monto": transfer.amount.quantize(Decimal("0.01")),
            "tipoPago": 1,
            "tipoCuentaOrdenante": CLABE,
            "cuentaOrdenante": account.clabe,
            **sender,
            "tipoCuentaBeneficiario": _ACCOUNTS[len(transfer.account)],
            "cuentaBeneficiario": transfer.account,
            "nombreBeneficiario": plain(transfer.name) or NOT_DECLARED,
            "rfcCurpBeneficiario": transfer.tax_id or NOT_DECLARED,
            "conceptoPago": plain(transfer.concept) or CONCEPT,
            "referenciaNumerica": transfer.number,
            "topologia": "T",
            "medioEntrega": 3,
            "prioridad": 0,
        }


def state_of(found: SentOrder) -> State:
    return STATES.get(found.state, State.UNDER_WAY)


def institution_of(clabe: str) -> int | None:
    """The number of a CLABE's bank in SPEI; None: no participant has its CLABEs."""
    code = BANKS.get(clabe[:3])
    return int(code) if code else None


def is_account(number: str) -> bool:
    """Whether an order can be sent to it."""
    is_number = number.isascii() and number.isdigit() and len(number) in _ACCOUNTS
    return is_number and (len(number) != 18 or is_clabe(number))


def plain(text: str) -> str:
    """As SPEI takes texts: letters without accents, digits and spaces, at most 39. A bar would end a signed field."""
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", " ", letters).strip()[:LONGEST_TEXT].strip()


def key_of(our_id: str) -> str:
    """The tracking key of a withdrawal, refund or return: 29 letters and digits, the id without its underscore."""
    kind, _, ulid = our_id.partition("_")
    return f"{kind.upper()}{ulid}"


def id_of(key: str) -> str | None:
    """The inverse of `key_of`; None: no order of ours has such a key."""
    found = _KEY.fullmatch(key)
    return f"{found['kind'].lower()}_{found['ulid']}" if found else None
