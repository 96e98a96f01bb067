"""PIX payments as charges: immediate (cob), or with a due date (cobv). The txid is the ULID of the payment's id."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import structlog

from gateway.methods import documents
from gateway.methods.pix.brcode import br_code
from gateway.methods.pix.rail import Pix, txid_of
from gateway.methods.rail import (
    Clawback,
    Money,
    PaymentAction,
    PaymentOrder,
    PaymentOutcome,
    PaymentResult,
    RefundOrder,
)
from gateway.providers.bacen_pix.api import Charges, PixApi, is_denied
from gateway.providers.bacen_pix.shapes import Charge, ReceivedPix, ReturnedPix
from gateway.providers.errors import Unclear
from gateway.providers.problems import Problem, settled

REMOVED = ("REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP")
END_TO_END_ID = re.compile("[a-zA-Z0-9]{32}")
NO_MONEY = ("NO_END_TO_END_ID", "The payment has no endToEndId, so the bank cannot return its money.")

ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
_NUMBER = re.compile(rf"(?P<kind>sus)?(?P<ulid>{ULID})")

log = structlog.get_logger()


class BacenPix(Pix):
    """PIX with an account at a bank."""

    def __init__(self, api: PixApi) -> None:
        self._api = api

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        """A charge that exists already is read and compared, so that the call may be repeated.

        A bank that lets us neither order nor read such charges has refused: nobody has a code of any.
        """
        charges, txid = self._charges(order), txid_of(order.payment_id)
        made = charges.create(txid, order.amount, _terms(order))
        charge = settled(made, lambda: charges.find(txid, or_denied=is_denied(made)))
        if isinstance(charge, Problem):
            return PaymentOutcome(PaymentResult.REFUSED, failure=charge.failure)
        return _outcome(order, charge)

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        charge = self._charges(order).find(txid_of(order.payment_id))
        return _outcome(order, charge) if charge else PaymentOutcome(PaymentResult.NOT_RECEIVED)

    def cancel(self, order: PaymentOrder) -> PaymentOutcome:
        """A charge that the bank does not know cannot be paid either."""
        charges, txid = self._charges(order), txid_of(order.payment_id)
        charge = settled(charges.remove(txid), lambda: charges.find(txid))
        if isinstance(charge, Problem) or (charge.status in REMOVED and not charge.received):
            return PaymentOutcome(PaymentResult.DONE)
        if charge.status == "CONCLUIDA" or charge.received:
            return PaymentOutcome(PaymentResult.REFUSED)
        raise Unclear(f"the charge is still {charge.status[:40]}")

    def _charges(self, order: PaymentOrder) -> Charges:
        """Of the kind that was ordered: a payment never changes it, and a bank has no txid in both."""
        return self._api.cobv if order.due_date else self._api.cob

    def refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        """A return (devolução) of money that arrived, under the number that our id gives it."""
        money, number = order.payment_reference or "", number_of(order.refund_id)
        if not END_TO_END_ID.fullmatch(money):
            return PaymentOutcome(PaymentResult.DECLINED, failure=NO_MONEY)
        asked = self._api.give_back(money, number, order.amount)
        returned = settled(asked, lambda: self._api.returned(money, number))
        if isinstance(returned, Problem):
            return PaymentOutcome(PaymentResult.DECLINED, failure=returned.failure)
        return _refund_outcome(order, returned)

    def ask_refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        money = order.payment_reference or ""
        is_known = END_TO_END_ID.fullmatch(money) is not None
        returned = self._api.returned(money, number_of(order.refund_id)) if is_known else None
        return _refund_outcome(order, returned) if returned else PaymentOutcome(PaymentResult.NOT_RECEIVED)

    def clawbacks(self, money: str) -> Sequence[Clawback]:
        received = self._api.pix(money) if END_TO_END_ID.fullmatch(money) else None
        return tuple(received.clawbacks()) if received else ()


def _terms(order: PaymentOrder) -> dict[str, Any]:
    """Until when it can be paid. An immediate charge names no payer: anybody may pay."""
    if order.due_date is None:
        return {"calendario": {"expiracao": max(round((order.expires_at - order.created_at).total_seconds()), 1)}}
    tax_id = order.payer.tax_id or ""
    return {
        "calendario": {"dataDeVencimento": order.due_date.isoformat(), "validadeAposVencimento": 0},
        "devedor": {"cpf" if documents.type_of(tax_id) == "CPF" else "cnpj": tax_id, "nome": order.payer.name},
    }


def number_of(return_id: str) -> str:
    """The bank's number of a return: the ULID of a refund; `sus` and the ULID of money in suspense."""
    kind, _, ulid = return_id.partition("_")
    return ulid if kind == "ref" else f"{kind}{ulid}"


def return_of(number: str) -> str | None:
    """The inverse of `number_of`; None: no return of ours has such a number."""
    found = _NUMBER.fullmatch(number)
    return f"{found['kind'] or 'ref'}_{found['ulid']}" if found else None


def _outcome(order: PaymentOrder, charge: Charge) -> PaymentOutcome:
    """DONE says what arrived, whatever was ordered and became of the charge."""
    if charge.received:
        return _paid(order, charge.received)
    if charge.amount != order.amount:
        log.critical("provider.other_amount", about=order.payment_id)
        raise Unclear("the charge has another amount")
    if charge.status == "ATIVA":
        return PaymentOutcome(PaymentResult.WAITING, _instructions(order, charge))
    if charge.status in REMOVED:
        return PaymentOutcome(PaymentResult.DECLINED, failure=(charge.status, "The charge was removed at the bank."))
    raise Unclear(f"the charge is {charge.status[:40]} without money")


def _paid(order: PaymentOrder, received: Sequence[ReceivedPix]) -> PaymentOutcome:
    """The money that has paid it before, or has its amount, or came first; and the rest."""
    own = min(received, key=lambda one: (one.end_to_end_id != order.reference, one.amount != order.amount))
    others = tuple(Money(one.end_to_end_id, one.amount, "BRL") for one in received if one is not own)
    money = own.end_to_end_id
    return PaymentOutcome(
        PaymentResult.DONE, {"pixEndToEndId": money}, reference=money, amount=own.amount, currency="BRL", others=others
    )


def _instructions(order: PaymentOrder, charge: Charge) -> dict[str, str]:
    if not (charge.code or charge.location):
        raise Unclear("a charge without code and location")
    location = charge.location.removeprefix("https://")
    made = br_code(location=location, amount=order.amount, name=order.beneficiary, city=order.city)
    return {"pixCopyPaste": charge.code or made, "pixTxid": charge.txid}


def _refund_outcome(order: RefundOrder, returned: ReturnedPix) -> PaymentOutcome:
    if returned.amount != order.amount:
        log.critical("provider.other_amount", about=order.refund_id)
        raise Unclear("the return has another amount")
    if returned.status == "DEVOLVIDO":
        return PaymentOutcome(PaymentResult.DONE, {}, None, returned.reference, returned.amount, "BRL")
    if returned.status == "NAO_REALIZADO":
        failure = ("NAO_REALIZADO", returned.reason[:255] or "The bank could not return the money.")
        return PaymentOutcome(PaymentResult.DECLINED, failure=failure)
    if returned.status == "EM_PROCESSAMENTO":
        return PaymentOutcome(PaymentResult.UNKNOWN)
    raise Unclear(f"the return is {returned.status[:40]}")
