"""What is said about receivables."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ledger.receivables.models import State

STATE_SENTENCE: dict[str, Promise] = {
    State.SCHEDULED: _("Becomes available on its day."),
    State.RESERVED_FOR_ADVANCE: _("Is kept for an advance that is under review."),
    State.ADVANCED: _("Became available before its day, for a fee."),
    State.RELEASED: _("Became available on its day."),
    State.CANCELED: _("Was refunded before its day."),
}
