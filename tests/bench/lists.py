"""How long the long lists of the API take for a merchant with half a million payments, whichever page is asked for."""

from functools import partial
from typing import Any

from django.db import connection
from django.test import Client

from accounts.models import Merchant
from gateway.payments.models import Payment
from gateway.sales.services import sum_up
from tests.bench import history, stage
from tests.bench.scale import scaled
from tests.bench.timing import Timed, measure, table
from tests.support.companies import Shop

PAYMENTS = scaled(500_000, 500)
SIZE = 100
LAST, MIDDLE, MIDDLE_PIX, LAST_PIX = (max(1, PAYMENTS * part // SIZE // 100) for part in (99, 50, 26, 50))


def measured(shop: Shop, neighbours: list[Merchant]) -> str:
    """As many payments again are of the neighbours."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    history.fill(shop.sandbox, neighbours, PAYMENTS)
    sum_up()
    stage.settle()
    with connection.cursor() as cursor:
        cursor.execute("RESET statement_timeout")
    return told(shop)


def told(shop: Shop) -> str:
    company = shop.company.id
    client = Client(headers={"x-api-key": shop.sandbox_key, "host": "localhost"})
    middle = Payment.objects.filter(merchant=shop.sandbox).order_by("-created_at")[PAYMENTS // 2].pk
    period = {"createdFrom": "2000-01-01T00:00:00Z"}
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        "payments": ("/payments", {}),
        "payments, in the middle": ("/payments", {"pageNumber": MIDDLE}),
        "payments, the last page": ("/payments", {"pageNumber": LAST}),
        "payments, after one in the middle": ("/payments", {"after": middle}),
        "PIX": ("/payments", {"method": "PIX"}),
        "PIX, in the middle": ("/payments", {"method": "PIX", "pageNumber": MIDDLE_PIX}),
        "PIX, the last page": ("/payments", {"method": "PIX", "pageNumber": LAST_PIX}),
        "PAID": ("/payments", {"status": "PAID"}),
        "REFUNDED": ("/payments", {"status": "REFUNDED"}),
        "nothing matches": ("/payments", {"method": "PIX", "currency": "MXN"}),
        "all of a period": ("/payments", period),
        "all of a period, in the middle": ("/payments", period | {"pageNumber": MIDDLE}),
        "customers": ("/customers", {}),
        "customers, in the middle": ("/customers", {"pageNumber": max(1, MIDDLE // 3)}),
        "releasing": (f"/companies/{company}/balances/releasing", {}),
        "releasing, of cards": (f"/companies/{company}/balances/releasing", {"method": "CREDIT_CARD"}),
        "releasing, page 200": (f"/companies/{company}/balances/releasing", {"pageNumber": scaled(200, 2)}),
    }
    lists = [Timed(name, {"list": partial(_read, client, *what)}) for name, what in asked.items()]
    measure(lists, rounds=scaled(20, 1), warm_up=scaled(6, 0))
    return table(f"lists of {PAYMENTS:,} payments", lists)


def _read(client: Client, path: str, query: dict[str, Any]) -> None:
    answer = client.get(f"/api/v2{path}", {"pageSize": SIZE} | query)
    assert answer.status_code == 200, answer.content
