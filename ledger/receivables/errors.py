"""What receivables and advances refuse."""

from accounts.base.errors import Refusal


class ReceivableState(Refusal):
    code = "ONP409_RECEIVABLE_STATE"
    message = "A receivable is not in a state that allows this."
    advice = "Only money that is scheduled, not yet due and open to advances can be advanced: ask for a new quote."


class AdvanceState(Refusal):
    code = "ONP409_ADVANCE_STATE"
    message = "The advance was decided before."
    advice = "Look the advance up; a decision does not change."


class AdvanceDisabled(Refusal):
    code = "ONP403_ADVANCE_DISABLED"
    message = "Advances are not enabled for this company."
    advice = "Ask support to enable them."


class AdvanceTooSmall(Refusal):
    code = "ONP422_ADVANCE_AMOUNT_TOO_SMALL"
    message = "The advance is below the minimum, or does not cover its fee."
    advice = "Choose more receivables, or such that are released later."
