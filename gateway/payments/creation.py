"""New payments that no provider is asked about: prepared without a write, then stored by one statement together with
their customer and the response to their request, and with what others create at the same time.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import orjson
from django.db import models

from accounts.base import cells
from accounts.base.rows import execute
from accounts.base.together import Together
from gateway.payments.models import Payment


@dataclass(frozen=True, slots=True)
class Draft:
    """A payment that is not stored yet. Its customer has a tax id."""

    payment: Payment

    def store(self, key: dict[str, Any]) -> bool:
        """Stores it with the row of an idempotency key that has its response.

        False: something is taken, or the outcome is unknown. Whoever does the same under the same key, one write after
        the other, then learns which.
        """
        return _creations_in(cells.current()).write(_Creation(key, self.payment))


@dataclass(frozen=True, slots=True)
class _Creation:
    key: dict[str, Any]
    payment: Payment

    def names(self) -> Iterator[Hashable]:
        """What only one of the payments in a statement can have."""
        merchant = self.payment.merchant_id
        yield "key", merchant, self.key["key"]
        yield "customer", merchant, self.payment.payer["taxId"]
        yield "reference", merchant, self.payment.reference


def _store(creations: Sequence[_Creation]) -> None:
    execute(
        "SELECT gateway_create_payments(%s::json, %s::json, %s::json)",
        [
            _json([one.key for one in creations]),
            _json([_customer(one.payment) for one in creations]),
            _json([_row(one.payment) for one in creations]),
        ],
    )


def _customer(payment: Payment) -> dict[str, Any]:
    payer = payment.payer
    return {
        "id": payment.customer_id,
        "merchant_id": payment.merchant_id,
        "name": payer["name"],
        "tax_id": payer["taxId"],
        "tax_id_type": payer["taxIdType"],
        "email": payer["email"],
        "phone": payer["phone"],
        "address": payer["address"],
        "created_at": payment.created_at,
        "updated_at": payment.created_at,
    }


def _row(instance: models.Model) -> dict[str, Any]:
    return {str(field.column): instance.__dict__[field.attname] for field in instance._meta.concrete_fields}


def _json(rows: list[dict[str, Any]]) -> str:
    return orjson.dumps(rows, default=_exact, option=orjson.OPT_PASSTHROUGH_SUBCLASS).decode()


def _exact(value: Any) -> str:
    assert isinstance(value, Decimal | str), "nothing else is in a row"  # a status is a string of its own kind
    return str(value)


@cache
def _creations_in(cell: str) -> Together[_Creation]:
    """Those of other cells are in other tables."""
    return Together(_store, _Creation.names)
