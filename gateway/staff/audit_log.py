"""The audit log for staff."""

from django.contrib import admin

from accounts.models import AuditEntry
from gateway.staff.kit.columns import moment, named, pretty, related
from gateway.staff.kit.pages import ReadOnlyAdmin


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    ids = {"cmp": "company"}
    words = {"object_id": str, "actor__email": str.lower, "request_id": str}
    search_help_text = "Entry or company id, id of what was changed, request id, or e-mail of the person"
    listed_at = ("company", "merchant", "actor")
    list_select_related = ("actor", "company", "merchant__company")
    list_display = ("action", named("object_id", "object"), related("actor"), related("company"), moment("created_at"))
    list_filter = ("by_staff", "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", ("action", named("object_id", "object")), (related("company"), related("merchant")))}),
        ("Parties", {"fields": ((related("actor"), "by_staff"), ("address", "request_id"), moment("created_at"))}),
        ("What", {"fields": (pretty("before"), pretty("after"), "note")}),
    )
