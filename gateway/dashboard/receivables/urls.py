"""URLs of the pages about receivables."""

from django.urls import path

from gateway.dashboard.receivables import ahead, list

urls = [
    path("receivables/", list.month, name="receivables"),
    path("receivables/ahead", ahead.ahead, name="money_ahead"),
]
