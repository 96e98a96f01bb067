"""URLs of the readiness checks."""

from django.urls import path

from gateway.dashboard.readiness import detail, list

urls = [
    path("lab/readiness/", list.readiness_checks, name="readiness_checks"),
    path("lab/readiness/<str:check_id>", detail.readiness_check, name="readiness_check"),
    path("lab/readiness/<str:check_id>/finish", detail.finish, name="finish_readiness_check"),
]
