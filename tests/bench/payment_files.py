"""Withdrawals gathered, released and written into payment files a second, in each format."""

import json
import time
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from accounts.base.sealing import seal
from accounts.models import Company, Merchant
from gateway.bank_files.cnab.payment_orders import orders_of
from gateway.payout_batches.models import BatchOrder, PayoutBatch
from gateway.withdrawals.models import Withdrawal
from tests.bench.scale import SHORT, scaled
from tests.support.batches import BY_CNAB, BY_PAIN, bank_account, gathered, handed_over, release

WITHDRAWALS = scaled(10_000, 200)
MOST_S = 30
KEY = {"pixKey": "maria@example.com", "pixKeyType": "EMAIL"}
CLABE = {"clabe": BY_PAIN["clabe"], "beneficiaryName": "Maria Silva"}

_QUEUED = """
    INSERT INTO gateway_withdrawal (id, merchant_id, account_id, rail, reference, status, amount, fee, currency,
           payout_amount, payout_currency, network_fee, destination, sealed_destination, details, queued_at, sent_times,
           asked_times, note, created_at, updated_at, unclear_asks)
    SELECT 'wdr_' || lpad(n::text, 26, '0'), (%(merchants)s::bigint[])[1 + n %% cardinality(%(merchants)s::bigint[])],
           %(account)s, %(rail)s, 'out-' || n, 'PROCESSING', 500 + n, 0, %(currency)s, 500 + n, %(currency)s, 0, '{}',
           %(sealed)s, '{}', now(), 0, 0, '', now(), now(), 0
      FROM generate_series(%(first)s::bigint, %(last)s::bigint) n
"""


@dataclass(frozen=True)
class Way:
    """One format, and who is paid in it."""

    credentials: dict[str, Any]
    rail: str
    destination: dict[str, str]


WAYS = (Way(BY_CNAB, "PIX", KEY), Way(BY_PAIN, "SPEI", CLABE))


def measure(merchants: list[Merchant]) -> str:
    """Fails if it takes too long, or if an order is not in its file."""
    Company.objects.filter(pk__in=[one.company_id for one in merchants]).update(status=Company.Status.ACTIVE)
    Merchant.objects.filter(pk__in=[one.pk for one in merchants]).update(withdrawal_enabled=True)
    return "\n".join(_measured(way, number, merchants) for number, way in enumerate(WAYS))


def _measured(way: Way, number: int, merchants: list[Merchant]) -> str:
    name, currency = way.credentials["format"], way.credentials["currency"]
    account = bank_account(way.credentials)
    _fill(way, number, merchants, account.pk)
    began = time.perf_counter()
    batch = gathered(account, currency)
    between = time.perf_counter()
    batch = release(batch)
    written = time.perf_counter()
    content = handed_over(batch)
    ended = time.perf_counter()
    _require_all(batch, content)
    seconds = ended - began
    assert SHORT or seconds < MOST_S, f"{name}: {seconds:.1f} s"
    steps = f"gathered in {between - began:.1f} s, released in {written - between:.1f} s"
    return (
        f"withdrawals into a file, {name}, {batch.count:,}: {steps}, handed over in {ended - written:.1f} s: "
        f"{batch.count / seconds:,.0f}/s"
    )


@transaction.atomic
def _fill(way: Way, number: int, merchants: list[Merchant], account: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            _QUEUED,
            {
                "merchants": [one.pk for one in merchants],
                "account": account,
                "rail": way.rail,
                "currency": way.credentials["currency"],
                "sealed": seal(json.dumps(way.destination).encode()),
                "first": number * WITHDRAWALS + 1,
                "last": (number + 1) * WITHDRAWALS,
            },
        )


def _require_all(batch: PayoutBatch, content: bytes) -> None:
    numbers = set(BatchOrder.objects.filter(batch=batch).values_list("number", flat=True))
    assert len(numbers) == WITHDRAWALS == batch.count
    if batch.format == BY_CNAB["format"]:
        assert {one.number for one in orders_of(content)} == numbers
    else:
        assert all(number.encode() in content for number in numbers)
    assert Withdrawal.objects.filter(account=batch.account_id, sent_times=1).count() == WITHDRAWALS
