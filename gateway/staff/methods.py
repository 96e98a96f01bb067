"""Rules of methods: enabled, limits and prices, with history."""

from collections import defaultdict
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action, display

from accounts.base.clock import utcnow
from gateway.methods import services
from gateway.methods.models import MethodRule, PriceRule
from gateway.staff.kit.amounts import StaffAmountField, money
from gateway.staff.kit.columns import Column, InWords, address, exported, moment, titled, unbroken
from gateway.staff.kit.recorded import RecordedAdmin
from gateway.staff.kit.search import SearchWords
from gateway.staff.price_rules import LimitsForm, RuleAdmin, RuleForm
from ledger.money import to_decimal
from ledger.notation import plain_amount

FROM = gettext_lazy("UTC. Leave empty to apply it immediately. Existing payments keep their price")


class PriceRuleForm(RuleForm):
    """A version of a price: past prices never change, so a version begins now or later."""

    amounts = ("fixed", "advance_minimum")
    faults = services.faults_of_price
    fixed = StaffAmountField("0")
    advance_minimum = StaffAmountField("0", help_text="Minimum fee of an advance", initial=0, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "effective_from" in self.fields:
            self.fields["effective_from"].required = False
            self.fields["effective_from"].help_text = FROM
        if self.instance.pk is None:
            self.initial["effective_from"] = None

    def clean_advance_minimum(self) -> Decimal:
        return self.cleaned_data["advance_minimum"] or Decimal(0)

    def validate_unique(self) -> None:
        if "effective_from" in self.fields:
            self.instance.effective_from = self.cleaned_data.get("effective_from")
        super().validate_unique()


class MethodRuleForm(LimitsForm):
    faults = services.faults_of_limits


METHOD_WORDS: SearchWords = {**RuleAdmin.words, "method__iexact": str}


@admin.register(MethodRule)
class MethodRuleAdmin(RuleAdmin):
    form = MethodRuleForm
    set_rule = services.set_limits
    remove_rule = services.remove_limits
    words = METHOD_WORDS
    search_help_text = "Company id or name, or method"
    decided_once = ("merchant", "environment", "method", "currency")
    list_display = ("__str__", "enabled", money("minimum"), money("maximum"), "expires_in_s", "refund_window_days")
    list_filter = ("enabled", "environment", "method", "currency")
    fieldsets = (
        ("Applies to", {"fields": (("merchant", "environment"), ("method", "currency"))}),
        ("Availability", {"fields": ("enabled", ("minimum", "maximum"))}),
        ("Timestamps", {"fields": (("expires_in_min_s", "expires_in_max_s"), ("expires_in_s", "refund_window_days"))}),
    )


IN_FORCE, SCHEDULED, SUPERSEDED = "in force", "scheduled", "superseded"
STATES = {
    IN_FORCE: gettext_lazy("in force"),
    SCHEDULED: gettext_lazy("scheduled"),
    SUPERSEDED: gettext_lazy("superseded"),
}
STATE_COLORS = defaultdict(str, {IN_FORCE: "success", SCHEDULED: "info"})


def _in_force() -> Case:
    """Whether a version is in force by the real clock: it has begun, and no later one has."""
    begun = {"effective_from__lte": utcnow()}
    same = {"method": OuterRef("method"), "currency": OuterRef("currency")}
    newer = PriceRule.objects.filter(**same, **begun, effective_from__gt=OuterRef("effective_from"))
    of_merchant, of_all = newer.filter(merchant=OuterRef("merchant")), newer.filter(merchant=None)
    return Case(
        When(~Q(**begun), then=Value(SCHEDULED)),
        When(Q(Exists(of_merchant)) | Q(Q(merchant=None), Exists(of_all)), then=Value(SUPERSEDED)),
        default=Value(IN_FORCE),
    )


def _state(price: Any) -> InWords:
    return InWords(price.state, STATES[price.state])


@admin.register(PriceRule)
class PriceRuleAdmin(RuleAdmin):
    """Versions: effective ones are read-only; a different price is a new version."""

    form = PriceRuleForm
    set_rule = services.set_price
    remove_rule = services.withdraw_price
    words = METHOD_WORDS
    search_help_text = "Company id or name, or method"
    decided_once = ("merchant", "method", "currency")
    ordering = ("method", "currency", F("merchant").asc(nulls_first=True), "-effective_from")
    list_display = (
        "__str__",
        exported(titled(_state, "state", label=STATE_COLORS), itself=lambda price: str(_state(price))),
        moment("effective_from"),
        "percentage",
        money("fixed"),
        "settlement_days",
        "advance",
    )
    list_filter = ("method", "currency", "merchant__environment")
    fieldsets = (
        ("Applies to", {"fields": ("merchant", ("method", "currency"), "effective_from")}),
        ("Payment price", {"fields": (("percentage", "fixed"), "settlement_days")}),
        ("Advances", {"fields": ("advance_enabled", ("advance_monthly_rate", "advance_minimum"))}),
    )
    actions_detail = ("new_version",)

    @cached_property
    def read(self) -> dict[str, Column]:
        return {**super().read, "effective_from": moment("effective_from")}

    @display(description="advance")
    def advance(self, price: PriceRule) -> str | None:
        if not price.advance_enabled:
            return None
        least = plain_amount(price.advance_minimum, price.currency)
        terms = {"rate": f"{price.advance_monthly_rate.normalize():f}", "least": least}
        return unbroken(_("%(rate)s%% a month, minimum %(least)s") % terms)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(state=_in_force())

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(super().has_change_permission(request, obj)) and _is_open(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Includes general versions: the one before stays in force."""
        return bool(RecordedAdmin.has_delete_permission(self, request, obj)) and _is_open(obj)

    def has_version_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return bool(self.has_add_permission(request))

    @action(description="New version", permissions=["version"], icon="add")
    def new_version(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The form of a new version, prefilled from this one."""
        price = self.record(request, object_id)
        values = {name: getattr(price, name) for name in ("method", "currency", "percentage", "settlement_days")}
        values |= {name: getattr(price, name) for name in ("advance_enabled", "advance_monthly_rate")}
        values |= {name: to_decimal(getattr(price, name), price.currency) for name in self.form.amounts}
        values |= {"merchant": price.merchant_id} if price.merchant_id else {}
        if not price.advance_enabled:
            del values["advance_enabled"]
        return HttpResponseRedirect(f"{address(PriceRule, 'add')}?{urlencode(values)}")


def _is_open(price: PriceRule | None) -> bool:
    return price is None or price.effective_from > utcnow()
