"""Stuck work: due work that failed, with its error and next attempt."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from unfold.decorators import action

from accounts import due
from accounts.models import StuckWork
from gateway.staff.kit.columns import moment
from gateway.staff.kit.pages import Done, ReadOnlyAdmin


@admin.register(StuckWork)
class StuckWorkAdmin(ReadOnlyAdmin):
    permissions_used = ("view", "change")  # change: try it again
    words = {"object_id": str, "kind": str}
    search_help_text = "Id or kind"
    list_display = ("__str__", moment("since"), "times", moment("until", "next attempt"), "error")
    fieldsets = (
        (None, {"fields": ("kind", "object_id", "error")}),
        ("Timestamps", {"fields": (("times", moment("since")), moment("until", "next attempt"))}),
    )
    actions_detail = ("try_again",)

    def has_retry_permission(self, request: HttpRequest, object_id: object = None) -> bool:
        return request.user.has_perm("accounts.change_stuckwork")

    @action(description="Try again", permissions=["retry"], icon="replay")
    def try_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        stuck = self.record(request, object_id)
        if request.method != "POST":
            sentence = gettext("The next sweep tries %(work)s again, without waiting until %(time)s.") % {
                "work": stuck,
                "time": f"{stuck.until:%Y-%m-%d %H:%M}Z",
            }
            return self.decision(request, stuck, gettext("Try this again"), sentence=sentence)

        def act() -> Done | str:
            if not due.try_again(stuck.kind, stuck.object_id):
                return gettext("The next sweep already retries it.")
            return Done(stuck, "tried_again", "Tried again", gettext("The next sweep tries it again."))

        return self.carry_out(request, stuck, act)
