"""What the libraries call each operation: `createPayment` is `client.payments.create`, in both languages."""

import keyword
import re

NAMES = {
    "createPayment": "payments.create",
    "getPayment": "payments.get",
    "listPayments": "payments.list",
    "expirePayment": "payments.expire",
    "getBoleto": "payments.boleto",
    "getReceipt": "payments.receipt",
    "listPaymentMethods": "payments.methods",
    "createRefund": "refunds.create",
    "getRefund": "refunds.get",
    "listRefunds": "refunds.list",
    "answerRefund": "refunds.answer",
    "createPaymentLink": "payment_links.create",
    "getPaymentLink": "payment_links.get",
    "listPaymentLinks": "payment_links.list",
    "changePaymentLink": "payment_links.update",
    "listCustomers": "customers.list",
    "listCustomerPaymentMethods": "customers.payment_methods",
    "removeCustomerPaymentMethod": "customers.remove_payment_method",
    "createPixWithdrawal": "withdrawals.create_pix",
    "createSpeiWithdrawal": "withdrawals.create_spei",
    "createBankTransferWithdrawal": "withdrawals.create_bank_transfer",
    "createCryptoWithdrawal": "withdrawals.create_crypto",
    "getWithdrawal": "withdrawals.get",
    "listWithdrawals": "withdrawals.list",
    "decideWithdrawal": "withdrawals.decide",
    "getWithdrawalReceipt": "withdrawals.receipt",
    "getPayoutSchedule": "payout_schedules.get",
    "listPayoutSchedules": "payout_schedules.list",
    "addBeneficiary": "beneficiaries.create",
    "getBeneficiary": "beneficiaries.get",
    "listBeneficiaries": "beneficiaries.list",
    "removeBeneficiary": "beneficiaries.delete",
    "getCompany": "companies.get",
    "getBalance": "companies.balance",
    "explainBalance": "companies.explain_balance",
    "listReleasingMoney": "companies.releasing",
    "listBlockedMoney": "companies.blocked",
    "getStatement": "companies.statement",
    "reconcileDay": "companies.reconciliation",
    "quoteConversion": "conversions.quote",
    "confirmConversion": "conversions.confirm",
    "getConversion": "conversions.get",
    "listConversions": "conversions.list",
    "createWebhook": "webhook_endpoints.create",
    "getWebhook": "webhook_endpoints.get",
    "listWebhooks": "webhook_endpoints.list",
    "updateWebhook": "webhook_endpoints.update",
    "deleteWebhook": "webhook_endpoints.delete",
    "rotateWebhookSecret": "webhook_endpoints.rotate_secret",
    "sendTestEvent": "webhook_endpoints.send_test",
    "listDeliveries": "webhook_endpoints.deliveries",
    "getDelivery": "webhook_endpoints.delivery",
    "redeliver": "webhook_endpoints.redeliver",
    "replayEvents": "webhook_endpoints.replay",
    "verifySignature": "webhook_endpoints.diagnose_signature",
    "getEvent": "events.get",
    "listEvents": "events.list",
    "simulatePayment": "sandbox.end_payment",
    "simulateLateMoney": "sandbox.pay_late",
    "topUpBalance": "sandbox.top_up_balance",
    "simulateRefundRequest": "sandbox.request_refund",
    "simulateRefund": "sandbox.end_refund",
    "simulateWithdrawal": "sandbox.end_withdrawal",
    "getClock": "sandbox.clock",
    "advanceClock": "sandbox.advance_clock",
    "startChaos": "sandbox.start_chaos",
    "getChaos": "sandbox.chaos",
    "endChaos": "sandbox.end_chaos",
    "startReadinessCheck": "sandbox.start_readiness_check",
    "getReadinessCheck": "sandbox.readiness_check",
    "finishReadinessCheck": "sandbox.finish_readiness_check",
    "reportRelease": "sandbox.report_release",
}
LEFT_OUT = {"getTransaction"}
"""A second address of `getPayment`."""


def snake(name: str) -> str:
    """`paid_at` of `paidAt`, as Python has it; a trailing underscore where Python has the word."""
    plain = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
    assert camel(plain) == name, f"{name} is not found again from {plain}"
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def camel(name: str) -> str:
    """`paymentLinks` of `payment_links`, as TypeScript has it."""
    head, *tail = name.split("_")
    return head + "".join(word.title() for word in tail)
