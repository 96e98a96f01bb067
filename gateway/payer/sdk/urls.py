"""URLs of the browser SDK. In production the card fields are those of the acquirer."""

from django.urls import path

from accounts.environments import serves
from accounts.models import Environment
from gateway.payer.sdk import calls, pages

urlpatterns = [
    path("onpay-card.js", pages.script),
    path("onpay-card-<str:version>.js", pages.script),
    path("v1/session", calls.session),
    path("v1/confirm", calls.confirm),
]

if serves(Environment.PRODUCTION):
    from gateway.payer.sdk import acquirers

    urlpatterns += [
        path("acquirers/<slug:acquirer>-<str:version>.js", acquirers.adapter),
        path("v1/3ds/acquirer/<str:payment_id>", acquirers.action),
    ]

if serves(Environment.SANDBOX):
    from gateway.payer.sdk import tokens

    urlpatterns += [
        path("onpay_listen.py", pages.listener),
        path("v1/fields/<str:payment_id>/<str:kind>", pages.field),
        path("v1/tokens", tokens.tokens),
        path("v1/3ds/<str:challenge_id>", pages.challenge),
    ]
