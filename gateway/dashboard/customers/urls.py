"""URLs of the pages about customers."""

from django.urls import path

from gateway.dashboard.customers import detail, list

urls = [
    path("customers/", list.customers_list, name="customers"),
    path("customers/<str:customer_id>/", detail.customer, name="customer"),
]
