"""URLs of scheduled reports."""

from django.urls import path

from gateway.dashboard.reports import pages

urls = [
    path("notifications/reports/", pages.reports, name="reports"),
    path("notifications/reports/<str:report_id>/end", pages.end, name="end_report"),
]
