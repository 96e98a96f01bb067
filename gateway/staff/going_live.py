"""Taking a company live: what is missing, and all terms of its production on one page with one decision."""

from decimal import Decimal
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from accounts.models import Company, Environment, Merchant
from accounts.proposals.kinds import KINDS
from gateway.overview.proposals import AMOUNTS, FEATURES, GoLive, changed_terms, faults_of, terms_now
from gateway.overview.readiness import Readiness, readiness
from gateway.payments.models import Payment
from gateway.providers.models import ProviderRoute
from gateway.staff.kit.amounts import StaffAmountField
from gateway.staff.kit.columns import address
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import TWO_PEOPLE, StaffAdmin
from gateway.withdrawals.models import Withdrawal

GO_LIVE = ("go_live",)
TITLES = {
    "enabled": gettext_lazy("On"), "minimum": gettext_lazy("Minimum"), "maximum": gettext_lazy("Maximum"),
    "percentage": gettext_lazy("Per cent"), "fixed": gettext_lazy("Fixed"), "settlement_days": gettext_lazy("Days"),
    "fee_percentage": gettext_lazy("Per cent"), "fee_fixed": gettext_lazy("Fixed"),
}  # fmt: skip


class Missing(NamedTuple):
    """Something that production lacks, and where it is done."""

    what: str
    where: str


class GoLiveForm(NoteForm):
    """A field for each term, `methods:PIX BRL:minimum`, with what applies; what the sandbox used is on already."""

    def __init__(self, production: Merchant, used: dict[str, set[str]], data: Any = None) -> None:
        super().__init__(data)
        self.production, self.used, self.now = production, used, terms_now(production)
        for part in ("methods", "rails"):
            for pair, terms in self.now[part].items():
                for name, value in terms.items():
                    field = _field(name)
                    field.initial = value or (pair in used[part] if name == "enabled" else value)
                    field.widget.attrs["aria-label"] = f"{pair}: {TITLES[name]}"
                    self.fields[f"{part}:{pair}:{name}"] = field
        for name, label in FEATURES.items():
            self.fields[f"features:{name}"] = forms.BooleanField(
                label=label, required=False, initial=self.now["features"][name], widget=UnfoldBooleanSwitchWidget
            )

    def rows(self, part: str) -> list[tuple[str, bool, list[forms.BoundField]]]:
        return [
            (pair, pair in self.used[part], [self[f"{part}:{pair}:{name}"] for name in terms])
            for pair, terms in self.now[part].items()
        ]

    @property
    def tables(self) -> list[tuple[str, list[Promise], Any]]:
        named = {"methods": _("Payment methods"), "rails": _("Payout rails")}
        return [
            (title, [TITLES[name] for name in next(iter(self.now[part].values()))], self.rows(part))
            for part, title in named.items()
        ]

    @property
    def features(self) -> list[forms.BoundField]:
        return [self[f"features:{name}"] for name in FEATURES]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if not self.errors:
            self.changes = changed_terms(self.production, self._wanted(given))
            if not any(self.changes.values()):
                self.add_error(None, _("Nothing differs from what applies now."))
            for fault in faults_of(self.production, self.changes):
                pair, _space, name = fault.field.rpartition(" ")
                part = "methods" if f"methods:{pair}:{name}" in self.fields else "rails"
                known = f"{part}:{pair}:{name}"
                self.add_error(known if known in self.fields else None, fault.in_words())
        return given

    def _wanted(self, given: dict[str, Any]) -> dict[str, dict[str, Any]]:
        wanted: dict[str, Any] = {
            part: {
                pair: {name: _plain(given[f"{part}:{pair}:{name}"]) for name in terms}
                for pair, terms in self.now[part].items()
            }
            for part in ("methods", "rails")
        }
        return wanted | {"features": {name: given[f"features:{name}"] for name in FEATURES}}


def _field(name: str) -> forms.Field:
    if name == "enabled":
        return forms.BooleanField(required=False, widget=UnfoldBooleanSwitchWidget)
    if name == "settlement_days":
        return forms.IntegerField(min_value=0, widget=UnfoldAdminTextInputWidget)
    if name in AMOUNTS:
        return StaffAmountField("0", decimals=8, widget=UnfoldAdminTextInputWidget)
    return forms.DecimalField(min_value=0, max_value=100, widget=UnfoldAdminTextInputWidget)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return value


class GoingLive(StaffAdmin):
    """One page, one note, one proposal that a second person confirms."""

    actions_detail: ClassVar[Any] = GO_LIVE

    def has_go_live_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(GoLive.permission)

    @action(description="Go live", permissions=["go_live"], icon="rocket_launch")
    def go_live(self, request: HttpRequest, object_id: str) -> HttpResponse:
        company, kind = self.record(request, object_id), KINDS[GoLive.name]
        production = Merchant.objects.select_related("company").get(company=company, environment=Environment.PRODUCTION)
        form = GoLiveForm(production, used_in_sandbox(company), request.POST if request.method == "POST" else None)
        if form.is_valid():
            return self.put(request, company, kind, form.changes, form.cleaned_data["note"])
        title = _("Take %(company)s live") % {"company": company}
        shown = {
            "opts": self.model._meta, "original": company, "title": title, "form": form,
            "missing": missing(readiness(production), company),
            "sentence": f"{kind.sentence(production, {})} {TWO_PEOPLE}",
        }  # fmt: skip
        return TemplateResponse(request, "admin/going_live.html", {**self.admin_site.each_context(request), **shown})


def used_in_sandbox(company: Company) -> dict[str, set[str]]:
    """Methods and rails that the company has tried."""
    sandbox = {"merchant__company": company, "merchant__environment": Environment.SANDBOX}
    paid = Payment.objects.filter(**sandbox).order_by().values_list("method", "currency").distinct()
    sent = Withdrawal.objects.filter(**sandbox).order_by().values_list("rail", "currency").distinct()
    return {"methods": {" ".join(pair) for pair in paid}, "rails": {" ".join(pair) for pair in sent}}


def missing(found: Readiness, company: Company) -> list[Missing]:
    """What somebody must still do, each with the page for it."""
    here = address(Company, "change", company.pk)
    routes = address(ProviderRoute, "changelist")
    lacking = [
        Missing(_("%(pair)s has no provider: set a route") % {"pair": " ".join(pair)}, routes)
        for pair in (*found.unconnected, *(found.unpaid_rails or ()))
    ]
    return [
        *([] if found.is_verified else [Missing(_("The company is not verified: decide about its documents"), here)]),
        *lacking,
        *([] if found.has_endpoint else [Missing(_("No webhook endpoint in production: the company adds it"), here)]),
        *([] if found.has_key else [Missing(_("No live key: the company issues it"), here)]),
    ]
