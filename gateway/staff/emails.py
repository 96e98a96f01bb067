"""E-mails for staff: pending and failed ones, with errors."""

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from unfold.decorators import action

from accounts.emails import outbox, tasks
from accounts.emails.models import Email
from gateway.staff.kit.columns import block, colored, column, moment, related
from gateway.staff.kit.pages import Done, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue


@admin.register(Email)
class EmailAdmin(ReadOnlyAdmin):
    permissions_used = ("view", "change")  # change: send one again
    ids = {"cmp": "company"}
    words = {"recipient__iexact": str, "kind": str}
    search_help_text = "E-mail or company id, recipient, or kind"
    list_select_related = ("company",)
    list_display = (
        "id",
        colored("status", SENT="success", PENDING="info", FAILED="danger"),
        "recipient",
        "subject",
        "attempts",
        moment("next_attempt_at"),
    )
    list_filter = ("status",)
    fieldsets = (
        (None, {"fields": ("id", ("status", "kind"), ("recipient", related("company")), "subject")}),
        ("Text", {"fields": (column("text", block),)}),
        ("Sending", {"fields": ("attempts", "last_error")}),
        ("Timestamps", {"fields": ((moment("created_at"), moment("sent_at")), moment("next_attempt_at"))}),
    )
    queues = (Queue("failed", "Failed e-mails", "mail_off", lambda: Q(status="FAILED"), "created_at", environment=""),)
    actions_detail = ("send_again",)

    def has_send_permission(self, request: HttpRequest, object_id: object = None) -> bool:
        return request.user.has_perm("accounts.change_email")

    @action(description="Send again", permissions=["send"], icon="forward_to_inbox")
    def send_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        email = self.record(request, object_id)
        if request.method != "POST":
            told = {"time": f"{email.created_at:%Y-%m-%d %H:%M}Z", "recipient": email.recipient}
            sentence = _("The e-mail of %(time)s is sent to %(recipient)s again, unchanged.") % told
            return self.decision(request, email, _("Send this e-mail again"), sentence=sentence)

        def act() -> Done | str:
            if not outbox.send_again(email):
                return _("Only a failed e-mail can be sent again.")
            tasks.wake()
            return Done(email, "sent_again", "Sent again", _("The e-mail is queued to be sent again."))

        return self.carry_out(request, email, act)
