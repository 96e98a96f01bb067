"""Provider accounts: staff enter, check, activate, pause and close them."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts import second_factor
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals.kinds import KINDS
from gateway.overview.readiness import WARNED_BEFORE
from gateway.payments.manual import is_manual
from gateway.providers import accounts
from gateway.providers.credentials import SealedCredentials, sealed_of
from gateway.providers.errors import AccountState
from gateway.providers.models import ProviderAccount
from gateway.providers.proposals import ActivateAccount, ReplaceCredentials, in_words, values_of
from gateway.providers.registry import declared
from gateway.staff import provider_health
from gateway.staff.kit.columns import EMPTY, address, colored, column, moment, related
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import TWO_PEOPLE, Done
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.related import Related
from gateway.staff.provider_acceptance import AccountAcceptance
from gateway.staff.provider_forms import CredentialsForm, NewAccountForm, ProviderForm
from gateway.staff.provider_health import AccountHealth, State
from gateway.staff.provider_routes import Routing
from gateway.staff.statement_money import StatementMoney

Status = ProviderAccount.Status
_USED = ("check_connection", "register_callbacks", "replace_credentials", "close")
POSSIBLE = {
    Status.ENTERED: (*_USED, "activate"),
    Status.ACTIVE: (*_USED, "enter_money", "pause", "put_back"),
    Status.PAUSED: (*_USED, "enter_money", "activate", "put_back"),
    Status.CLOSED: ("enter_money",),
}


def expiring() -> Q:
    """Accounts in use whose certificate expires within 30 days, or has expired."""
    return Q(certificate_expires_at__lte=utcnow() + WARNED_BEFORE) & ~Q(status=Status.CLOSED)


def is_told_where_to_call(account: ProviderAccount) -> bool:
    """Whether its institution learns the address of callbacks from us."""
    provider = declared().get(account.provider)
    return provider is not None and provider.is_told_where_to_call


@admin.register(ProviderAccount)
class ProviderAccountAdmin(StatementMoney, Routing, AccountHealth, AccountAcceptance):
    """Add permission: enter. Change permission: everything else; activating and replacing takes two people."""

    has_history = True
    permissions_used = ("view", "add", "change")
    ids = {"cmp": "merchant__company"}
    words = {"title__icontains": str, "provider": str.lower}
    search_help_text = "Account or company id, title, or name of the provider"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company", "entered_by", "confirmed_by")
    list_display = (
        "title",
        "provider",
        colored("status", ENTERED="warning", ACTIVE="success", PAUSED="danger"),
        "system",
        related("merchant"),
        provider_health.CIRCUIT,
        "connection",
        "certificate",
    )
    list_filter = ("status", "system", "provider")
    fieldsets = (
        (None, {"fields": ("id", ("title", "provider"), ("status", "system"), related("merchant"))}),
        ("Credentials", {"fields": ("members", ("certificate", moment("certificate_expires_at")))}),
        ("Callbacks", {"fields": ("callback_address",)}),
        provider_health.FIELDSET,
        (
            "Connection check",
            {"fields": ("connection", moment("checked_at"), column("check_failure", str, "reason"))},
        ),
        ("By staff", {"fields": ((related("entered_by"), related("confirmed_by")), "confirmed_on_host")}),
        ("Timestamps", {"fields": ((moment("created_at"), moment("updated_at")),)}),
    )
    queues = (
        provider_health.QUEUE,
        Queue(
            name="expiring",
            title="Provider certificates to renew",
            icon="badge",
            waiting=expiring,
            since="certificate_expires_at",
            deadline=True,
            environment="",
        ),
    )
    actions_list = (*StatementMoney.actions_list, *Routing.actions_list, *AccountAcceptance.actions_list)
    actions_detail = (
        *("check_connection", "register_callbacks", "activate", "enter_money"),
        {"title": _("More"), "icon": "more_horiz", "items": ["put_back", "replace_credentials", "pause", "close"]},
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("sealed_credentials")

    def related_to(self, record: ProviderAccount) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(record, Proposal.objects.filter(object_id__startswith=record.pk))

    @display(description="not secret")
    def members(self, account: ProviderAccount) -> Any:
        lines = format_html_join("", "<li>{}: <b>{}</b></li>", in_words(account.provider, account.shown))
        return format_html('<ul class="staff-list">{}</ul>', lines) if lines else EMPTY

    @display(description="address")
    def callback_address(self, account: ProviderAccount) -> str:
        """What the provider is told to call."""
        return accounts.callback_address(account)

    # ── Entering ──────────────────────────────────────────────────────────────────────────────────────────────────
    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("gateway.add_provideraccount")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """First the provider, then its credentials; the connection is checked at once."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        second_factor.require(request)  # never with a description: what was typed must not be kept
        data = request.POST if request.method == "POST" else None
        provider = declared().get(request.GET.get("provider", ""))
        if provider is None:
            choice = ProviderForm(data)
            if choice.is_valid():
                return HttpResponseRedirect(f"{request.path}?provider={choice.cleaned_data['provider']}")
            return self.decision(request, None, gettext("Enter a provider account"), form=choice)
        form = NewAccountForm(provider, data)
        entered = self._entered(request, provider.name, form) if form.is_valid() else None
        if entered is None:
            told = gettext("The connection is checked at once, and a second person confirms the account.")
            sentence = f"{translation.gettext(provider.title)}. {told}"
            return self.decision(request, None, gettext("Enter a provider account"), sentence=sentence, form=form)
        return self._checked_and_proposed(request, entered, form.cleaned_data["note"])

    def _entered(self, request: HttpRequest, provider: str, form: NewAccountForm) -> ProviderAccount | None:
        """None, with the reason in the form, if the service refuses."""
        given = form.cleaned_data
        new = accounts.NewAccount(provider, given["title"], given["system"], given["merchant"])
        try:
            return accounts.enter(Actor.of(request), new, form.given(), given["note"])
        except Refusal as refusal:
            form.tell(refusal)
            return None

    def _checked_and_proposed(self, request: HttpRequest, account: ProviderAccount, note: str) -> HttpResponse:
        self.log_action(request, account, "", f"Entered: {note}")
        checked = accounts.check(Actor.of(request), account)
        if not checked.passed_check:
            text = gettext("%(account)s was entered, and the connection check failed: %(why)s")
            text %= {"account": checked, "why": checked.check_failure}
            self.message_user(request, text, messages.ERROR)
            return HttpResponseRedirect(address(ProviderAccount, "change", checked.pk))
        return self.put(request, checked, KINDS[ActivateAccount.name], {}, note)

    # ── Deciding ──────────────────────────────────────────────────────────────────────────────────────────────────
    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what the status allows."""
        account = self.get_object(request, unquote(str(object_id)))
        possible = set(POSSIBLE[Status(account.status)] if account else ())
        if account and not is_told_where_to_call(account):
            possible.discard("register_callbacks")
        if account and account.circuit == State.CLOSED:
            possible.discard("put_back")
        if account and not is_manual(account):
            possible.discard("enter_money")
        return [one for one in super().get_actions_detail(request, object_id) if one.path in possible]

    @action(description="Check the connection", permissions=["decide"], icon="cable")
    def check_connection(self, request: HttpRequest, object_id: str) -> HttpResponse:
        account = self.record(request, object_id)
        if request.method != "POST":
            sentence = gettext("We connect to the provider with the stored credentials. Nothing is changed there.")
            return self.decision(request, account, gettext("Check the connection"), sentence=sentence)

        def act() -> Done | str:
            checked = accounts.check(Actor.of(request), account)
            if not checked.passed_check:
                return _check_failed(checked.check_failure)
            return Done(checked, "", "Checked the connection", gettext("The connection check passed."))

        return self.carry_out(request, account, act, alone=True)

    @action(description="Register the callback address", permissions=["decide"], icon="call_received")
    def register_callbacks(self, request: HttpRequest, object_id: str) -> HttpResponse:
        account = self.record(request, object_id)
        if not is_told_where_to_call(account):
            return self.refused(request, account, AccountState())
        if request.method != "POST":
            told = {"address": accounts.callback_address(account)}
            sentence = gettext("The provider sends its messages to %(address)s from now on.") % told
            return self.decision(request, account, gettext("Register the callback address"), sentence=sentence)

        def act() -> Done | str:
            if failure := accounts.register_callbacks(Actor.of(request), account):
                return gettext("The provider did not take the address: %(why)s") % {"why": failure}
            return Done(account, "", "Registered the callback address", gettext("The provider knows the address now."))

        return self.carry_out(request, account, act, alone=True)

    @action(description="Activate", permissions=["decide"], icon="check", variant=ActionVariant.PRIMARY)
    def activate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        account, kind = self.record(request, object_id), KINDS[ActivateAccount.name]
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(request, account, kind.title, sentence=TWO_PEOPLE, form=form)
        return self.put(request, account, kind, {}, form.cleaned_data["note"])

    @action(description="Replace the credentials", permissions=["decide"], icon="key")
    def replace_credentials(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The new credentials must pass the connection check before they are proposed."""
        second_factor.require(request)  # as in `add_view`
        account, kind = self.record(request, object_id), KINDS[ReplaceCredentials.name]
        provider = declared().get(account.provider)
        if provider is None:
            return self.refused(request, account, AccountState())
        form = CredentialsForm(provider, request.POST if request.method == "POST" else None, account.shown)
        entered = self._working(account, form) if form.is_valid() else None
        if entered is None:
            sentence = gettext("Enter all of them. The connection is checked first.")
            if account.status != Status.ENTERED:
                sentence = f"{sentence} {TWO_PEOPLE}"
            return self.decision(request, account, kind.title, sentence=sentence, form=form)
        values = values_of(entered, utcnow(), request.user)  # type: ignore[arg-type]
        return self.put(request, account, kind, values, form.cleaned_data["note"])

    def _working(self, account: ProviderAccount, form: CredentialsForm) -> SealedCredentials | None:
        """None, with the reason in the form, if the credentials are refused here or at the provider."""
        try:
            entered = sealed_of(declared()[account.provider], form.given(), account.system)
        except Refusal as refusal:
            form.tell(refusal)
            return None
        failure = accounts.failure_of(account.provider, entered.sealed)
        if failure:
            form.add_error(None, _check_failed(failure))
        return None if failure else entered

    @action(description="Pause", permissions=["decide"], icon="pause", variant=ActionVariant.DANGER)
    def pause(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = gettext(
            "New payments go to the next account of their route. What was begun here is still asked about."
        )
        return self._end(request, object_id, gettext("Pause this account"), sentence, accounts.pause)

    @action(description="Close this account", permissions=["decide"], icon="block", variant=ActionVariant.DANGER)
    def close(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = gettext("The account can never be used again. What was paid here can still be refunded.")
        return self._end(request, object_id, gettext("Close this account"), sentence, accounts.close)

    def _end(self, request: HttpRequest, object_id: str, title: str, sentence: str, service: Any) -> HttpResponse:
        account = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(request, account, title, sentence=sentence, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            changed = service(Actor.of(request), account.pk, note)
            words = changed.get_status_display()
            return Done(changed, "", f"{words}: {note}", f"{changed}: {words.lower()}.")

        return self.carry_out(request, account, act)


def _check_failed(why: str) -> str:
    return gettext("The connection check failed: %(why)s") % {"why": why}
