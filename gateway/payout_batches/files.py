"""The file of a batch: which account writes it, and how."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from accounts.base.errors import Fault
from gateway.bank_files.shapes import Order, PaymentFile
from gateway.payout_batches.errors import FileUnwritable
from gateway.payout_batches.models import BatchOrder, PayoutBatch
from gateway.payouts.rail import PayoutOrder
from gateway.providers.by_file import PaysByFile, Unwritable
from gateway.providers.models import ProviderAccount
from gateway.providers.registry import declared
from gateway.providers.selectors import provider_of
from ledger.money import to_decimal

Ordered = Sequence[tuple[BatchOrder, PayoutOrder]]


@dataclass(frozen=True, slots=True)
class Written:
    """`is_dropped`: it is dropped in a folder; otherwise people download it."""

    sequence: int
    format: str
    name: str
    content: bytes
    is_dropped: bool


def way_of(account: ProviderAccount) -> PaysByFile | None:
    """How the account is told by file what to pay, opened with its credentials. None: it is not."""
    return provider_of(account).by_file() if account.provider in declared() else None


def write(
    account: ProviderAccount, batch: PayoutBatch, ordered: Ordered, last: tuple[object, ...] | None, at: datetime
) -> Written:
    """Raises ONP422_PAYOUT_BATCH_FILE, naming the order that cannot be in the file."""
    way = way_of(account)
    assert way is not None
    newest = last[0] if last and isinstance(last[0], int) else 0
    sequence = max(newest + 1, way.first_sequence)
    file = PaymentFile(
        sequence=sequence,
        made_at=at.astimezone(way.zone).replace(microsecond=0),
        pay_on=batch.pay_on,
        payer=way.payer,
        agreement=way.agreement,
        currency=batch.currency,
        orders=[_order(way, one, order) for one, order in ordered],
    )
    total = sum((order.amount for order in file.orders), Decimal(0))
    assert total == to_decimal(batch.total, batch.currency), "the file pays what was released"
    assert len(file.orders) == batch.count, "and to everybody"
    try:
        content = way.write(file)
    except Unwritable as wrong:
        raise FileUnwritable(faults=[Fault(wrong.number or "file", "INVALID", wrong.reason)]) from None
    name = f"{batch.pk.removeprefix('bat_')}-{sequence:06d}.{way.extension}"
    return Written(sequence, way.format, name, content, way.folder is not None)


def _order(way: PaysByFile, one: BatchOrder, order: PayoutOrder) -> Order:
    kind, payee = way.payee(order.rail, order.destination)
    return Order(
        number=one.number,
        way=kind,
        amount=order.payout_amount,
        beneficiary=payee,
        text=order.destination.get("concept") or "",
    )
