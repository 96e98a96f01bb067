"""Receivables, and the clock that they wait for."""

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.customers.payer import Payer
from gateway.payments import services as payments
from ledger.models import Balance
from ledger.receivables.models import Receivable
from tests.support.payments import a_reference
from webhooks.models import Event

NET = 19_202
"""Of 200 reais on a credit card: less 3.99 %."""


def a_receivable(
    merchant: Merchant, amount: str = "200.00", currency: str = "BRL", method: str = "CREDIT_CARD"
) -> Receivable:
    """That of a card payment which a stored card of the sandbox has just paid."""
    payer = Payer(name="Maria Silva", tax_id="52998224725", tax_id_type="CPF")
    request = payments.Request(
        method, Decimal(amount), currency, a_reference(), payer, payment_method_token="pmt_sandbox_approved"
    )
    return Receivable.objects.get(payment_id=payments.create(merchant, request).id)


def stand_at(merchant: Merchant, moment: datetime) -> None:
    """The merchant's clock says this now, and nothing has happened on the way."""
    merchant.clock_offset = moment - utcnow()
    Merchant.objects.filter(pk=merchant.pk).update(clock_offset=merchant.clock_offset)


def book(merchant: Merchant) -> dict[str, int]:
    """What every account of the merchant holds, those that hold nothing left out."""
    rows = Balance.objects.filter(account__merchant=merchant).exclude(amount=0)
    return {
        f"{kind} {currency}": amount
        for kind, currency, amount in rows.values_list("account__kind", "account__currency", "amount")
    }


def told(merchant: Merchant, kind: str) -> list[dict[str, Any]]:
    """The data of the events of this kind, oldest first; amounts as they are written."""
    bodies = Event.objects.filter(merchant=merchant, type=kind).order_by("id").values_list("body", flat=True)
    return [json.loads(bytes(body), parse_float=str)["data"] for body in bodies]


def tamper(sql: str) -> None:
    """As no service ever does."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
