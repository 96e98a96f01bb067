"""The first page: how business is, and what needs attention."""

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import Here, door


@require_safe
@door(May.READ_PAYMENTS)
def home(request: HttpRequest, here: Here) -> HttpResponse:
    return here.render("home.html")


urls = [path("", home, name="home")]
