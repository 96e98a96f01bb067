"""Every address of the service."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView

from accounts.confirming import confirm_action
from accounts.staff_invitations import StaffInvitation
from gateway import health, pages
from gateway.api import views
from gateway.checkout.pages import checkout
from gateway.dashboard.receivables.feed import money_calendar
from gateway.payments import links
from gateway.receipts import pages as receipts
from gateway.sdk import pages as sdk


@csrf_exempt  # as both pages are: the address itself is what allows to act
def payers_page(request: HttpRequest, token: str) -> HttpResponse:
    """Where payers act: the card page, or the checkout of a method without a card. Each token opens one of them."""
    page = sdk.hosted if links.of_hosted_card_page(token) else checkout
    return page(request, token=token)


urlpatterns = [
    path("", RedirectView.as_view(url="/docs", permanent=False)),
    path("health/", health.health),
    path("checkout/<str:token>", payers_page),
    path("sdk/", include("gateway.sdk.urls")),
    path("demo/", include("gateway.demo.urls")),
    path("docs", pages.reference),
    path("docs/cards", pages.cards),
    path("docs/money-out", pages.money_out),
    path("docs/webhooks", pages.webhooks),
    path("docs/sandbox", pages.sandbox),
    path("docs/errors", pages.errors),
    path("api/v2/openapi.json", pages.schema),
    path("api/v2/", include("gateway.api.v2.urls")),
    path("receipts/<str:receipt_id>", receipts.receipt),
    path("calendars/<str:company_id>/<str:environment>.ics", money_calendar, name="money_calendar"),
    path("dashboard/", include("gateway.dashboard.urls")),
    path("accounts/confirm/", confirm_action, name="confirm_action"),
    path("accounts/staff/<uidb64>/<token>/", StaffInvitation.as_view(), name="staff_invitation"),
    path("accounts/", include("allauth.urls")),
    path("accounts/sessions/", include("allauth.usersessions.urls")),
    path("admin/", admin.site.urls),
]

handler400 = views.bad_request
handler403 = views.forbidden
handler404 = views.not_found
handler500 = views.server_error
