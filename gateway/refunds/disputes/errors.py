"""Why a dispute is not booked."""


class DoesNotFit(Exception):
    """The dispute does not fit its payment now. `reason` is for staff."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
