"""URLs of months."""

from django.urls import path

from gateway.dashboard.months import pages

urls = [
    path("months/", pages.months, name="months"),
    path("months/readers", pages.readers, name="month_readers"),
    path("months/verify_month.py", pages.script, name="month_script"),
    path("months/<str:label>/", pages.month, name="month"),
    path("months/<str:label>/close", pages.close, name="close_month"),
    path("months/<str:label>/all", pages.everything, name="month_files"),
    path("months/<str:label>/files/<str:name>", pages.file, name="month_file"),
]
