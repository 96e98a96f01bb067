"""URLs of the pages about API keys."""

from django.urls import path

from gateway.dashboard.keys import detail, list, new

urls = [
    path("keys/", list.keys, name="keys"),
    path("keys/new", new.new, name="new_key"),
    path("keys/<str:key_id>/rotate", detail.rotate, name="rotate_key"),
    path("keys/<str:key_id>/revoke", detail.revoke, name="revoke_key"),
]
