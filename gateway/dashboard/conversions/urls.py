"""URLs of the pages about conversions."""

from django.urls import path

from gateway.dashboard.conversions import detail, list, new

urls = [
    path("conversions/", list.conversions, name="conversions"),
    path("conversions/new/", new.new, name="new_conversion"),
    path("conversions/<str:conversion_id>/", detail.conversion, name="conversion"),
]
