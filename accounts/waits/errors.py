"""Refusals during a waiting period."""

from datetime import datetime

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class WithdrawalsWait(Refusal):
    """`until` is part of the message, in UTC."""

    code = "ONP403_WITHDRAWALS_WAIT"
    message = _(
        "Production withdrawals are on hold until the time given here, because support changed who may "
        "withdraw or from where."
    )
    advice = _(
        "Wait until then, or have an owner who was not part of the change lift the waiting period in the dashboard."
    )

    def __init__(self, until: datetime) -> None:
        super().__init__()
        self.until = f"{until:%Y-%m-%dT%H:%M:%SZ}"

    def body(self) -> dict[str, object]:
        changed = "Support changed who may withdraw, or from where"
        return super().body() | {"message": f"{changed}: production withdrawals wait until {self.until}."}


class WaitStands(Refusal):
    code = "ONP403_WAIT_STANDS"
    message = _(
        "Only an owner who was already an owner before the change, and whom it did not affect, can lift the "
        "waiting period."
    )
    advice = _("Ask another owner, or wait until it ends.")
