"""Bulk files that somebody uploaded and confirmed."""

import secrets
from decimal import Decimal
from typing import Any

from accounts.models import Merchant, User
from gateway.bulk import services
from gateway.bulk.models import BulkFile, Kind
from gateway.bulk.orders import WithdrawalOrder
from tests.support.companies import Shop

TO = {"pixKey": "ana@loja.com.br", "pixKeyType": "EMAIL"}


def a_file(
    shop: Shop,
    *amounts: int,
    by: User,
    confirmed_by: User | None = None,
    to: dict[str, str] | None = None,
    merchant: Merchant | None = None,
    warnings: Any = None,
    is_confirmed: bool = True,
) -> BulkFile:
    """Withdrawals of whole amounts in BRL, confirmed and not yet carried out."""
    where = merchant or shop.sandbox
    orders = [WithdrawalOrder("PIX", Decimal(amount), "BRL", "", to or TO) for amount in amounts]
    rows = [services.Line(n, one, {}, int(one.amount * 100), "BRL") for n, one in enumerate(orders, start=2)]
    digest = secrets.token_bytes(32)
    file = services.keep(where, Kind.WITHDRAWALS, "pay.csv", digest, rows, warnings or {}, by=by, way="pix")
    if not is_confirmed:
        return file
    return services.confirm(where, file.pk, by=confirmed_by or by, reviewed=True)
