"""Forms that select a balance or statement: wallet, bucket, and a period in the reader's zone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.base import clock
from accounts.models import Merchant
from gateway.dashboard.balance.words import BUCKET, TOTAL
from gateway.dashboard.currencies import put_in_order
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.periods import begin
from ledger.chart import BUCKETS, WALLET_METHOD, AccountKind
from ledger.wallets.selectors import holdings

DAYS = 7
"""The default period: today and the days before."""
WALLETS = [(code, code) for code in WALLET_METHOD]
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


class InstantField(forms.DateTimeField):
    """A time in the reader's zone, to the second, or with its own zone, as in links."""

    def __init__(self, **options: Any) -> None:
        options["widget"] = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"})
        options["validators"] = [MinValueValidator(EARLIEST), MaxValueValidator(LATEST)]
        super().__init__(required=False, **options)


class WalletForm(DashboardForm):
    """`from` is no name that Python allows for a field."""

    currency = forms.ChoiceField(label=gettext_lazy("Wallet"), choices=WALLETS)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        since, until = given.get("from"), given.get("to") or given.get("at")
        if since and until and since > until:
            self.add_error("from", _("The start is after the end."))
        return given


class ExplainForm(WalletForm):
    """The balance to explain, its instant, and the start of the explanation."""

    bucket = forms.ChoiceField(label=gettext_lazy("Part of the balance"), choices=[*BUCKET.items()])

    def __init__(self, merchant: Merchant, query: QueryDict) -> None:
        self.now = clock.now(merchant)
        given = query.copy()
        given["currency"] = currency_of(merchant, query.get("currency"))
        given.setdefault("bucket", AccountKind.AVAILABLE)
        super().__init__(given)
        put_in_order(merchant, self, "currency")
        self.fields["from"] = InstantField(label=gettext_lazy("From (empty: the beginning)"))
        self.fields["at"] = InstantField(label=gettext_lazy("At (empty: now)"))
        for name in ("from", "at"):
            self.fields[name].widget.attrs["class"] = "form-control"

    def clean_at(self) -> datetime | None:
        at: datetime | None = self.cleaned_data["at"]
        if at and at > self.now:
            raise forms.ValidationError(_("This time is in the future."))
        return at


@dataclass(frozen=True, slots=True)
class ExplainedInstant:
    """A balance to explain. `since` None: from the beginning; both instants are inclusive."""

    currency: str
    bucket: str
    at: datetime
    since: datetime | None
    is_now: bool

    @property
    def buckets(self) -> Sequence[AccountKind]:
        return BUCKETS if self.bucket == TOTAL else (AccountKind(self.bucket),)


def instant(merchant: Merchant, query: QueryDict) -> tuple[ExplainForm, ExplainedInstant | None]:
    """The selection and its form; None if it is invalid."""
    form = ExplainForm(merchant, query)
    if not form.is_valid():
        return form, None
    given = form.cleaned_data
    at = given["at"] or form.now
    since = given["from"] if "from" in query else min(begin(local_day(at) - timedelta(days=DAYS - 1)), at)
    form.data["from"], form.data["at"] = _shown(since), _shown(given["at"])  # type: ignore[index]
    return form, ExplainedInstant(given["currency"], given["bucket"], at, since, is_now=given["at"] is None)


def periods(now: datetime) -> list[tuple[str, date | None, date]]:
    """Common periods: label, first and last day."""
    today = local_day(now)
    this_month = today.replace(day=1)
    last_month = this_month - timedelta(days=1)
    return [
        (_("Today"), today, today),
        (_("7 days"), today - timedelta(days=6), today),
        (_("30 days"), today - timedelta(days=29), today),
        (_("This month"), this_month, today),
        (_("Last month"), last_month.replace(day=1), last_month),
        (_("Everything"), None, today),
    ]


def currency_of(merchant: Merchant, asked: str | None) -> str:
    """The selected wallet, else the first one that the merchant has used."""
    if asked in WALLET_METHOD:
        return asked
    used = holdings(merchant).used
    return next((code for code in WALLET_METHOD if code in used), next(iter(WALLET_METHOD)))


def local_day(moment: datetime) -> date:
    return timezone.localtime(moment).date()


def _shown(moment: datetime | None) -> str:
    """In the format of the browser's field, without a zero fraction."""
    if moment is None:
        return ""
    local = timezone.make_naive(moment)
    return local.isoformat(timespec="milliseconds" if local.microsecond else "seconds")
