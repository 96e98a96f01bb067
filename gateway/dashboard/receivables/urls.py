"""URLs of the pages about receivables."""

from django.urls import path

from gateway.dashboard.receivables import list

urls = [
    path("receivables/", list.month, name="receivables"),
]
