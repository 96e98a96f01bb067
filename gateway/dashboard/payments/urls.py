"""URLs of the payment pages."""

from django.urls import path

from gateway.dashboard.payments import detail, list, new

urls = [
    path("payments/", list.payments_list, name="payments"),
    path("payments/new", new.new, name="new_payment"),
    path("payments/returned", new.returned, name="payment_returned"),
    path("payments/<str:payment_id>/", detail.payment, name="payment"),
    path("payments/<str:payment_id>/end", detail.end, name="end_payment"),
    path("payments/<str:payment_id>/simulate", detail.simulate, name="simulate_payment"),
    path("payments/<str:payment_id>/receipt.pdf", detail.receipt, name="payment_receipt"),
]
