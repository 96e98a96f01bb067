"""Why an account cannot send yet after a restore. An operator on the host reads them."""

from datetime import datetime


class NotRestored(Exception):
    """The account waits for nothing."""


class NotListedYet(Exception):
    """Its institution may not list yet what it was told last."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"Its institution lists the last orders by {until:%Y-%m-%d %H:%M:%S} UTC: try again then.")
