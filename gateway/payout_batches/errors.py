"""Refusals about batches of withdrawals."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class BatchUnknown(Refusal):
    code = "ONP404_PAYOUT_BATCH"
    message = _("There is no such batch of withdrawals.")
    advice = _("Look it up in the list.")


class NothingToGather(Refusal):
    code = "ONP409_PAYOUT_BATCH_EMPTY"
    message = _("No withdrawal waits for a file of this account and day.")
    advice = _("Withdrawals of suspended companies wait, and so do those that are in another batch.")


class NotPaidByFile(Refusal):
    code = "ONP409_PAYOUT_BATCH_ACCOUNT"
    message = _("The account is not active, or is not told by file what to pay.")
    advice = _("Choose an active production account of a provider that pays by file.")


class BatchState(Refusal):
    code = "ONP409_PAYOUT_BATCH_STATE"
    message = _("The state of the batch does not allow this.")
    advice = _(
        "Read its state, and choose an action that it allows. A file that was handed over is not given out again."
    )


class BatchChanged(Refusal):
    code = "ONP409_PAYOUT_BATCH_CHANGED"
    message = _("Withdrawals of the batch can no longer be paid as they were gathered.")
    advice = _("Cancel the batch and gather a new one: what can still be paid will be in it.")


class FileUnwritable(Refusal):
    code = "ONP422_PAYOUT_BATCH_FILE"
    message = _("The file cannot be written.")
    advice = _("Cancel the batch. Record the outcome of the withdrawal that is named; the others go into a new batch.")
