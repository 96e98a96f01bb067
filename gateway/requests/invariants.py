"""What is always true of idempotency keys."""

from ledger.verify import invariant

invariant(
    "I12",
    "a key that is kept has its answer, or what it began",
    """
    SELECT id, merchant_id, key FROM gateway_idempotencykey
     WHERE (status IS NULL) <> (sealed_body IS NULL) OR (status IS NULL AND resource_id IS NULL)
    """,
)
