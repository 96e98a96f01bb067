"""The audit log of a company: who did what, when and from where."""

from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts import audit, joining
from accounts.audit_words import ACTION, action_title, sentence
from accounts.base.csv_export import CsvColumn, csv_of, timed
from accounts.base.wire import dumps
from accounts.models import AuditEntry
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.audit.words import MONEY, changes, is_about_money, place
from gateway.dashboard.context import RequestContext
from gateway.dashboard.paging import in_chunks, page_of
from gateway.dashboard.periods import DaysForm

SUPPORT = "support"
IN_THE_FEED = 8


class AuditFilterForm(DaysForm):
    """By person, action and period; days are those of the reader."""

    who = forms.ChoiceField(label=gettext_lazy("Person"), required=False)
    action = forms.ChoiceField(label=gettext_lazy("What was done"), required=False)

    object_id = forms.CharField(
        label=gettext_lazy("Object"), required=False, max_length=254, widget=forms.TextInput({"placeholder": "pay_…"})
    )

    def __init__(self, here: RequestContext, *args: Any) -> None:
        super().__init__(*args)
        people = [(str(one.user_id), one.user.email) for one in joining.team(here.company)]
        actions = ((action, str(title)) for action, title in ACTION.items() if may_read(here, action))
        done = sorted(actions, key=lambda one: one[1])
        self.fields["who"].choices = [("", _("Everyone")), *people, (SUPPORT, _("Support"))]  # type: ignore[attr-defined]
        self.fields["action"].choices = [("", _("Everything")), *done]  # type: ignore[attr-defined]

    def entries(self, here: RequestContext) -> QuerySet[AuditEntry]:
        """The matching entries; an invalid filter is reported and ignored."""
        days = self.filters()
        who = self.cleaned_data.get("who", "")
        return audit.entries(
            here.company,
            actor_id=int(who) if who.isdecimal() else None,
            by_staff=who == SUPPORT,
            action=self.cleaned_data.get("action", ""),
            subjects=subjects(here),
            object_id=self.cleaned_data.get("object_id", ""),
            **days,
        )


def subjects(here: RequestContext) -> tuple[str, ...]:
    """Types of object about which this person reads; empty: all."""
    return () if here.may(May.READ_AUDIT) else MONEY


def may_read(here: RequestContext, action: str) -> bool:
    return here.may(May.READ_AUDIT) or is_about_money(action)


def feed(here: RequestContext) -> list[tuple[AuditEntry, str, str | None]]:
    """The last actions of the team in this environment, as sentences."""
    if not here.may(May.READ_TRAIL):
        return []
    found = audit.entries(here.company, subjects=subjects(here)).filter(by_staff=False, actor__isnull=False)
    found = found.filter(Q(merchant=here.merchant) | Q(merchant=None))[:IN_THE_FEED]
    return [(one, sentence(_name(one), one.action), place(here, one)) for one in found]


def _name(entry: AuditEntry) -> str:
    """The person's name, else the e-mail address."""
    return (entry.actor.get_full_name() if entry.actor else "") or who(entry)


@require_safe
@page_view(May.READ_TRAIL)
def log(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    """One page of matching entries; with `?format=csv` all of them as a file."""
    filters = AuditFilterForm(here, request.GET)
    found = filters.entries(here)
    if request.GET.get("format") == "csv":
        name = f"{slugify(_('Audit log'))}-{timezone.localtime(here.now):%Y-%m-%d}"
        return csv_of(name, _columns(), in_chunks(found))
    page = page_of(found, request.GET)
    rows = [(entry, who(entry), action_title(entry.action), place(here, entry), changes(entry)) for entry in page.rows]
    is_filtered = any(filters.cleaned_data.values())
    return here.render(
        "audit/list.html",
        filters=filters,
        page=page,
        rows=rows,
        is_filtered=is_filtered,
        is_whole=here.may(May.READ_AUDIT),
    )


def who(entry: AuditEntry) -> str:
    """The person's e-mail; staff are anonymous here."""
    if entry.by_staff:
        return _("Support")
    return entry.actor.email if entry.actor else _("The service")


def address(entry: AuditEntry) -> str | None:
    return None if entry.by_staff else entry.address


def _columns() -> list[CsvColumn[AuditEntry]]:
    return [
        (timed(_("Time")), lambda entry: entry.created_at),
        (_("Person"), who),
        (_("Action"), lambda entry: entry.action),
        (_("What was done"), lambda entry: action_title(entry.action)),
        (_("Object"), lambda entry: entry.object_id),
        (_("Environment"), lambda entry: entry.merchant.environment if entry.merchant else None),
        (_("Before"), lambda entry: _json(entry.before)),
        (_("After"), lambda entry: _json(entry.after)),
        (_("IP address"), address),
        ("RequestId", lambda entry: entry.request_id),
    ]


def _json(value: Any) -> str | None:
    return dumps(value).decode() if value else None
