"""The whole API on one page."""

from django.urls import path

from accounts.environments import serves
from accounts.models import Environment
from gateway.api.v2 import (
    approvals,
    balances,
    beneficiaries,
    boletos,
    companies,
    conversions,
    customers,
    events,
    payment_links,
    payment_methods,
    payments,
    payout_schedules,
    receipts,
    refunds,
    simulations,
    webhooks,
    withdrawals,
)

_everywhere = [
    path("payments", payments.PaymentsView.as_view()),
    path("payments/<str:payment_id>", payments.PaymentView.as_view()),
    path("payments/<str:payment_id>/boleto", boletos.BoletoView.as_view()),
    path("payments/<str:payment_id>/receipt", receipts.ReceiptView.as_view()),
    path("payments/<str:payment_id>/refunds", refunds.PaymentRefundsView.as_view()),
    path("refunds/<str:refund_id>", refunds.RefundView.as_view()),
    path("refunds/<str:refund_id>/responses", refunds.RefundResponsesView.as_view()),
    path("transactions/<str:payment_id>", payments.PaymentView.as_view()),
    path("payment-links", payment_links.PaymentLinksView.as_view()),
    path("payment-links/<str:link_id>", payment_links.PaymentLinkView.as_view()),
    path("payment-methods", payment_methods.PaymentMethodsView.as_view()),
    path("customers", customers.CustomersView.as_view()),
    path("customers/<str:customer_id>/payment-methods", customers.PaymentMethodsOfCustomerView.as_view()),
    path("customers/<str:customer_id>/payment-methods/<str:token>", customers.PaymentMethodOfCustomerView.as_view()),
    path("withdrawals", withdrawals.WithdrawalsView.as_view()),
    path("withdrawals/pix", withdrawals.PixWithdrawalsView.as_view()),
    path("withdrawals/spei", withdrawals.SpeiWithdrawalsView.as_view()),
    path("withdrawals/bank-transfer", withdrawals.BankWithdrawalsView.as_view()),
    path("withdrawals/crypto", withdrawals.CryptoWithdrawalsView.as_view()),
    path("withdrawals/<str:withdrawal_id>", withdrawals.WithdrawalView.as_view()),
    path("payout-schedules", payout_schedules.PayoutSchedulesView.as_view()),
    path("payout-schedules/<str:schedule_id>", payout_schedules.PayoutScheduleView.as_view()),
    path("withdrawals/<str:withdrawal_id>/approvals", approvals.ApprovalsView.as_view()),
    path("beneficiaries", beneficiaries.BeneficiariesView.as_view()),
    path("beneficiaries/<str:beneficiary_id>", beneficiaries.BeneficiaryView.as_view()),
    path("webhooks", webhooks.EndpointsView.as_view()),
    path("webhooks/<str:webhook_id>", webhooks.EndpointView.as_view()),
    path("webhooks/<str:webhook_id>/secret-rotations", webhooks.SecretRotationsView.as_view()),
    path("webhooks/<str:webhook_id>/tests", webhooks.TestsView.as_view()),
    path("webhooks/<str:webhook_id>/deliveries", webhooks.DeliveriesView.as_view()),
    path("webhooks/<str:webhook_id>/deliveries/<str:delivery_id>", webhooks.DeliveryView.as_view()),
    path("webhooks/<str:webhook_id>/deliveries/<str:delivery_id>/redeliveries", webhooks.RedeliveriesView.as_view()),
    path("webhooks/<str:webhook_id>/replays", webhooks.ReplaysView.as_view()),
    path("webhooks/<str:webhook_id>/verifications", webhooks.VerificationsView.as_view()),
    path("events", events.EventsView.as_view()),
    path("events/<str:event_id>", events.EventView.as_view()),
    path("companies/<str:company_id>", companies.CompanyView.as_view()),
    path("companies/<str:company_id>/balance", balances.BalanceView.as_view()),
    path("companies/<str:company_id>/balance/explain", balances.ExplainView.as_view()),
    path("companies/<str:company_id>/balances/releasing", balances.ReleasingView.as_view()),
    path("companies/<str:company_id>/balances/blocked", balances.BlockedView.as_view()),
    path("companies/<str:company_id>/statement", balances.StatementView.as_view()),
    path("companies/<str:company_id>/wallets/conversions", conversions.ConversionsView.as_view()),
    path("companies/<str:company_id>/wallets/conversions/quote", conversions.ConversionQuoteView.as_view()),
    path("companies/<str:company_id>/wallets/conversions/confirm", conversions.ConversionConfirmationView.as_view()),
    path("companies/<str:company_id>/wallets/conversions/<str:conversion_id>", conversions.ConversionView.as_view()),
]
_of_the_sandbox = [
    path("simulations/payments/<str:payment_id>", simulations.PaymentSimulationView.as_view()),
    path("simulations/payments/<str:payment_id>/refund-requests", simulations.RefundRequestsView.as_view()),
    path("simulations/refunds/<str:refund_id>", simulations.RefundSimulationView.as_view()),
    path("simulations/withdrawals/<str:withdrawal_id>", simulations.WithdrawalSimulationView.as_view()),
    path("simulations/clock", simulations.ClockView.as_view()),
]
every_route = [*_everywhere, *_of_the_sandbox]
"""What the contract documents."""
urlpatterns = every_route if serves(Environment.SANDBOX) else _everywhere
