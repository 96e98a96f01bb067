"""Accepting the terms, and their text where the operator has published none."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_safe

from accounts import terms
from accounts.models import User


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def accept_terms(request: HttpRequest) -> HttpResponse:
    """Asks for the current version; afterwards the person goes on to `next`."""
    assert isinstance(request.user, User)
    following = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        following = reverse("dashboard:root")
    is_refused = request.method == "POST" and "terms" not in request.POST
    if request.method == "POST" and not is_refused:
        terms.accept(request, request.user)
    if request.user.terms_version == settings.TERMS_VERSION:
        return HttpResponseRedirect(following)
    known = {"is_refused": is_refused, "was_accepted": bool(request.user.terms_version)}
    return render(request, "dashboard/terms.html", terms.links() | known)


@require_safe
def legal(request: HttpRequest, kind: str) -> HttpResponse:
    """The plain text of an operator without a page of its own."""
    return render(request, "dashboard/legal.html", {"kind": kind, "version": settings.TERMS_VERSION})
