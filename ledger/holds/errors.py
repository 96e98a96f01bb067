"""What holds refuse."""

from accounts.base.errors import Refusal


class HoldEnded(Refusal):
    code = "ONP409_HOLD_STATE"
    message = "The block has ended before."
    advice = "Look the block up; what has ended stays so."
