"""Pages as support sees them while it looks at a company: read-only, without files and without secrets."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.models import Membership, StaffView
from accounts.roles import Role
from accounts.viewing import services as viewing

READING = ("GET", "HEAD")


def as_viewer(look: StaffView) -> Membership:
    """What a look allows: what a viewer reads. It is stored nowhere."""
    return Membership(company=look.company, user=look.user, role=Role.VIEWER)


def is_forbidden(request: HttpRequest, *, steps_up: bool) -> bool:
    """Whether a look never reaches this page: forms, and pages behind the second factor, which reveal or move."""
    return steps_up or request.method not in READING


def is_page(response: HttpResponseBase) -> bool:
    """Whether it is a page to be looked at. Files take personal data along, and are for the company."""
    kind = response.headers.get("Content-Type", "")
    return kind.startswith("text/html") and "Content-Disposition" not in response.headers


@require_POST
@login_required
def end_look(request: HttpRequest) -> HttpResponse:
    """Ends the look of this session, and returns to the company's page of the staff admin."""
    company = viewing.end(request)
    where = reverse("admin:accounts_company_change", args=[company.pk]) if company else reverse("dashboard:root")
    return HttpResponseRedirect(where)
