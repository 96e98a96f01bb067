"""The filters of the payment list, in the URL: can be saved, shared and reopened."""

from datetime import UTC, datetime, timedelta
from datetime import timezone as fixed
from typing import Any
from urllib.parse import parse_qsl

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from gateway.dashboard.amounts import ExactAmountField, in_currency
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.payments.columns import COLUMNS, USUAL, PaymentColumn
from gateway.dashboard.periods import FIRST, LAST, usual_periods
from gateway.dashboard.saved_views.lists import kept
from gateway.dashboard.words import METHOD, STATUS
from gateway.methods.failures import FAILURE
from gateway.methods.models import CURRENCIES
from gateway.methods.registry import Method
from gateway.payments.models import Status
from gateway.payments.search import Search

_MINUTE = timedelta(minutes=1)
_NO_ZONE = fixed(timedelta(), "as written")
"""Stands for the zone of minutes without one."""
PLACE = ("after", "before", "view")
"""Cursor parameters, which are not part of a filter."""


class MomentField(forms.DateTimeField):
    """A minute in the reader's zone.

    Where clocks are put back, the first of two minutes of this name, with `last` the second; where they are put
    forward, the moment at which they are.
    """

    def __init__(self, *, last: bool = False, **options: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        self.last = last
        super().__init__(widget=widget, required=False, **options)

    def to_python(self, value: Any) -> datetime | None:
        with timezone.override(_NO_ZONE):
            moment = super().to_python(value)
        if moment is None:
            return None
        if not FIRST <= moment.date() <= LAST:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        if moment.tzinfo is _NO_ZONE:
            moment = moment.replace(tzinfo=timezone.get_current_timezone(), fold=int(self.last))
        return moment.astimezone(UTC)


class PaymentFilterForm(DashboardForm):
    """Everything is optional; an invalid filter is reported and ignored."""

    q = forms.CharField(
        label=_("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(
            attrs={"type": "search", "placeholder": _("Id, reference, name, tax id, e-mail, last 4, amount")}
        ),
    )
    status = forms.MultipleChoiceField(
        label=_("Status"),
        required=False,
        choices=[(status, STATUS[status][0]) for status in Status.values],
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
    )
    method = forms.MultipleChoiceField(
        label=_("Method"),
        required=False,
        choices=[(method, METHOD[method]) for method in Method.values],
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
    )
    currency = forms.ChoiceField(label=_("Currency"), required=False, choices=[("", _("Any")), *CURRENCIES])
    least = ExactAmountField(label=_("Amount from"), required=False)
    most = ExactAmountField(label=_("Amount to"), required=False)
    since = MomentField(label=_("Created from"))
    until = MomentField(label=_("Created to"), last=True)
    paid_since = MomentField(label=_("Paid from"))
    paid_until = MomentField(label=_("Paid to"), last=True)
    failure = forms.ChoiceField(label=_("Why it failed"), required=False, choices=[("", _("Any")), *FAILURE.items()])
    warning = forms.BooleanField(label=_("With a warning"), required=False)
    refunds = forms.BooleanField(label=_("With refunds"), required=False)
    customer = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    columns = forms.MultipleChoiceField(
        label=_("Columns"), required=False, choices=[(column.name, column.title) for column in COLUMNS]
    )

    def __init__(self, query: QueryDict, now: datetime) -> None:
        self.query, self.now = query, now
        super().__init__(query)
        in_currency(self, least=query.get("currency"), most=query.get("currency"))
        self.is_valid()

    @property
    def search(self) -> Search:
        given = self.cleaned_data
        return Search(
            text=given.get("q", ""),
            statuses=tuple(given.get("status", ())),
            methods=tuple(given.get("method", ())),
            currency=given.get("currency") or None,
            amount_from=given.get("least"),
            amount_to=given.get("most"),
            created_from=given.get("since"),
            created_to=_end(given.get("until")),
            paid_from=given.get("paid_since"),
            paid_to=_end(given.get("paid_until")),
            failure_code=given.get("failure") or None,
            has_warning=given.get("warning", False),
            has_refunds=given.get("refunds", False),
            customer_id=given.get("customer") or None,
        )

    @property
    def shown(self) -> list[PaymentColumn]:
        """The selected columns, else the default ones."""
        chosen = self.cleaned_data.get("columns") or USUAL
        return [column for column in COLUMNS if column.name in chosen]

    @property
    def choosable(self) -> list[tuple[str, Any, bool]]:
        """All columns: name, title and whether it is shown."""
        shown = {column.name for column in self.shown}
        return [(column.name, column.title, column.name in shown) for column in COLUMNS]

    @property
    def beside_columns(self) -> list[tuple[str, str]]:
        """The rest of the query, for the form that selects columns."""
        return [pair for pair in parse_qsl(kept(self.query)) if pair[0] != "columns"]

    @property
    def plain(self) -> list[forms.BoundField]:
        """The text and choice fields of the panel."""
        return [
            self[name]
            for name in ("currency", "least", "most", "since", "until", "paid_since", "paid_until", "failure")
        ]

    @property
    def switches(self) -> list[forms.BoundField]:
        return [self["warning"], self["refunds"]]

    @property
    def periods(self) -> list[tuple[str, str, str]]:
        """The usual periods: label, first and last minute."""
        return [
            (str(title), f"{period.days[0]}T00:00", f"{period.days[-1]}T23:59")
            for title, period in usual_periods(self.now)
        ]

    @property
    def narrows(self) -> bool:
        return any(value for name, value in self.cleaned_data.items() if name != "columns")

    @property
    def panel_is_open(self) -> bool:
        """Whether a collapsed field has a value."""
        seen = ("q", "status", "columns", "customer")
        return any(value for name, value in self.cleaned_data.items() if name not in seen) or bool(self.errors)


def _end(minute: datetime | None) -> datetime | None:
    """The end of a minute."""
    return minute + _MINUTE if minute else None
