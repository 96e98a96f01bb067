"""URLs of the event log."""

from django.urls import path

from gateway.dashboard.events import detail, list

urls = [
    path("events/", list.events, name="events"),
    path("events/<str:event_id>", detail.event, name="event"),
]
