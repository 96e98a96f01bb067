"""The URL of the sales page."""

from django.urls import path

from gateway.dashboard.sales import page

urls = [path("sales/", page.page, name="sales")]
