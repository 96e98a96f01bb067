"""URLs of the pages about the balance."""

from django.urls import path

from gateway.dashboard.balance import detail, explain

urls = [
    path("balance/", detail.balance, name="balance"),
    path("balance/explain", explain.explanation, name="explain"),
]
