"""Companies, merchants and keys: what staff see and decide."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts import services
from accounts.models import ApiKey, Company, Environment, Heartbeat, Merchant, RefusedOrigin
from accounts.proposals.kinds import KINDS
from accounts.tax_ids import compact
from gateway.payments.models import SingleApprovalLimit
from gateway.payments.proposals import SingleApprovalLimitKind
from gateway.staff.company_status import POSSIBLE as STANDING
from gateway.staff.company_status import CompanyStatusActions
from gateway.staff.going_live import GO_LIVE, GoingLive
from gateway.staff.kit.columns import EMPTY, OF_MERCHANT, address, colored, column, moment, related, unbroken
from gateway.staff.kit.forms import CompanyRecordForm, IssueKeyForm, NoteForm, ReserveForm
from gateway.staff.kit.operator import WithoutOperator
from gateway.staff.kit.pages import TWO_PEOPLE, Done, ReadOnlyAdmin
from gateway.staff.kit.recorded import RecordedAdmin
from gateway.staff.looking import LOOK, Looking
from gateway.staff.payment_decisions import SingleApprovalForm
from gateway.staff.verification import DECISIONS as VERIFICATION
from gateway.staff.verification import Verification
from ledger.holds.models import Hold
from ledger.holds.proposals import ReserveChange, ReserveRelease
from ledger.notation import plain_amount


@admin.register(Company)
class CompanyAdmin(Verification, CompanyStatusActions, Looking, GoingLive, WithoutOperator, RecordedAdmin):
    """A company's own data. Standing, withdrawal address and team change by actions only."""

    form = CompanyRecordForm
    of_operator = "is_operator"
    permissions_used = ("view", "add", "change")
    actions_detail = (*VERIFICATION, *GO_LIVE, *LOOK, *STANDING)
    words = {
        "tax_id": compact,
        "email": str.lower,
        "trade_name__icontains": str,
        "legal_name__icontains": str,
    }
    search_fields = ("trade_name",)
    search_help_text = "Company id, tax id, e-mail or name"
    list_display = (
        "id",
        "trade_name",
        colored("status", ACTIVE="success", PENDING_VERIFICATION="warning", SUSPENDED="danger"),
        "tax_id",
        "country",
        moment("created_at"),
    )
    list_filter = ("status", "country")
    _times = (moment("created_at"), moment("updated_at"))
    _verified, _asked = moment("verified_at"), moment("production_asked_at")
    fieldsets = (
        (None, {"fields": ("id", ("trade_name", "legal_name"), ("status", _verified))}),
        ("Verification", {"fields": ((_asked, "verification_note"),)}),
        ("Identity", {"fields": (("tax_id", "tax_id_type"), ("country", "city"))}),
        ("Contact", {"fields": (("email", "phone"),)}),
        ("Shown to payers", {"fields": ("brand_color",)}),
        ("Withdrawals", {"fields": (("withdrawal_ip", "refused_origins"),)}),
        ("Timestamps", {"fields": (_times,)}),
    )
    readonly_fields = (
        "id",
        "status",
        "withdrawal_ip",
        _verified,
        _asked,
        "verification_note",
        "refused_origins",
        *_times,
    )

    @display(description="rejected addresses")
    def refused_origins(self, company: Company) -> Any:
        """Rejected withdrawal origins: to be registered, or to be investigated."""
        refused = RefusedOrigin.objects.filter(merchant__company=company.pk).select_related("merchant")
        lines = [
            (one.merchant.get_environment_display(), one, one.times, unbroken(f"{one.seen_at:%Y-%m-%d %H:%M:%S}Z"))
            for one in refused.order_by("merchant")
        ]
        listed = format_html_join("", "<li>{}: <b>{}</b>, {} ×, last {}</li>", lines)
        return format_html('<ul class="staff-list">{}</ul>', listed) if lines else EMPTY

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_new(self, record: Company) -> None:
        services.register(record)


@admin.register(Merchant)
class MerchantAdmin(WithoutOperator, RecordedAdmin):
    """A company in one environment, and its enabled features."""

    permissions_used = ("view", "change")
    of_operator = "company__is_operator"
    ids = {"cmp": "company", "key": "api_keys"}
    words = {"company__tax_id": compact, "company__trade_name__icontains": str}
    search_fields = ("company__trade_name",)
    search_help_text = "Company or API key id, tax id or name"
    listed_at = ("company",)
    list_select_related = ("company",)
    list_display = (
        "__str__",
        "environment",
        "withdrawal_enabled",
        "conversion_enabled",
        "advance_enabled",
        "card_tokens_enabled",
    )
    list_filter = ("environment", "withdrawal_enabled", "conversion_enabled", "advance_enabled", "card_tokens_enabled")
    _unchanging = (related("company"), "environment", "clock_offset", moment("created_at"))
    fieldsets = (
        (None, {"fields": (_unchanging[:2], _unchanging[2:])}),
        (
            "Features",
            {"fields": (("withdrawal_enabled", "conversion_enabled"), ("advance_enabled", "card_tokens_enabled"))},
        ),
        ("Cards", {"fields": (("card_integration_mode", "card_settlement_currency"),)}),
        ("Conversions", {"fields": ("conversion_spread",)}),
        ("Rolling reserve", {"fields": ("reserve",)}),
        ("Payments recorded by staff", {"fields": ("decided_by_one",)}),
    )
    readonly_fields = (*_unchanging, "decided_by_one", "reserve")
    actions_detail = ("place_hold", "issue_key", "single_approval", "change_reserve", "release_reserve")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_hold_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("ledger.add_hold")

    @action(description="Hold money", permissions=["hold"], icon="lock")
    def place_hold(self, request: HttpRequest, object_id: str) -> HttpResponse:
        merchant = self.record(request, object_id)
        return HttpResponseRedirect(f"{address(Hold, 'add')}?{urlencode({'merchant': merchant.pk})}")

    def has_limit_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(SingleApprovalLimitKind.permission)

    @action(description=SingleApprovalLimitKind.title, permissions=["limit"], icon="person_check")
    def single_approval(self, request: HttpRequest, object_id: str) -> HttpResponse:
        merchant, kind = self.record(request, object_id), KINDS[SingleApprovalLimitKind.name]
        form = SingleApprovalForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = f"{kind.sentence(merchant, {})} {TWO_PEOPLE}"
            return self.decision(request, merchant, kind.title, sentence=text, form=form)
        given = form.cleaned_data
        values = {"currency": given["currency"]} | {name: f"{given[name]:f}" for name in ("amount", "amount_in_a_day")}
        return self.put(request, merchant, kind, values, given["note"])

    def has_reserve_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(ReserveChange.permission)

    @action(description="Change the reserve", permissions=["reserve"], icon="savings")
    def change_reserve(self, request: HttpRequest, object_id: str) -> HttpResponse:
        merchant, kind = self.record(request, object_id), KINDS[ReserveChange.name]
        form = ReserveForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = f"{kind.sentence(merchant, {})} {TWO_PEOPLE}"
            return self.decision(request, merchant, kind.title, sentence=text, form=form)
        given = form.cleaned_data
        values = {"percentage": f"{given['percentage']:f}", "days": given["days"]}
        return self.put(request, merchant, kind, values, given["note"])

    @action(description="Release the reserve", permissions=["reserve"], icon="lock_open", variant=ActionVariant.DANGER)
    def release_reserve(self, request: HttpRequest, object_id: str) -> HttpResponse:
        merchant, kind = self.record(request, object_id), KINDS[ReserveRelease.name]
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = f"{kind.sentence(merchant, {})} {TWO_PEOPLE}"
            return self.decision(request, merchant, kind.title, sentence=text, form=form)
        return self.put(request, merchant, kind, {}, form.cleaned_data["note"])

    @display(description="terms")
    def reserve(self, merchant: Merchant) -> str:
        """Share and days."""
        if not merchant.reserve_percentage:
            return EMPTY
        terms = {"percentage": merchant.reserve_percentage, "days": merchant.reserve_days}
        return _("%(percentage)s %% of the net of each payment, for %(days)s days") % terms

    @display(description="decided by one person")
    def decided_by_one(self, merchant: Merchant) -> Any:
        """The limits of the company, by currency."""
        limits = SingleApprovalLimit.objects.filter(merchant=merchant, amount__gt=0).order_by("currency")
        return ", ".join(_in_words(one) for one in limits) or EMPTY

    def has_issue_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.issue_key")

    @action(description="Issue an API key", permissions=["issue"], icon="key")
    def issue_key(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The text of the key is in one response only: this one, or that to the confirming person."""
        merchant, kind = self.record(request, object_id), KINDS["api_key.issue"]
        form = IssueKeyForm(merchant, request.POST or None)
        if not form.is_valid():
            is_live = merchant.environment == Environment.PRODUCTION
            warning = _(
                "A live key that can refund, withdraw or convert must be confirmed by a second person. "
                "Withdrawals are then paused for 24 hours."
            )
            return self.decision(request, merchant, kind.title, sentence=warning if is_live else "", form=form)
        values = {name: form.cleaned_data[name] for name in ("name", "permissions")}
        return self.put(request, merchant, kind, values, form.cleaned_data["note"])


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    ids = {"cmp": "merchant__company"}
    words = {"last4": str, "name": str}
    search_help_text = "Key or company id, last four characters, or name"
    listed_at = ("merchant",)
    has_history = True
    permissions_used = ("view",)
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        "name",
        column("last4", "…{}".format),
        *OF_MERCHANT,
        moment("last_used_at"),
        moment("revoked_at"),
    )
    list_filter = ("merchant__environment",)
    fieldsets = (
        (None, {"fields": ("id", "name", column("last4", "…{}".format), related("merchant"))}),
        ("Permissions", {"fields": ("permissions",)}),
        (
            "Timestamps",
            {"fields": (moment("created_at"), moment("last_used_at"), (moment("expires_at"), moment("revoked_at")))},
        ),
    )
    actions_detail = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.revoke_key")

    @action(description="Revoke", permissions=["revoke"], icon="key_off", variant=ActionVariant.DANGER)
    def revoke(self, request: HttpRequest, object_id: str) -> HttpResponse:
        api_key = self.record(request, object_id)
        if request.method != "POST":
            sentence = _("The key stops working immediately. This cannot be undone.")
            return self.decision(request, api_key, _("Revoke this key"), sentence=sentence)

        def act() -> Done:
            services.revoke_key(api_key)
            return Done(api_key, "revoked", "Revoked", _("%(key)s was revoked.") % {"key": api_key})

        return self.carry_out(request, api_key, act)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    list_display = ("part", moment("beat_at"))
    fieldsets = ((None, {"fields": ("part", moment("beat_at"))}),)


def _in_words(limit: SingleApprovalLimit) -> str:
    amount, in_a_day = (plain_amount(minor, limit.currency) for minor in (limit.amount, limit.amount_in_a_day))
    return _("up to %(amount)s, and %(in_a_day)s a person in 24 hours") % {"amount": amount, "in_a_day": in_a_day}
