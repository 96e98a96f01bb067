"""Where the pages about payments are."""

from django.urls import path

from gateway.dashboard.payments import detail, listing, refund, trial, views

urls = [
    path("payments/", listing.payments_list, name="payments"),
    path("payments/views", views.keep, name="keep_view"),
    path("payments/views/<int:view_id>/delete", views.delete, name="delete_view"),
    path("payments/new", trial.new, name="new_payment"),
    path("payments/returned", trial.returned, name="payment_returned"),
    path("payments/<str:payment_id>/", detail.payment, name="payment"),
    path("payments/<str:payment_id>/refund", refund.ask, name="ask_refund"),
    path("payments/<str:payment_id>/refund/confirm", refund.confirm, name="confirm_refund"),
    path("payments/<str:payment_id>/simulate", detail.simulate, name="simulate_payment"),
    path("payments/<str:payment_id>/receipt.pdf", detail.receipt, name="payment_receipt"),
]
