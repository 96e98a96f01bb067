"""The whole API on one page."""

from django.urls import path

from gateway.api.v2 import (
    balances,
    boletos,
    companies,
    customers,
    payment_methods,
    payments,
    receipts,
    refunds,
    simulations,
    webhooks,
)

urlpatterns = [
    path("payments", payments.Payments.as_view()),
    path("payments/<str:payment_id>", payments.Payment.as_view()),
    path("payments/<str:payment_id>/boleto", boletos.Boleto.as_view()),
    path("payments/<str:payment_id>/receipt", receipts.Receipt.as_view()),
    path("payments/<str:payment_id>/refunds", refunds.PaymentRefunds.as_view()),
    path("refunds/<str:refund_id>", refunds.Refund.as_view()),
    path("refunds/<str:refund_id>/responses", refunds.RefundResponses.as_view()),
    path("transactions/<str:payment_id>", payments.Payment.as_view()),
    path("payment-methods", payment_methods.PaymentMethods.as_view()),
    path("customers", customers.Customers.as_view()),
    path("simulations/payments/<str:payment_id>", simulations.PaymentSimulation.as_view()),
    path("simulations/payments/<str:payment_id>/refund-requests", simulations.RefundRequests.as_view()),
    path("simulations/refunds/<str:refund_id>", simulations.RefundSimulation.as_view()),
    path("simulations/clock", simulations.Clock.as_view()),
    path("webhooks", webhooks.Endpoints.as_view()),
    path("companies/<str:company_id>", companies.Company.as_view()),
    path("companies/<str:company_id>/balance", balances.Balance.as_view()),
    path("companies/<str:company_id>/balance/explain", balances.Explain.as_view()),
    path("companies/<str:company_id>/balances/releasing", balances.Releasing.as_view()),
    path("companies/<str:company_id>/balances/blocked", balances.Blocked.as_view()),
    path("companies/<str:company_id>/statement", balances.Statement.as_view()),
]
