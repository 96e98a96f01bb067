"""URLs of the request log."""

from django.urls import path

from gateway.dashboard.requests import detail, list

urls = [
    path("requests/", list.requests, name="requests"),
    path("requests/<str:request_id>", detail.detail, name="request"),
]
