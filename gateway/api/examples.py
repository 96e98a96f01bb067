"""Examples for the published contract: one of each thing, as in real life."""

from datetime import timedelta
from typing import Any

from accounts.clock import wall

_PAYMENT: dict[str, Any] = {
    "id": "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF",
    "companyId": "cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP",
    "environment": "SANDBOX",
    "reference": "order-1042",
    "status": "PENDING",
    "method": "PIX",
    "currency": "BRL",
    "amount": 150.00,
    "fee": 1.50,
    "netAmount": 148.50,
    "refundedAmount": 0,
    "settlementDays": 0,
    "releaseAt": None,
    "customer": {
        "id": "cus_01KAGTW3Q8XJ5V0N2B7R4C9CVS",
        "name": "Maria Silva",
        "email": None,
        "phone": None,
        "taxId": "52998224725",
    },
    "pixCopyPaste": "00020101021226770014br.gov.bcb.pix2555pix.sandbox.onpay.example/v2/01JD3K5V8M0000000000000002"
    "5204000053039865406150.005802BR5912LOJA EXEMPLO6009SAO PAULO62070503***63041052",
    "pixQrCode": "data:image/png;base64,iVBORw0KGgo=",
    "pixTxid": "01KAGTW3Q8XJ5V0N2B7R4C9DEF",
    "pixEndToEndId": None,
    "expiresAt": "2026-11-21T12:00:00.000Z",
    "paidAt": None,
    "createdAt": "2026-11-20T12:00:00.000Z",
    "updatedAt": "2026-11-20T12:00:00.000Z",
}
_ENDPOINT: dict[str, Any] = {
    "id": "whk_01KAGTW3Q8XJ5V0N2B7R4C9WHK",
    "url": "https://shop.example.com/hooks/onpay",
    "events": ["payment.paid", "refund.response_required"],
    "status": "ACTIVE",
    "description": None,
    "disabledReason": None,
    "lastDeliveryAt": None,
    "lastSuccessAt": None,
    "previousSecretExpiresAt": None,
    "createdAt": "2026-11-20T12:00:00.000Z",
    "updatedAt": "2026-11-20T12:00:00.000Z",
}
_DELIVERY: dict[str, Any] = {
    "id": "dlv_01KAGTW3Q8XJ5V0N2B7R4C9DLV",
    "eventId": "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT",
    "eventType": "payment.paid",
    "objectId": "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF",
    "status": "DELIVERED",
    "attempts": 1,
    "httpStatus": 200,
    "error": None,
    "nextAttemptAt": None,
    "deliveredAt": "2026-11-20T12:03:11.204Z",
    "createdAt": "2026-11-20T12:03:11.004Z",
}
_BRL = {"currency": "BRL", "available": 1148.50, "releasing": 192.02, "blocked": 150.00, "total": 1490.52}

_CARLOS = {"name": "Carlos Vives", "taxId": "1018760936"}
_BACK = "https://shop.example.com/orders/1042"


def _order(method: str, amount: float, currency: str, payer: dict[str, Any], **members: Any) -> dict[str, Any]:
    order = {"method": method, "amount": amount, "currency": currency, "reference": "order-1042", "payer": payer}
    return order | members


ORDERS: dict[tuple[str, str], dict[str, Any]] = {
    (order["method"], order["currency"]): order
    for order in (
        _order("PIX", 150.00, "BRL", {"name": "Maria Silva", "taxId": "52998224725"}),
        _order(
            "BOLETO",
            150.00,
            "BRL",
            {
                "name": "Maria Silva",
                "taxId": "52998224725",
                "email": "maria@example.com",
                "address": {
                    "street": "Rua das Flores",
                    "number": "10",
                    "district": "Centro",
                    "city": "São Paulo",
                    "state": "SP",
                    "postalCode": "01001000",
                },
            },
            dueDate=(wall() + timedelta(days=30)).date().isoformat(),
        ),
        _order("SPEI", 2500.00, "MXN", {"name": "Juan Perez"}),
        _order("BANK_TRANSFER", 85000.00, "ARS", {"name": "Ana Gomez", "taxId": "20123456786"}),
        _order("BANK_TRANSFER", 85000, "COP", _CARLOS, returnUrl=_BACK),
        _order("PSE", 85000, "COP", _CARLOS, returnUrl=_BACK),
        _order("NEQUI", 85000, "COP", _CARLOS | {"phone": "3001234567"}, returnUrl=_BACK),
        _order("BRE_B", 85000, "COP", _CARLOS, returnUrl=_BACK),
        *(
            _order(
                method,
                200.00 if currency in ("BRL", "USD", "EUR", "MXN") else 85000,
                currency,
                {"name": "Maria Silva", "taxId": "52998224725"},
                returnUrl=_BACK,
            )
            for method in ("CREDIT_CARD", "DEBIT_CARD")
            for currency in ("BRL", "MXN", "EUR", "COP", "ARS", "USD")
        ),
        _order("MB_WAY", 49.90, "EUR", {"name": "Rita Sousa", "phone": "912344567"}),
    )
}
"""One order for each way to pay: what the reference shows, and what the tests pay."""

COMPANY = "cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP"


def _withdrawal(amount: float, currency: str, **members: Any) -> dict[str, Any]:
    return {"companyId": COMPANY, "amount": amount, "currency": currency, "reference": "wd-77", **members}


WITHDRAWALS: dict[tuple[str, str], dict[str, Any]] = {
    ("PIX", "BRL"): _withdrawal(500.00, "BRL", pixKey="financeiro@lojaexemplo.com.br", pixKeyType="EMAIL"),
    ("SPEI", "MXN"): _withdrawal(
        12000.00,
        "MXN",
        clabe="032180000118359719",
        beneficiaryName="Juan Perez Lopez",
        beneficiaryTaxId="PELJ800101AB1",
        concept="Pago proveedor 45",
        numericReference="4521",
    ),
    ("BANK_TRANSFER", "ARS"): _withdrawal(
        250000.00,
        "ARS",
        cbu="2850590940090418135201",
        beneficiaryName="Ana Gomez",
        beneficiaryTaxId="20123456786",
    ),
    ("BANK_TRANSFER", "COP"): _withdrawal(
        1500000,
        "COP",
        bankCode="007",
        accountType="SAVINGS",
        accountNumber="12345678901",
        beneficiaryName="Carlos Vives",
        documentType="CC",
        documentNumber="1018760936",
    ),
    ("CRYPTO", "USDT"): _withdrawal(
        1000.00,
        "BRL",
        asset="USDT",
        network="TRC20",
        address="TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
        minimumAssetAmount=175.0,
    ),
    ("CRYPTO", "BTC"): _withdrawal(
        10000.00,
        "BRL",
        asset="BTC",
        network="BITCOIN",
        address="bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    ),
}
"""A withdrawal over each rail, as it can be sent once companyId is one's own."""
REQUESTS: dict[str, dict[str, dict[str, Any]]] = {
    "PaymentInput": {" ".join(way): order for way, order in ORDERS.items()},
    "BankWithdrawalInput": {
        currency: body for (rail, currency), body in WITHDRAWALS.items() if rail == "BANK_TRANSFER"
    },
    "CryptoWithdrawalInput": {asset: body for (rail, asset), body in WITHDRAWALS.items() if rail == "CRYPTO"},
}
"""Bodies of which there are several kinds."""

EXAMPLES: dict[str, Any] = {
    "PaymentInput": ORDERS["PIX", "BRL"],
    "PaymentPayload": _PAYMENT,
    "RefundInput": {"amount": 50.00, "reason": "One of three items out of stock", "reference": "rf-1042-1"},
    "AnswerInput": {
        "answer": "CONTEST",
        "message": "Delivered on 2026-11-10, signed by the payer.",
        "evidence": [
            {"type": "URL", "url": "https://shop.example.com/proof/1042.pdf", "description": "Proof of delivery"}
        ],
    },
    "DisputeInput": {"reasonCode": "UNRECOGNIZED", "payerStatement": "I do not know this shop."},
    "RefundOutcomeInput": {"status": "COMPLETED"},
    "RefundPayload": {
        "id": "ref_01KAGTW3Q8XJ5V0N2B7R4C9REF",
        "paymentId": "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF",
        "reference": "rf-1042-1",
        "origin": "MERCHANT",
        "type": "PARTIAL",
        "status": "PROCESSING",
        "amount": 50.00,
        "currency": "BRL",
        "reason": "One of three items out of stock",
        "reasonCode": None,
        "payerStatement": None,
        "responseDueAt": None,
        "responses": [],
        "blockedAmount": 50.00,
        "endToEndId": None,
        "createdAt": "2026-11-20T13:00:00.000Z",
        "updatedAt": "2026-11-20T13:00:00.000Z",
        "completedAt": None,
    },
    "ReceiptPayload": {
        "id": "rcp_01KAGTW3Q8XJ5V0N2B7R4C9DEF",
        "paymentId": "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF",
        "reference": "order-1042",
        "status": "PAID",
        "method": "PIX",
        "amount": 150.00,
        "refundedAmount": 50.00,
        "currency": "BRL",
        "payer": {"name": "Maria Silva", "taxId": "***.982.247-**"},
        "payee": {"name": "Loja Exemplo LTDA", "taxId": "11222333000181"},
        "pixEndToEndId": "E99999999202611201203a1b2c3d4e5f",
        "trackingKey": None,
        "authorizationCode": None,
        "card": None,
        "refunds": [
            {"id": "ref_01KAGTW3Q8XJ5V0N2B7R4C9REF", "amount": 50.00, "completedAt": "2026-11-20T13:00:05.000Z"}
        ],
        "verificationCode": "7F3A-91C2-08DE-44B1",
        "paidAt": "2026-11-20T12:03:11.000Z",
        "issuedAt": "2026-11-20T14:00:00.000Z",
    },
    "SimulationInput": {"status": "PAID"},
    "ClockInput": {"advanceBy": "P30D"},
    "ClockPayload": {"now": "2026-11-20T12:00:00.000Z", "offsetSeconds": 0},
    "AdvancedClockPayload": {
        "now": "2026-12-20T12:00:00.000Z",
        "offsetSeconds": 2592000,
        "fired": [
            {"type": "payment.expired", "id": "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF", "at": "2026-11-21T12:00:00.000Z"}
        ],
    },
    "EndpointInput": {
        "url": "https://shop.example.com/hooks/onpay",
        "events": ["payment.paid", "refund.response_required"],
    },
    "EndpointPayload": _ENDPOINT,
    "EndpointChangeInput": {"status": "INACTIVE"},
    "DeletedPayload": {"id": "whk_01KAGTW3Q8XJ5V0N2B7R4C9WHK", "deleted": True},
    "RotationInput": {"overlapHours": 24},
    "DeliveryPayload": _DELIVERY,
    "DeliveryDetailPayload": _DELIVERY
    | {
        "tries": [
            {
                "number": 1,
                "startedAt": "2026-11-20T12:03:11.120Z",
                "elapsedMs": 84,
                "httpStatus": 200,
                "error": None,
                "answer": "ok",
            }
        ]
    },
    "ReplayInput": {
        "type": "payment.paid",
        "createdFrom": "2026-11-20T00:00:00Z",
        "lastStatus": "FAILED",
        "dryRun": True,
    },
    "ReplayPayload": {"matched": 12, "queued": 0, "dryRun": True},
    "VerificationInput": {
        "headers": {
            "webhook-id": "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT",
            "webhook-timestamp": "1795176191",
            "webhook-signature": "v1,C8sWB6WUj1/ly1kFrz0bzVeFypRHb3XPizmo/F3HXtk=",
        },
        "body": '{"id": "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT", "type": "payment.paid"}',
    },
    "VerificationPayload": {
        "verdict": "BODY_REENCODED",
        "explanation": "The body was parsed and written again before it was verified.",
        "advice": "Verify the raw bytes of the request, before any JSON parser has touched them.",
    },
    "EventPayload": {
        "id": "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT",
        "type": "payment.paid",
        "objectId": "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF",
        "sequence": 1795176191000,
        "occurredAt": "2026-11-20T12:03:11.000Z",
        "createdAt": "2026-11-20T12:03:11.004Z",
        "body": '{"id":"evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT","type":"payment.paid"}',
    },
    "NewEndpointPayload": _ENDPOINT | {"secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
    "CompanyPayload": {
        "id": "cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP",
        "environment": "SANDBOX",
        "legalName": "Loja Exemplo LTDA",
        "tradeName": "Loja Exemplo",
        "taxId": "11222333000181",
        "taxIdType": "CNPJ",
        "country": "BR",
        "email": "financeiro@lojaexemplo.com.br",
        "phone": "+551133334444",
        "status": "ACTIVE",
        "verifiedAt": "2026-10-01T09:00:00.000Z",
        "enabledMethods": [{"method": "PIX", "currency": "BRL"}],
        "withdrawalEnabled": True,
        "withdrawalIp": "203.0.113.10",
        "conversionEnabled": True,
        "advanceEnabled": False,
        "cardIntegrationMode": "SECURE_FIELDS",
        "cardSettlementCurrency": "BRL",
        "createdAt": "2026-09-15T09:00:00.000Z",
        "updatedAt": "2026-11-01T09:00:00.000Z",
    },
    "CurrencyMethodsPayload": {
        "currency": "BRL",
        "methods": [
            {
                "method": "PIX",
                "status": "ENABLED",
                "flow": "PIX_CODE",
                "minAmount": 0.01,
                "maxAmount": 250000.00,
                "amountStep": 0.01,
                "fee": {"percentage": 0.99, "fixed": 0.01},
                "settlementDays": 0,
                "expiration": {"default": 86400, "min": 60, "max": 2592000},
                "requiredFields": ["payer.name", "payer.taxId"],
                "refunds": {"full": True, "partial": True, "windowDays": 90},
            }
        ],
    },
    "CustomerPayload": {
        "id": "cus_01KAGTW3Q8XJ5V0N2B7R4C9CVS",
        "name": "Maria Silva",
        "email": None,
        "phone": None,
        "taxId": "52998224725",
        "taxIdType": "CPF",
        "address": None,
        "createdAt": "2026-11-20T12:00:00.000Z",
        "updatedAt": "2026-11-20T12:00:00.000Z",
    },
    "BalancePayload": {
        "companyId": "cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP",
        "balances": [_BRL],
        "wallets": [{"method": "PIX"} | _BRL],
        "updatedAt": "2026-11-20T15:00:00.000Z",
    },
    "ReleasingPayload": {
        "id": "rcv_01KAGTW3Q8XJ5V0N2B7R4C9RCV",
        "paymentId": "pay_01KAGTW3Q8XJ5V0N2B7R4C9CRD",
        "reference": "order-1043",
        "method": "CREDIT_CARD",
        "walletMethod": "PIX",
        "currency": "BRL",
        "grossAmount": 200.00,
        "fee": 7.98,
        "refundedAmount": 0,
        "amount": 192.02,
        "state": "SCHEDULED",
        "releaseAt": "2026-12-20T12:05:00.000Z",
        "createdAt": "2026-11-20T12:05:00.000Z",
    },
    "BlockedPayload": {
        "id": "blk_01KAGTW3Q8XJ5V0N2B7R4C9BLK",
        "reason": "REFUND_DISPUTE",
        "walletMethod": "PIX",
        "currency": "BRL",
        "amount": 150.00,
        "paymentId": "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF",
        "refundId": "ref_01KAGTW3Q8XJ5V0N2B7R4C9RF2",
        "withdrawalId": None,
        "expectedReleaseAt": "2026-11-23T15:00:00.000Z",
        "createdAt": "2026-11-20T15:00:00.000Z",
    },
    "ExplanationPayload": {
        "companyId": "cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP",
        "currency": "BRL",
        "bucket": "AVAILABLE",
        "from": "2026-11-01T00:00:00.000Z",
        "at": "2026-11-20T15:00:00.000Z",
        "opening": 1000.00,
        "causes": [
            {"cause": "PAYMENTS", "count": 2, "amount": 300.00},
            {"cause": "FEES", "count": 2, "amount": -1.50},
            {"cause": "REFUNDS", "count": 1, "amount": -150.00},
        ],
        "ending": 1148.50,
    },
    "StatementLinePayload": {
        "at": "2026-11-20T15:00:00.000Z",
        "cause": "REFUNDS",
        "kind": "refund.held",
        "reference": "ref_01KAGTW3Q8XJ5V0N2B7R4C9RF2",
        "amount": -150.00,
        "balanceAfter": 1148.50,
    },
    "PixWithdrawalInput": WITHDRAWALS["PIX", "BRL"],
    "SpeiWithdrawalInput": WITHDRAWALS["SPEI", "MXN"],
    "BankWithdrawalInput": WITHDRAWALS["BANK_TRANSFER", "ARS"],
    "CryptoWithdrawalInput": WITHDRAWALS["CRYPTO", "USDT"],
    "WithdrawalPayload": {
        "id": "wdr_01KAGTW3Q8XJ5V0N2B7R4C9WDR",
        "rail": "PIX",
        "status": "PROCESSING",
        "amount": 500.00,
        "currency": "BRL",
        "pixKeyType": "EMAIL",
        "createdAt": "2026-11-20T16:00:00.000Z",
        "companyId": COMPANY,
        "environment": "SANDBOX",
        "reference": "wd-77",
        "fee": 1.00,
        "totalDebited": 501.00,
        "destination": {"pixKey": "f***@lojaexemplo.com.br"},
        "endToEndId": None,
        "updatedAt": "2026-11-20T16:00:00.000Z",
        "completedAt": None,
        "returnedAt": None,
    },
    "PreflightPayload": {
        "wouldBeAccepted": False,
        "origin": "198.51.100.7",
        "registeredIp": "203.0.113.10",
        "payoutCurrency": "BRL",
        "minimum": 1.00,
        "maximum": 100000.00,
        "fee": 1.00,
        "totalDebited": 501.00,
        "assetAmount": None,
        "appliedRate": None,
        "gates": [
            {"gate": "PERMISSION", "holds": True, "code": None, "message": None, "field": None, "fields": []},
            {
                "gate": "REGISTERED_IP",
                "holds": False,
                "code": "ONP403_IP",
                "message": "Withdrawals are accepted from the registered IP address only, and this is another one.",
                "field": None,
                "fields": [],
            },
            {"gate": "BALANCE", "holds": True, "code": None, "message": None, "field": None, "fields": []},
        ],
    },
    "WithdrawalOutcomeInput": {"status": "FAILED", "failureCode": "BENEFICIARY_MISMATCH"},
    "QuoteInput": {"sourceMethod": "PIX", "destinationMethod": "SPEI", "sourceAmount": 1000.00},
    "QuotePayload": {
        "sourceMethod": "PIX",
        "destinationMethod": "SPEI",
        "sourceCurrency": "BRL",
        "destinationCurrency": "MXN",
        "sourceAmount": 1000.00,
        "destinationAmount": 3232.27,
        "marketRate": 3.2815,
        "appliedRate": 3.2322775,
        "spreadPercentage": 1.5,
        "expiresAt": 1795176060000,
        "quoteToken": "onpq1.eyJqdGkiOiIwMUtBR1RXM1E4WEo1VjBOMkI3UjRDOVEwMSJ9.c2lnbmF0dXJl",
    },
    "ConfirmInput": {"quoteToken": "onpq1.eyJqdGkiOiIwMUtBR1RXM1E4WEo1VjBOMkI3UjRDOVEwMSJ9.c2lnbmF0dXJl"},
    "ConversionPayload": {
        "conversionId": "cnv_01KAGTW3Q8XJ5V0N2B7R4C9CNV",
        "companyId": COMPANY,
        "sourceMethod": "PIX",
        "sourceCurrency": "BRL",
        "sourceAmount": 1000.00,
        "destinationMethod": "SPEI",
        "destinationCurrency": "MXN",
        "destinationAmount": 3232.27,
        "marketRate": 3.2815,
        "appliedRate": 3.2322775,
        "spreadPercentage": 1.5,
        "status": "COMPLETED",
        "createdAt": "2026-11-20T12:00:30.000Z",
        "completedAt": "2026-11-20T12:00:30.000Z",
    },
    "Pagination": {"pageNumber": 1, "pageSize": 20, "total": 1, "totalAvailable": 1},
}
