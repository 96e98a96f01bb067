"""What is always true of idempotency keys."""

from ledger.verify import invariant

invariant(
    "I12",
    "a key that is kept has its answer",
    "SELECT id, merchant_id, key FROM gateway_idempotencykey WHERE status IS NULL OR sealed_body IS NULL",
)
