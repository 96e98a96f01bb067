"""The history of a record: what the audit trail has of it."""

from typing import Any

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import AuditEntry
from gateway.staff.kit.audit_words import did
from gateway.staff.kit.audited import Audited
from gateway.staff.kit.columns import EMPTY, unbroken
from gateway.staff.kit.headline import when

MOST = 200
HEADERS = [_("When (UTC)"), _("Who"), _("Did what"), _("Changed"), _("Note")]


class Trailed(Audited):
    """Whoever may view a record may read its trail."""

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        record = self.get_object(request, unquote(object_id))
        if record is None:
            raise Http404
        if not self.has_view_or_change_permission(request, record):
            raise PermissionDenied
        found = AuditEntry.objects.filter(object_id=str(record.pk)).select_related("actor").order_by("-pk")
        table = {
            "headers": HEADERS,
            "rows": [_row(one) for one in found[:MOST]],
        }
        shown = {
            "opts": self.opts,
            "original": record,
            "title": gettext("History of %(record)s") % {"record": record},
            "table": table,
        }
        everywhere = self.admin_site.each_context(request)
        return TemplateResponse(request, "admin/trail.html", {**everywhere, **shown, **(extra_context or {})})


def _row(entry: AuditEntry) -> list[Any]:
    side = gettext("staff") if entry.by_staff else gettext("company")
    who = f"{entry.actor} ({side})" if entry.actor else gettext("Service or host")
    names = sorted({*(entry.before or {}), *(entry.after or {})})
    changed = ", ".join(translation.gettext(name.replace("_", " ")) for name in names)
    return [unbroken(when(entry.created_at)), who, did(entry.action), changed or EMPTY, entry.note or EMPTY]
