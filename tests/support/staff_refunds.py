"""Refunds as staff find them, and decide about them."""

from typing import Any

from accounts.models import Company, Merchant
from gateway.models import Payment, Refund
from gateway.refunds import services as refunds
from gateway.refunds.services import Shown
from ledger.models import Balance, Hold, Transfer
from tests.support.payments import a_payment
from tests.support.tables import held_in
from webhooks.models import Event

ADD = "/admin/gateway/refund/add/"


DECISIONS = ("for_payer", "for_company", "withdrawn", "carried_out", "declined")


NOTE = {"note": "The bank wrote on Monday"}


def a_refund(merchant: Merchant, status: str, *evidence: Shown) -> Refund:
    """Of 150 reais, by the payer, as far as `status`."""
    paid = a_payment(merchant, "PAID").id
    refund = refunds.dispute(merchant, paid, reason_code="UNRECOGNIZED", statement="Not <b>mine</b>")
    if status == "AWAITING_RESPONSE":
        return refund
    answer = "ACCEPT" if status == "PROCESSING" else "CONTEST"
    return refunds.respond(merchant, refund.id, answer, message="<i>Delivered</i>", evidence=evidence)


def everything() -> list[Any]:
    """What moves when anything is done about a refund."""
    return list(held_in(Refund, Hold, Balance, Transfer, Event, Payment))


def take_to_production(merchant: Merchant) -> None:
    """No provider is connected there, so what it would decide is reached from the sandbox."""
    other = Company.objects.create(legal_name="Other", trade_name="Other", tax_id="1", tax_id_type="CNPJ")
    Merchant.objects.filter(company=merchant.company, environment="PRODUCTION").update(company=other)
    Merchant.objects.filter(pk=merchant.pk).update(environment="PRODUCTION")
