"""URLs of saved views."""

from django.urls import path

from gateway.dashboard.saved_views import pages

urls = [
    path("views/<slug:page>", pages.keep, name="keep_view"),
    path("views/<slug:page>/<int:view_id>/delete", pages.delete, name="delete_view"),
]
