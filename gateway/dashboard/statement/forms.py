"""The form of a statement: wallet, bucket, and days of the reader."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from accounts.base import clock
from accounts.models import Merchant
from gateway.dashboard.balance.forms import DAYS, WalletForm, currency_of, local_day
from gateway.dashboard.balance.words import BUCKET, CAUSE
from gateway.dashboard.currencies import put_in_order
from gateway.dashboard.periods import DayField, begin, end
from ledger.chart import BUCKETS, AccountKind
from ledger.wallets.explain import Cause


class StatementForm(WalletForm):
    """The bucket, days and cause of a statement."""

    bucket = forms.ChoiceField(
        label=gettext_lazy("Part of the balance"), choices=[(kind, BUCKET[kind]) for kind in BUCKETS]
    )
    cause = forms.ChoiceField(
        label=gettext_lazy("Type"), choices=[("", gettext_lazy("All types")), *CAUSE.items()], required=False
    )

    def __init__(self, merchant: Merchant, query: QueryDict) -> None:
        given = query.copy()
        given["currency"] = currency_of(merchant, query.get("currency"))
        given.setdefault("bucket", AccountKind.AVAILABLE)
        if "from" not in query and "to" not in query:
            today = local_day(clock.now(merchant))
            given["from"], given["to"] = str(today - timedelta(days=DAYS - 1)), str(today)
        super().__init__(given)
        put_in_order(merchant, self, "currency")
        self.fields["from"] = DayField(label=gettext_lazy("From"), required=False)
        self.fields["to"] = DayField(label=gettext_lazy("To"), required=False)
        for name in ("from", "to"):
            self.fields[name].widget.attrs["class"] = "form-control"


@dataclass(frozen=True, slots=True)
class Days:
    """A statement to show. `first` and `last` are days of the reader, both inclusive; None: no limit.

    It ends at `now` at the latest: later postings are in the next one.
    """

    currency: str
    bucket: AccountKind
    cause: Cause | None
    first: date | None
    last: date | None
    now: datetime

    @property
    def since(self) -> datetime | None:
        return begin(self.first) if self.first else None

    @property
    def until(self) -> datetime:
        """Exclusive."""
        behind = self.now + timedelta(milliseconds=1)
        return min(end(self.last), behind) if self.last else behind


def days(merchant: Merchant, query: QueryDict) -> tuple[StatementForm, Days | None]:
    """The selection and its form; None if it is invalid."""
    form = StatementForm(merchant, query)
    if not form.is_valid():
        return form, None
    given = form.cleaned_data
    cause = Cause(given["cause"]) if given["cause"] else None
    now = clock.now(merchant)
    return form, Days(given["currency"], AccountKind(given["bucket"]), cause, given["from"], given["to"], now)
