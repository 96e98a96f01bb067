"""The whole API on one page."""

from django.urls import path

from gateway.api.v2 import boletos, companies, customers, payment_methods, payments, receipts, simulations, webhooks

urlpatterns = [
    path("payments", payments.Payments.as_view()),
    path("payments/<str:payment_id>", payments.Payment.as_view()),
    path("payments/<str:payment_id>/boleto", boletos.Boleto.as_view()),
    path("payments/<str:payment_id>/receipt", receipts.Receipt.as_view()),
    path("transactions/<str:payment_id>", payments.Payment.as_view()),
    path("payment-methods", payment_methods.PaymentMethods.as_view()),
    path("customers", customers.Customers.as_view()),
    path("simulations/payments/<str:payment_id>", simulations.PaymentSimulation.as_view()),
    path("simulations/clock", simulations.Clock.as_view()),
    path("webhooks", webhooks.Endpoints.as_view()),
    path("companies/<str:company_id>", companies.Company.as_view()),
    path("companies/<str:company_id>/balance", companies.Balance.as_view()),
]
