"""URLs of the pages about payment links."""

from django.urls import path

from gateway.dashboard.payment_links import detail, list, new

urls = [
    path("payment-links/", list.payment_links, name="payment_links"),
    path("payment-links/new", new.new, name="new_payment_link"),
    path("payment-links/<str:link_id>", detail.payment_link, name="payment_link"),
    path("payment-links/<str:link_id>/status", detail.switch, name="switch_payment_link"),
]
