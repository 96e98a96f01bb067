"""URLs of the pages about customers."""

from django.urls import path

from gateway.dashboard.customers import detail, list, saved_cards

urls = [
    path("customers/", list.customers_list, name="customers"),
    path("customers/<str:customer_id>/", detail.customer, name="customer"),
    path(
        "customers/<str:customer_id>/cards/<str:token>/remove/",
        saved_cards.remove_saved_card,
        name="remove_saved_card",
    ),
]
