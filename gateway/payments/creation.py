"""New payments that no provider is asked about: prepared without a write, then stored by one statement together with
their customer and the response to their request, and with what others create at the same time.
"""

from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import orjson
from django.db import DatabaseError, IntegrityError, InterfaceError, connection, models, transaction

from accounts.base.rows import execute
from gateway.payments.models import Payment


@dataclass(frozen=True, slots=True)
class Draft:
    """A payment that is not stored yet. Its customer has a tax id."""

    payment: Payment

    def store(self, key: dict[str, Any]) -> bool:
        """Whether it was stored with the row of an idempotency key that has its response."""
        return store([Creation(key, self.payment)]) == [True]


@dataclass(frozen=True, slots=True)
class Creation:
    """A payment that is not stored yet, and the row of the idempotency key of its request."""

    key: dict[str, Any]
    payment: Payment

    @property
    def takes(self) -> dict[Hashable, str]:
        """What only one can have, and the id of whom this one gives it to. A customer that is known has many."""
        payment = self.payment
        return {
            ("key", payment.merchant_id, self.key["key"]): payment.pk,
            ("reference", payment.merchant_id, payment.reference): payment.pk,
            ("tax id", payment.merchant_id, payment.payer["taxId"]): payment.customer_id,
        }


def store(creations: Sequence[Creation]) -> list[bool]:
    """Whether each was stored, by one statement with as many others as possible. All are of one cell.

    Who was not stored is left to who does one write after the other: something is taken, by another of them as well,
    or locked, or nobody knows.
    """
    owners: dict[Hashable, str] = {}
    apart: list[bool] = []
    for one in creations:
        takes = one.takes
        apart.append(all(owners.get(name, owner) == owner for name, owner in takes.items()))
        owners = takes | owners
    stored = iter(_stored([one for one, is_apart in zip(creations, apart, strict=True) if is_apart]))
    return [is_apart and next(stored) for is_apart in apart]


def _stored(creations: Sequence[Creation]) -> list[bool]:
    """Each half by itself where one is refused."""
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            _store(creations)
    except IntegrityError:
        half = len(creations) // 2
        return _stored(creations[:half]) + _stored(creations[half:]) if half else [False]
    except (DatabaseError, InterfaceError):
        return [False] * len(creations)
    return [True] * len(creations)


def _store(creations: Sequence[Creation]) -> None:
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
