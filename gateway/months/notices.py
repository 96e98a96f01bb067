"""The e-mail about a sealed month: its sums, its seal, and where its files are. Files are not attached."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.notices import is_notified, notify
from gateway.months import selectors
from gateway.months.figures import CATEGORY, Category
from gateway.months.models import Month
from ledger.closings.models import TOTAL
from ledger.notation import in_market


def sealed(month: Month) -> None:
    """Sent to those whom the company chose, in their language."""
    merchant = month.merchant
    emails = [user.email for user in selectors.readers(merchant)]
    if not emails or not is_notified(merchant):
        return
    with in_market(merchant.company.country):
        notify(
            merchant.company,
            (),
            _("a month was closed"),
            "month_sealed",
            "month",
            args=(month.label,),
            environment=merchant.environment,
            also=emails,
            month=month,
            wallets=[
                (currency, known["opening"][TOTAL], _moved(known), known["ending"][TOTAL])
                for currency, known in selectors.sealed(month)["wallets"].items()
            ],
        )


def _moved(known: dict[str, Any]) -> list[tuple[Any, int]]:
    moved = known["movements"]
    return [(CATEGORY[one], moved[one]["minor"]) for one in Category if moved[one]["count"]]
