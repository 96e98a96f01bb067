"""URLs of the audit log."""

from django.urls import path

from gateway.dashboard.audit import list

urls = [
    path("audit/", list.log, name="audit"),
]
