"""Refusals about batches of withdrawals."""

from accounts.base.errors import Refusal


class BatchUnknown(Refusal):
    code = "ONP404_PAYOUT_BATCH"
    message = "There is no such batch of withdrawals."
    advice = "Look it up in the list."


class NothingToGather(Refusal):
    code = "ONP409_PAYOUT_BATCH_EMPTY"
    message = "No withdrawal waits for a file of this account and day."
    advice = "Withdrawals of suspended companies wait, and so do those that are in another batch."


class NotPaidByFile(Refusal):
    code = "ONP409_PAYOUT_BATCH_ACCOUNT"
    message = "The account is not active, or is not told by file what to pay."
    advice = "Choose an active production account of a provider that pays by file."


class BatchState(Refusal):
    code = "ONP409_PAYOUT_BATCH_STATE"
    message = "The state of the batch does not allow this."
    advice = "Read its state, and choose an action that it allows. A file that was handed over is not given out again."


class BatchChanged(Refusal):
    code = "ONP409_PAYOUT_BATCH_CHANGED"
    message = "Withdrawals of the batch can no longer be paid as they were gathered."
    advice = "Cancel the batch and gather a new one: what can still be paid will be in it."


class FileUnwritable(Refusal):
    code = "ONP422_PAYOUT_BATCH_FILE"
    message = "The file cannot be written."
    advice = "Cancel the batch. Record the outcome of the withdrawal that is named; the others go into a new batch."
