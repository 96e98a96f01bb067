"""Messages of providers: staff see each one as it arrived, and have it read again."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display

from accounts.audit import Actor
from gateway.providers import messages
from gateway.providers.models import ProviderMessage
from gateway.staff.kit.columns import Colored, InWords, block, moment, pretty, pretty_json, related
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import Done, ReadOnlyAdmin

UNREAD, READ = InWords("waits", _("waits")), InWords("read", _("read"))
UNREADABLE = InWords("unreadable", _("not readable"))
COLORS = {"waits": "info", "read": "success", "unreadable": "danger"}


class ReadFilter(admin.SimpleListFilter):
    """Whether it was read."""

    title, parameter_name = _("read"), "read"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", gettext("Waits")), ("yes", gettext("Read"))]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(read_due_at__isnull=self.value() == "yes") if self.value() else queryset


@admin.register(ProviderMessage)
class ProviderMessageAdmin(ReadOnlyAdmin):
    """Change permission: read the body, which may name payers, and have a message read again."""

    has_history = True
    permissions_used = ("view", "change")
    ids = {"pac": "account", "cmp": "account__merchant__company"}
    words = {"outcome__contains": str}
    search_help_text = "Message, account or company id, or an id that it is about"
    listed_at = ("account",)
    list_select_related = ("account",)
    list_display = ("id", moment("received_at"), related("account"), "path", "repeats", "state", "outcome")
    list_filter = (ReadFilter, "account__provider")
    fieldsets = (
        (None, {"fields": ("id", related("account"), ("path", "repeats"), ("state", "outcome"))}),
        (
            "Timestamps",
            {"fields": (moment("received_at"), (moment("read_at"), moment("read_due_at", "next reading")))},
        ),
        ("Headers (redacted)", {"fields": (pretty("headers"), "certificate")}),
    )
    body_fieldset = (_("Body, as it arrived"), {"fields": ("shown_body",)})
    actions_detail = ("read_again",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("sealed_body")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = super().get_fieldsets(request, obj)
        return (*shown, self.body_fieldset) if self.has_decide_permission(request) else shown

    @display(description="state", label=COLORS)
    def state(self, message: ProviderMessage) -> Colored:
        if message.read_due_at is not None:
            return UNREAD
        return UNREADABLE if message.outcome.startswith(messages.NOT_READABLE) else READ

    @display(description="body")
    def shown_body(self, message: ProviderMessage) -> Any:
        body = messages.body_of(message)
        try:
            return pretty_json(body)
        except (ValueError, TypeError, RecursionError):  # no JSON, or nested too deeply
            return block(body.decode(errors="replace"))

    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.change_providermessage")

    @action(description="Read again", permissions=["decide"], icon="replay")
    def read_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        message = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = gettext(
                "The provider is queried about everything that the message names. Nothing is set by hand."
            )
            return self.decision(request, message, gettext("Read the message again"), sentence=sentence, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            waiting = messages.read_again(Actor.of(request), message.pk, note)
            return Done(
                waiting,
                "",
                f"Read again: {note}",
                gettext("%(message)s is read again within seconds.") % {"message": waiting},
            )

        return self.carry_out(request, message, act)
