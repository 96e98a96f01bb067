"""What came in and what went back."""

from dataclasses import dataclass

from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.payments.figures import Paid, VolumeFigure, volumes
from gateway.refunds.selectors import GivenBack, given_back


@dataclass(frozen=True, slots=True)
class Activity:
    """What was paid in one currency in a period, day by day, and what of it or of earlier payments was given back.

    Minor units.
    """

    volume: VolumeFigure
    refunds: GivenBack

    @property
    def net(self) -> int:
        """What stayed, after fees and refunds. Fees are not given back."""
        return self.volume.total.net - self.refunds.amount


def activity(merchant: Merchant, period: Period) -> dict[str, Activity]:
    """By currency, in the order of their codes; a currency in which nothing was paid or given back is left out."""
    paid, back = volumes(merchant, period), given_back(merchant, period)
    nothing = VolumeFigure({day: Paid() for day in period.days})
    return {
        currency: Activity(paid.get(currency, nothing), back.get(currency, GivenBack()))
        for currency in sorted({*paid, *back})
    }
