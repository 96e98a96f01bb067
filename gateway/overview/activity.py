"""Incoming payments and refunds."""

from dataclasses import dataclass

from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.payments.figures import Paid, VolumeFigure, volumes
from gateway.refunds.selectors import GivenBack, given_back


@dataclass(frozen=True, slots=True)
class Activity:
    """The payments of one currency in a period, day by day, and the refunds completed in it.

    Minor units.
    """

    volume: VolumeFigure
    refunds: GivenBack

    @property
    def net(self) -> int:
        """What remains after fees and refunds. Fees are not refunded."""
        return self.volume.total.net - self.refunds.amount


def activity(merchant: Merchant, period: Period) -> dict[str, Activity]:
    """By currency, ordered by code; currencies without payments and refunds are left out."""
    paid, back = volumes(merchant, period), given_back(merchant, period)
    nothing = VolumeFigure({day: Paid() for day in period.days})
    return {
        currency: Activity(paid.get(currency, nothing), back.get(currency, GivenBack()))
        for currency in sorted({*paid, *back})
    }
