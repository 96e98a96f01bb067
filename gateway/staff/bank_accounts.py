"""Bank accounts of ours: two people enter and change them."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from unfold.decorators import action
from unfold.enums import ActionVariant
from unfold.widgets import (
    UnfoldAdminSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from accounts.models import Environment, Merchant, Proposal
from accounts.proposals.kinds import KINDS
from gateway.providers.models import ProviderAccount
from gateway.reconciliation.accounts import NUMBERS, require_valid, word_of
from gateway.reconciliation.errors import BankAccountInvalid
from gateway.reconciliation.models import CURRENCIES, BankAccount
from gateway.reconciliation.proposals import SaveBankAccount, values_of
from gateway.staff.bank_mappings import MappingActions
from gateway.staff.kit.columns import column, moment, related, unbroken
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.pages import TWO_PEOPLE, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.related import Related


def _numbers(numbers: dict[str, str]) -> str:
    return ", ".join(f"{word_of(name)} {text}" for name, text in numbers.items() if text)


def _listed(texts: list[str]) -> str:
    return ", ".join(texts) or _("none")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


CLOSED = column("is_closed", lambda closed: _("Yes") if closed else _("No"), "closed")


class BankAccountForm(NoteForm):
    """What two people enter. The code, the currency and the owner of an account stay as they were entered."""

    code = forms.CharField(
        max_length=16, widget=UnfoldAdminTextInputWidget, help_text="Such as ITAU-BRL-1; it never changes"
    )
    title = forms.CharField(max_length=80, widget=UnfoldAdminTextInputWidget)
    currency = forms.ChoiceField(choices=CURRENCIES, widget=UnfoldAdminSelectWidget)
    owner = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    provider_accounts = forms.MultipleChoiceField(
        required=False, widget=UnfoldAdminSelectMultipleWidget, help_text="Whose money it receives or pays"
    )
    fee_codes = forms.CharField(
        required=False, widget=UnfoldAdminTextareaWidget, help_text="Codes of lines that are fees, one a line"
    )
    fee_texts = forms.CharField(
        required=False, widget=UnfoldAdminTextareaWidget, help_text="How the texts of fees begin, one a line"
    )
    is_closed = forms.BooleanField(
        required=False, widget=UnfoldBooleanSwitchWidget, label="Closed", help_text="No statement is expected any more"
    )
    note = NoteField()

    def __init__(self, *args: Any, account: BankAccount | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial = _initial(account)
        for name in NUMBERS:
            self.fields[name] = forms.CharField(
                required=False, max_length=40, label=capfirst(word_of(name)), widget=UnfoldAdminTextInputWidget
            )
        production = Merchant.objects.select_related("company").filter(
            environment=Environment.PRODUCTION, company__is_operator=False
        )
        owners = [(str(one.pk), str(one.company)) for one in production.order_by("company__trade_name")]
        self.fields["owner"].choices = [("", _("The operator")), *owners]  # type: ignore[attr-defined]
        linked = ProviderAccount.objects.defer("sealed_credentials").filter(system=ProviderAccount.System.PRODUCTION)
        self.fields["provider_accounts"].choices = [(one.pk, str(one)) for one in linked.order_by("title")]  # type: ignore[attr-defined]
        if account:
            for name in ("code", "currency", "owner"):
                self.fields[name].disabled = True
        else:
            del self.fields["is_closed"]
        for name in ("fee_codes", "fee_texts"):
            self.fields[name].widget.attrs["rows"] = 3
        self.order_fields(["code", "title", "currency", "owner", *NUMBERS, "provider_accounts"])
        self.fields["note"] = self.fields.pop("note")

    def clean_code(self) -> str:
        return str(self.cleaned_data["code"]).upper()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        numbers = {name: given[name] for name in NUMBERS if given.get(name)}
        try:
            require_valid(given.get("code", ""), given.get("currency", ""), numbers)
        except BankAccountInvalid as refusal:
            for fault in refusal.faults:
                self.add_error(fault.field, fault.in_words())
        return given

    @property
    def values(self) -> dict[str, Any]:
        """The values of the proposal."""
        given = self.cleaned_data
        return {
            "title": given["title"],
            "currency": given["currency"],
            "owner": int(given["owner"]) if given["owner"] else None,
            "numbers": {name: given[name] for name in NUMBERS if given[name]},
            "fee_codes": _lines(given["fee_codes"]),
            "fee_texts": _lines(given["fee_texts"]),
            "provider_accounts": sorted(given["provider_accounts"]),
            "is_closed": bool(given.get("is_closed")),
        }


def _initial(account: BankAccount | None) -> dict[str, Any]:
    if account is None:
        return {}
    values = values_of(account)
    texts = {name: "\n".join(values[name]) for name in ("fee_codes", "fee_texts")}
    return {"code": account.code, **values, **values["numbers"], **texts, "owner": str(values["owner"] or "")}


def without_statement() -> Q:
    """Accounts that miss a statement."""
    return Q(missing_since__isnull=False)


@admin.register(BankAccount)
class BankAccountAdmin(MappingActions):
    """Change permission: propose and confirm."""

    has_history = True
    permissions_used = ("view", "change")
    ids = {"cmp": "owner__company"}
    words = {"code": str.upper, "title__icontains": str}
    search_help_text = "Bank account or company id, code or title"
    list_select_related = ("owner__company",)
    list_display = ("code", "title", "currency", related("owner"), column("numbers", _numbers), CLOSED)
    list_filter = ("currency", "is_closed")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "id",
                    (column("code", unbroken), "title"),
                    ("currency", related("owner")),
                    column("numbers", _numbers),
                )
            },
        ),
        ("Money of", {"fields": ("provider_accounts",)}),
        ("Fees", {"fields": (column("fee_codes", _listed), column("fee_texts", _listed))}),
        ("Statements", {"fields": ((CLOSED, moment("missing_since", "missing since")),)}),
        ("Timestamps", {"fields": ((moment("created_at"), moment("updated_at")),)}),
    )
    queues = (Queue("missing", "Missing statements", "event_busy", without_statement, "missing_since", environment=""),)
    actions_list = (*ReadOnlyAdmin.actions_list, "enter")
    actions_detail = ("change_it", "columns")

    def related_to(self, record: BankAccount) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(record, Proposal.objects.filter(object_id=record.code))

    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(SaveBankAccount.permission)

    @action(description="Enter a bank account", permissions=["decide"], icon="add")
    def enter(self, request: HttpRequest) -> HttpResponse:
        return self._propose(request, None)

    @action(description="Change", permissions=["decide"], icon="edit", variant=ActionVariant.PRIMARY)
    def change_it(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, self.record(request, object_id))

    def _propose(self, request: HttpRequest, account: BankAccount | None) -> HttpResponse:
        kind = KINDS[SaveBankAccount.name]
        form = BankAccountForm(request.POST if request.method == "POST" else None, account=account)
        if not form.is_valid():
            title = _("Change %(name)s") % {"name": account} if account else _("Enter a bank account")
            return self.decision(request, account, title, sentence=TWO_PEOPLE, form=form)
        code = account.code if account else form.cleaned_data["code"]
        return self.put(request, account or BankAccount(code=code), kind, form.values, form.cleaned_data["note"], code)
