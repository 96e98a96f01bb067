"""All URLs of the service, as far as this process serves their environment."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from accounts.confirming import confirm_action
from accounts.environments import serves
from accounts.models import Environment
from accounts.staff_invitations import StaffInvitation
from gateway import health
from gateway.api import views
from gateway.api.reference import pages
from gateway.callbacks.views import receive
from gateway.dashboard.receivables.feed import money_calendar
from gateway.payer import receipts
from gateway.payer.logos import logo
from gateway.payer.pages import payers_page
from gateway.payer.payment_links.pages import payment_link
from gateway.payer.saved_cards import saved_card

urlpatterns = [
    path("api/v2/", include("gateway.api.v2.urls")),  # first: patterns are tried in their order
    path("", RedirectView.as_view(url="/docs", permanent=False)),
    path("health/", health.health),
    path("checkout/<str:token>", payers_page),
    path("pay/<str:token>", payment_link),
    path("logos/<str:name>.png", logo),
    path("sdk/", include("gateway.payer.sdk.urls")),
    path("", include(pages)),
    path("api/v2/openapi.json", pages.schema),
    path("receipts/<str:receipt_id>", receipts.receipt),
    path("saved-cards/<str:token>", saved_card),
    path("calendars/<str:company_id>/<str:environment>.ics", money_calendar, name="money_calendar"),
    path("dashboard/", include("gateway.dashboard.urls")),
    path("accounts/confirm/", confirm_action, name="confirm_action"),
    path("accounts/", include("allauth.urls")),
    path("accounts/sessions/", include("allauth.usersessions.urls")),
]
if serves(Environment.SANDBOX):
    urlpatterns.append(path("demo/", include("gateway.demo.urls")))
if serves(Environment.PRODUCTION):  # with our staff, who decide about real money
    urlpatterns += [
        path("callbacks/<str:account_id>", receive),
        path("callbacks/<str:account_id>/<path:path>", receive),
        path("accounts/staff/<uidb64>/<token>/", StaffInvitation.as_view(), name="staff_invitation"),
        path("admin/", admin.site.urls),
    ]

handler400 = views.bad_request
handler403 = views.forbidden
handler404 = views.not_found
handler500 = views.server_error
