"""What a call of each operation of the API takes."""

from typing import Any

from gateway.simulations.examples import WITHDRAWALS
from tests.support.payments import pix

EVERY = {
    "payments:write",
    "transactions:read",
    "refunds:write",
    "refunds:read",
    "payment-methods:read",
    "webhooks:write",
    "webhooks:read",
    "companies:read",
    "balances:read",
    "withdrawals:write",
    "withdrawals:read",
    "withdrawals:approve",
    "conversions:write",
    "customers:read",
}


BODIES: dict[str, dict[str, Any]] = {
    "/payments": pix(reference="order-of-this-test"),
    "/payments/{paymentId}/refunds": {"amount": 1},
    "/refunds/{refundId}/responses": {"answer": "ACCEPT"},
    "/simulations/payments/{paymentId}": {"status": "PAID"},
    "/simulations/payments/{paymentId}/refund-requests": {"amount": 1},
    "/simulations/refunds/{refundId}": {"status": "COMPLETED"},
    "/simulations/withdrawals/{withdrawalId}": {"status": "COMPLETED"},
    "/simulations/balances": {"amount": 10, "currency": "BRL"},
    "/simulations/chaos": {"disturbances": ["OLD"], "minutes": 1},
    "/simulations/readiness-checks": {"endpointId": "whk_1"},
    "/simulations/releases": {"paymentId": "pay_1"},
    "/simulations/clock": {"advanceBy": "PT1S"},
    "/companies/{companyId}/wallets/conversions/quote": {
        "sourceMethod": "PIX", "destinationMethod": "SPEI", "sourceAmount": 1000,
    },
    "/companies/{companyId}/wallets/conversions/confirm": {"quoteToken": "onpq1.x.x"},
    "/withdrawals/pix": WITHDRAWALS["PIX", "BRL"],
    "/withdrawals/spei": WITHDRAWALS["SPEI", "MXN"],
    "/withdrawals/bank-transfer": WITHDRAWALS["BANK_TRANSFER", "ARS"],
    "/withdrawals/crypto": WITHDRAWALS["CRYPTO", "USDT"],
    "/withdrawals/{withdrawalId}/approvals": {"decision": "APPROVE"},
    "/beneficiaries": {
        "name": "Ana Souza",
        "rail": "PIX",
        "currency": "BRL",
        "destination": {"pixKey": "ana@example.com", "pixKeyType": "EMAIL"},
    },
    "/payment-links": {"description": "Enrolment", "currency": "BRL", "amount": 10},
    "/payment-links/{linkId}": {"status": "PAUSED"},
    "/webhooks": {"url": "http://127.0.0.1:9000/hooks", "events": ["payment.paid"]},
    "/webhooks/{webhookId}": {"status": "INACTIVE"},
    "/webhooks/{webhookId}/verifications": {"headers": {}, "body": ""},
}  # fmt: skip


UNKNOWN = {
    "refundId": "ref_01KAGTW3Q8XJ5V0N2B7R4C9REF",
    "scheduleId": "psc_01KAGTW3Q8XJ5V0N2B7R4C9PSC",
    "withdrawalId": "wdr_01KAGTW3Q8XJ5V0N2B7R4C9WDR",
    "beneficiaryId": "bnf_01KAGTW3Q8XJ5V0N2B7R4C9BNF",
    "linkId": "plk_01KAGTW3Q8XJ5V0N2B7R4C9PLK",
    "conversionId": "cnv_01KAGTW3Q8XJ5V0N2B7R4C9CNV",
    "webhookId": "whk_01KAGTW3Q8XJ5V0N2B7R4C9WHK",
    "deliveryId": "dlv_01KAGTW3Q8XJ5V0N2B7R4C9DLV",
    "eventId": "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT",
    "checkId": "chk_01KAGTW3Q8XJ5V0N2B7R4C9CHK",
}


QUERIES = {f"/companies/{{companyId}}/{what}": {"currency": "BRL"} for what in ("balance/explain", "statement")}
QUERIES["/companies/{companyId}/reconciliation"] = {"date": "2020-01-01"}
