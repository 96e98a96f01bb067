"""URLs of the statement: page, print view and file."""

from django.urls import path

from gateway.dashboard.statement import detail

urls = [
    path("statement/", detail.statement, name="statement"),
    path("statement/print", detail.printed, name="statement_print"),
    path("statement/file", detail.as_file, name="statement_csv"),
]
