"""Orders that work in the sandbox as they are: one per payment method and currency, and one per payout rail."""

from datetime import timedelta
from typing import Any

from accounts.base.clock import utcnow

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
            dueDate=(utcnow() + timedelta(days=30)).date().isoformat(),
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
"""One order per payment method: shown in the reference, and paid by the tests."""


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
    ("BANK_TRANSFER", "BRL"): _withdrawal(
        1500.00,
        "BRL",
        bankCode="341",
        branch="0932",
        accountNumber="12345-6",
        accountType="CHECKING",
        beneficiaryName="Ana Souza",
        beneficiaryTaxId="52998224725",
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
"""One withdrawal per rail; it works with one's own companyId."""
