"""The evidence pack of a dispute: looked at, put among the evidence of the answer, or handed in by itself."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.base import files
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.refunds.detail import owned
from gateway.evidence import services as evidence
from gateway.evidence.models import AutomaticEvidence
from gateway.refunds import inbox
from gateway.refunds.models import Origin


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.REFUND)
def pack(request: HttpRequest, here: RequestContext, refund_id: str) -> HttpResponse:
    """Serves the pack as of now; a POST puts it among the evidence of the draft."""
    found = owned(here, refund_id)
    if found.origin != Origin.PAYER:
        raise Http404
    if request.method != "POST":
        made = evidence.pack(found)
        return files.download(made.content, made.content_type, made.file_name or "")
    if not inbox.can_contest(found):
        return here.redirect("refund", found.pk)
    evidence.add_to_draft(here.merchant, found.pk, here.user)
    return here.redirect("contest_refund", found.pk, message=_("The evidence pack is among the evidence of the draft."))


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MOVE_MONEY)
def automatic(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Whether packs are handed in by themselves, in this environment."""
    if request.method == "POST":
        on = request.POST.get("on") == "1"
        evidence.switch(request, here.merchant, on=on)
        said = (
            _("Evidence is handed in by itself from now on.") if on else _("Evidence is no longer handed in by itself.")
        )
        return here.redirect("automatic_evidence", message=said)
    enabled = AutomaticEvidence.objects.filter(merchant=here.merchant).select_related("enabled_by").first()
    return here.render("refunds/automatic.html", enabled=enabled)
