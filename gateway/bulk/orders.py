"""What a line orders, sealed in its row, and how it is carried out: by the services that every door uses."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from accounts.base.sealing import seal, unseal
from accounts.models import Merchant
from gateway.bulk.models import BulkLine
from gateway.refunds import services as refunds
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft


@dataclass(frozen=True, slots=True)
class WithdrawalOrder:
    """A withdrawal in the wallet's own currency."""

    rail: str
    amount: Decimal
    currency: str
    reference: str
    destination: Mapping[str, str] = field(repr=False)

    def seal(self) -> bytes:
        return seal(
            json.dumps(
                {
                    "rail": self.rail,
                    "amount": str(self.amount),
                    "currency": self.currency,
                    "reference": self.reference,
                    "destination": dict(self.destination),
                }
            ).encode()
        )


@dataclass(frozen=True, slots=True)
class RefundOrder:
    """A refund of a payment; `amount` in minor units of the payment's currency."""

    payment_id: str
    amount: int
    reference: str
    reason: str | None = None

    def seal(self) -> bytes:
        return seal(
            json.dumps(
                {
                    "payment_id": self.payment_id,
                    "amount": self.amount,
                    "reference": self.reference,
                    "reason": self.reason,
                }
            ).encode()
        )


def withdraw(merchant: Merchant, line: BulkLine) -> str:
    """Creates the withdrawal of a line; returns its id. Raises what `withdrawals.services.create` raises."""
    order = json.loads(unseal(bytes(line.sealed_order)))
    draft = WithdrawalDraft(
        company_id=merchant.company_id,
        rail=order["rail"],
        amount=Decimal(order["amount"]),
        currency=order["currency"],
        payout_currency=order["currency"],
        reference=order["reference"],
        destination=order["destination"],
        requester=Requester(person_id=line.file.confirmed_by_id, others=(line.file.uploaded_by_id,)),
        is_from_backend=False,
        is_told_together=True,
    )
    return withdrawals.create(merchant, draft).pk


def refund(merchant: Merchant, line: BulkLine) -> str:
    """Creates the refund of a line; returns its id. Raises what `refunds.services.create` raises."""
    order = json.loads(unseal(bytes(line.sealed_order)))
    made = refunds.create(
        merchant, order["payment_id"], amount=order["amount"], reason=order["reason"], reference=order["reference"]
    )
    return made.pk
