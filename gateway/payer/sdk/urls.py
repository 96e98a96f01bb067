"""URLs of the browser SDK."""

from django.urls import path

from gateway.payer.sdk import calls, pages, tokens

urlpatterns = [
    path("onpay-card.js", pages.script),
    path("onpay_listen.py", pages.listener),
    path("onpay-card-<str:version>.js", pages.script),
    path("acquirers/<slug:acquirer>-<str:version>.js", pages.adapter),
    path("v1/fields/<str:payment_id>/<str:kind>", pages.field),
    path("v1/session", calls.session),
    path("v1/tokens", tokens.tokens),
    path("v1/confirm", calls.confirm),
    path("v1/3ds/<str:challenge_id>", pages.challenge),
]
