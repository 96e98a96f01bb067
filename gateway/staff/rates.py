"""Currency rates: staff read, enter and withdraw them."""

from decimal import Context, Decimal
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminDecimalFieldWidget, UnfoldAdminSelectWidget, UnfoldBooleanWidget

from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals import services as proposals
from accounts.proposals.kinds import KINDS
from gateway.staff.kit import refusals
from gateway.staff.kit.columns import Colored, InWords, address, moment, related, titled, unbroken
from gateway.staff.kit.forms import NoteField
from gateway.staff.kit.pages import TWO_PEOPLE, Done, EnteredAdmin
from gateway.staff.overview.panels import BAD, Panel, PanelTable
from ledger.money import DECIMALS
from ledger.rates import services as rates
from ledger.rates.models import BASE, Rate
from ledger.rates.proposals import StaffRate
from ledger.rates.services import FARTHEST_JUMP, compared_with, is_far

TEN_DIGITS = Context(prec=10)
HOLDS_FOR = {"5": _("5 minutes"), "60": _("1 hour"), "480": _("8 hours"), "1440": _("24 hours")}
"""Minutes, as in the form."""
VALID, EXPIRED = InWords("valid", _("valid")), InWords("expired", _("expired"))


def for_one_real(currency: str, per_real: Decimal) -> str:
    return f"1 {BASE} = {per_real.normalize():f} {currency}"


def for_one_unit(currency: str, per_real: Decimal) -> str:
    return f"1 {currency} = {TEN_DIGITS.divide(Decimal(1), per_real).normalize():,f} {BASE}"


def both_ways(currency: str, per_real: Decimal) -> str:
    return gettext("%(rate)s, so %(inverse)s") % {
        "rate": for_one_real(currency, per_real),
        "inverse": for_one_unit(currency, per_real),
    }


class RateForm(forms.ModelForm):
    """A rate entered by staff. One far from the last known is taken for a mistake unless it is confirmed."""

    refused: Refusal | None = None
    currency = forms.ChoiceField(
        choices=[("", "---------"), *((code, code) for code in DECIMALS if code != BASE)],
        widget=UnfoldAdminSelectWidget,
    )
    per_real = forms.DecimalField(
        label=format_lazy(_("1 {currency} is worth"), currency=BASE),
        min_value=Decimal(1).scaleb(-15),
        max_digits=28,
        decimal_places=15,
        widget=UnfoldAdminDecimalFieldWidget,
        help_text=format_lazy(
            _("In the chosen currency, for example 0.1834 for USD if 1 USD = 5.4526 {currency}"), currency=BASE
        ),
    )
    holds_for = forms.ChoiceField(
        label="Valid for", choices=list(HOLDS_FOR.items()), widget=UnfoldAdminSelectWidget, initial="60"
    )
    note = NoteField()
    confirmed = forms.BooleanField(
        label="I have checked this rate against the market",
        required=False,
        widget=UnfoldBooleanWidget,
        help_text=format_lazy(
            _("Required if it is more than {share} away from the known rates, or if none is known"),
            share=f"{FARTHEST_JUMP:.0%}",
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.refused:
            self.add_error(None, refusals.in_words(self.refused))
        if {"currency", "per_real"} <= set(cleaned) and not cleaned.get("confirmed"):
            self._compare(cleaned["currency"], cleaned["per_real"])
        return cleaned

    def _compare(self, currency: str, per_real: Decimal) -> None:
        known, entered = compared_with(currency), both_ways(currency, per_real)
        if not known:
            told = gettext("%(rate)s. No other rate of %(currency)s is known. Is this correct?")
            self.add_error("confirmed", told % {"rate": entered, "currency": currency})
        elif is_far(currency, per_real):
            farthest = max(known, key=lambda rate: abs(per_real / rate.per_real - 1))
            told = (
                gettext("%(rate)s. That is %(share)s above a known rate (%(known)s). Is this correct?")
                if per_real > farthest.per_real
                else gettext("%(rate)s. That is %(share)s below a known rate (%(known)s). Is this correct?")
            )
            share = f"{abs(per_real / farthest.per_real - 1):.1%}"
            before = both_ways(currency, farthest.per_real)
            self.add_error("confirmed", told % {"rate": entered, "share": share, "known": before})


class HoldsFilter(admin.SimpleListFilter):
    """Whether the rate is currently used."""

    title, parameter_name = _("valid"), "holds"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", gettext("Yes")), ("no", gettext("No longer"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Rate]) -> QuerySet[Rate]:
        if self.value() == "yes":
            return queryset.filter(holds_until__gt=utcnow())
        return queryset.filter(holds_until__lte=utcnow()) if self.value() == "no" else queryset


def _source(rate: Rate) -> str:
    """Staff, or whichever sources said it."""
    return str(rate.get_seen_by_display() or rate.get_source_display())


def _in_use() -> Panel:
    """What production converts at now, and whose word that is."""
    used = rates.in_use()
    missing = [code for code, rate in used.items() if rate is None]
    return Panel(
        gettext("Rates in use"),
        (
            PanelTable(
                [gettext("Rate"), gettext("Source"), gettext("Valid until")],
                [_used(rate) for rate in used.values() if rate],
            ),
        ),
        label=gettext("none: %(currencies)s") % {"currencies": ", ".join(missing)} if missing else "",
        state=BAD,
        note=gettext("Conversions of a currency without a rate answer 503.") if missing else "",
    )


def _used(rate: Rate) -> list[Any]:
    by = {"person": rate.entered_by}
    told = gettext("Entered by %(person)s, in place of the market's") % by if rate.entered_by else _source(rate)
    return [unbroken(str(rate)), told, unbroken(f"{rate.holds_until:%Y-%m-%d %H:%M:%S}Z")]


@admin.register(Rate)
class RateAdmin(EnteredAdmin):
    """Production rates; the sandbox has a table of its own. Add permission: enter, change permission: withdraw."""

    form = RateForm
    add_title = _("Enter a rate: production conversions use it as soon as a second person has confirmed it")
    list_before_template = "admin/rates_in_use.html"
    permissions_used = ("view", "add", "change")
    words = {"currency__iexact": str, "pk": int}
    search_help_text = "Currency or rate number"
    list_select_related = ("entered_by",)
    list_display = (
        "one_real",
        "one_unit",
        "state",
        "told_by",
        moment("quoted_at"),
        moment("holds_until", "valid until"),
        related("entered_by"),
    )
    list_filter = ("currency", "source", "seen_by", HoldsFilter)
    fieldsets = (
        (None, {"fields": ("currency", ("one_real", "one_unit"), ("state", "told_by"))}),
        ("By staff", {"fields": (related("entered_by"), "note")}),
        (
            "Timestamps",
            {
                "fields": (
                    (moment("quoted_at"), moment("holds_until", "valid until")),
                    (moment("created_at"), moment("withdrawn_at")),
                )
            },
        ),
    )
    add_fieldsets = ((None, {"fields": ("currency", "per_real", "holds_for", "note", "confirmed")}),)
    actions_detail = ("withdraw",)

    one_real = staticmethod(titled(lambda rate: unbroken(str(rate)), "per_real", "rate"))
    one_unit = staticmethod(
        titled(lambda rate: unbroken(for_one_unit(rate.currency, rate.per_real)), "one_unit", "inverse")
    )

    told_by = staticmethod(titled(_source, "source", "source"))

    @display(description="state", label={"valid": "success", "expired": ""})
    def state(self, rate: Rate) -> Colored:
        return VALID if rate.holds_until > utcnow() else EXPIRED

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        return super().changelist_view(request, (extra_context or {}) | {"in_use": _in_use()})

    # ── Entering ──────────────────────────────────────────────────────────────────────────────────────────────────
    def save(self, request: HttpRequest, obj: Rate, form: Any, change: bool) -> None:
        values = {
            "per_real": f"{obj.per_real.normalize():f}",
            "minutes": form.cleaned_data["holds_for"],
            "entered_by": request.user.pk,
        }
        request.proposed = proposals.put(request, KINDS[StaffRate.name], obj.currency, values, obj.note)  # type: ignore[attr-defined]

    def log_addition(self, request: HttpRequest, obj: Rate, message: Any) -> None:
        """The audit has the proposal."""

    def response_add(self, request: HttpRequest, obj: Rate, post_url_continue: Any = None) -> HttpResponse:
        proposed = gettext("%(title)s: proposed.") % {"title": StaffRate.title}
        self.message_user(request, f"{proposed} {TWO_PEOPLE}", messages.SUCCESS)
        return HttpResponseRedirect(address(Proposal, "change", request.proposed.pk))  # type: ignore[attr-defined]

    # ── Taking back ───────────────────────────────────────────────────────────────────────────────────────────────
    def has_withdraw_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("ledger.change_rate")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        rate = self.get_object(request, unquote(str(object_id)))
        ends = rate is not None and rate.source == Rate.Source.STAFF and rate.holds_until > utcnow()
        return super().get_actions_detail(request, object_id) if ends else []

    @action(description="Withdraw", permissions=["withdraw"], icon="undo", variant=ActionVariant.DANGER)
    def withdraw(self, request: HttpRequest, object_id: str) -> HttpResponse:
        rate = self.record(request, object_id)
        if request.method != "POST":
            sentence = gettext("Conversions stop using it immediately, and use the newest valid rate instead.")
            return self.decision(request, rate, gettext("Withdraw this rate"), sentence=sentence)

        def act() -> Done | str:
            if rates.withdraw(rate):
                return Done(rate, "withdrawn", "Withdrawn", gettext("%(rate)s was withdrawn.") % {"rate": rate})
            return gettext("%(rate)s was not entered by staff, or has already expired.") % {"rate": rate}

        return self.carry_out(request, rate, act)
