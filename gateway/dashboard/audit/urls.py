"""Where the audit log is."""

from django.urls import path

from gateway.dashboard.audit import list

urls = [
    path("audit/", list.log, name="audit"),
]
