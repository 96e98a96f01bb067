"""Invariants of idempotency keys."""

from gateway.requests.models import IdempotencyKey
from ledger.verify import invariant

invariant(
    "I12",
    "a key that is kept has its answer, or what it began",
    over={
        IdempotencyKey: """
    SELECT id, merchant_id, key FROM part
     WHERE (status IS NULL) <> (sealed_body IS NULL) OR (status IS NULL AND resource_id IS NULL)
    """
    },
)
