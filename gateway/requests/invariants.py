"""Invariants of idempotency keys."""

from accounts.base.rows import table
from gateway.requests.models import IdempotencyKey
from ledger.verify import invariant

invariant(
    "I12",
    "a key that is kept has its answer, or what it began",
    f"""
    SELECT id, merchant_id, key FROM {table(IdempotencyKey)}
     WHERE (status IS NULL) <> (sealed_body IS NULL) OR (status IS NULL AND resource_id IS NULL)
    """,
)
