"""Every address of the service."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from gateway import pages
from gateway.api import views
from gateway.checkout.pages import checkout
from gateway.receipts import pages as receipts
from gateway.sdk import pages as sdk

urlpatterns = [
    path("", RedirectView.as_view(url="/docs", permanent=False)),
    path("health/", pages.health),
    re_path(r"^checkout/(?P<payment_id>pay_[0-9A-Z]{26})$", sdk.hosted),
    path("checkout/<str:token>", checkout),
    path("sdk/", include("gateway.sdk.urls")),
    path("demo/", include("gateway.demo.urls")),
    path("docs", pages.reference),
    path("docs/cards", pages.cards),
    path("docs/sandbox", pages.sandbox),
    path("docs/errors", pages.errors),
    path("api/v2/openapi.json", pages.schema),
    path("api/v2/", include("gateway.api.v2.urls")),
    path("receipts/<str:receipt_id>", receipts.receipt),
    path("admin/", admin.site.urls),
]

handler400 = views.bad_request
handler403 = views.forbidden
handler404 = views.not_found
handler500 = views.server_error
