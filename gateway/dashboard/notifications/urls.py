"""URLs of the notification centre."""

from django.urls import path

from gateway.dashboard.notifications import centre

urls = [
    path("notifications/", centre.centre, name="notifications"),
    path("notifications/read", centre.read_all, name="read_notifications"),
    path("notifications/<str:notification_id>", centre.opened, name="notification"),
]
