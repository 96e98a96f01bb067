"""What STP tells: deposits (abonos) and changes of state of our orders. Both are hints, and STP is asked."""

from collections.abc import Mapping
from typing import Any

from accounts.base.wire import NotOneJsonObject, loads
from gateway.methods.rail import PaymentAction, PaymentResult
from gateway.methods.spei.clabe import is_clabe
from gateway.providers import numbers
from gateway.providers.client import shaped
from gateway.providers.errors import Unclear, Unreadable
from gateway.providers.provider import Message, Notice
from gateway.providers.stp.credentials import CLABE_DIGITS, StpCredentials
from gateway.providers.stp.rail import SERIES
from gateway.providers.stp.shapes import RETURNS, Account, Deposit, StateChange
from gateway.providers.stp.transfers import id_of

TAKEN, ACCEPTED = {"mensaje": "recibido"}, {"mensaje": "confirmar"}


def is_genuine(message: Message, credentials: StpCredentials) -> bool:
    """Whether STP sent it, about this account."""
    try:
        return credentials.sent(message) and _told(message.body, Account).empresa == credentials.empresa
    except Unreadable:
        return False


def reply(message: Message) -> Mapping[str, Any]:
    """Every deposit is accepted: one that nobody expects is held, and goes back by an order of our own.

    To refuse one (`devolver`) would be to decide before it is known whether the message is true, and which payments
    of ours are ended.
    """
    return ACCEPTED if _is_deposit(_members(message.body)) else TAKEN


def notices(message: Message) -> list[Notice]:
    """The payment whose CLABE was paid, or the withdrawal, refund or return whose order has changed. Raises
    Unreadable.
    """
    if _is_deposit(_members(message.body)):
        return _paid(_told(message.body, Deposit))
    ours = id_of(_told(message.body, StateChange).key)
    if ours is None:
        return []
    return [Notice(ours, PaymentAction.REFUND)]


def _paid(deposit: Deposit) -> list[Notice]:
    """What no payment's CLABE was paid is found in the list. A return of an order of ours is told by its state, too."""
    if deposit.kind in RETURNS:
        ours = id_of(deposit.key)
        return [Notice(ours, PaymentAction.REFUND)] if ours else []
    if not is_clabe(deposit.clabe):
        return []
    payment = numbers.payment_of(int(deposit.clabe[:CLABE_DIGITS]), SERIES)
    return [Notice(payment, PaymentAction.PAY, PaymentResult.DONE)] if payment else []


def _is_deposit(members: Mapping[str, Any]) -> bool:
    """A change of state names no account."""
    return "cuentaBeneficiario" in members


def _members(body: bytes) -> dict[str, Any]:
    """STP or its proxies may wrap a deposit."""
    try:
        members = loads(body)
    except NotOneJsonObject as wrong:
        raise Unreadable("not a message of STP") from wrong
    inner = members.get("abono")
    return inner if isinstance(inner, dict) else members


def _told(body: bytes, shape: Any) -> Any:
    try:
        return shaped(_members(body), shape)
    except Unclear as wrong:
        raise Unreadable(f"a message of another form: {wrong.reason}") from wrong
