"""Settlements: a company that takes PIX at the pretended Adyen, and its reports."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import F, Sum

from gateway.methods.models import MethodRule
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.providers.settlements import LineKind, ReportedLine
from gateway.refunds import due as due_refunds
from gateway.refunds.models import Refund
from gateway.settlements import due, reports
from gateway.settlements.models import SettlementDay, SettlementLine, SettlementReport
from gateway.settlements.storing import store
from ledger.models import Balance
from tests.support.adyen.account import entered
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import Change
from tests.support.adyen.books import Payment as Money
from tests.support.adyen.settlements import Batch, available
from tests.support.adyen.webhooks import delivered, settled, told
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live
from tests.support.providers import routed


def an_account(*shops: Shop, acquirer: Acquirer) -> ProviderAccount:
    """The platform's account, at which these companies take PIX."""
    for shop in shops:
        live(shop)
    MethodRule.objects.filter(environment="PRODUCTION", method="PIX").update(enabled=True)
    account = entered(acquirer)
    routed(account)
    return account


def ordered(shop: Shop, acquirer: Acquirer, reference: str = "order-1") -> tuple[Payment, Money]:
    """150 reais, not paid yet: here, and there."""
    payer = PIX["payer"] | {"email": "maria@example.com"}  # type: ignore[operator]
    answer = api_of(shop).post("/payments", PIX | {"reference": reference, "payer": payer})
    assert answer.status_code == 201, answer.json()
    return Payment.objects.get(pk=answer.json()["data"]["id"]), acquirer.books.newest()


def paid(shop: Shop, account: ProviderAccount, acquirer: Acquirer, reference: str = "order-1") -> tuple[Payment, Money]:
    payment, money = ordered(shop, acquirer, reference)
    told(account, "AUTHORISATION", money)
    payment.refresh_from_db()
    assert payment.status == "PAID"
    return payment, money


def refunded(shop: Shop, payment: Payment, account: ProviderAccount, acquirer: Acquirer) -> tuple[Refund, Change]:
    """Half of it."""
    assert api_of(shop).post(f"/payments/{payment.pk}/refunds", {"amount": 75.00}).status_code == 201
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    due_refunds.run_due()
    change = acquirer.books.changes[-1]
    settled(account, change)
    return Refund.objects.get(payment=payment), change


def read(account: ProviderAccount, acquirer: Acquirer, batch: Batch) -> SettlementReport:
    """Adyen says that the report is ready; it is downloaded, matched and booked."""
    acquirer.reports[batch.name] = batch.file()
    assert delivered(account, available(batch)) == 200
    sweep()
    return SettlementReport.objects.get(account=account, name=batch.name)


def an_adjustment(account: ProviderAccount, day: str = "2026-11-20") -> SettlementReport:
    """A report with one line, which nobody explains."""
    report = SettlementReport.objects.create(account=account, name=day)
    taken, at = Decimal("-1.00"), datetime.fromisoformat(f"{day}T12:00:00+00:00")
    kind = LineKind.ADJUSTMENT
    store(report, [ReportedLine("txn_1", kind, "adj_1", taken, "BRL", Decimal(0), taken, "BRL", at)])
    sweep()
    return report


def sweep() -> None:
    while due.run_due():
        pass


def a_day_later() -> None:
    """Lines that waited have waited for a day; then the sweep runs."""
    moved = {name: F(name) - timedelta(days=1, minutes=1) for name in ("created_at", "due_at")}
    SettlementLine.objects.filter(due_at__isnull=False).update(**moved)
    sweep()


def read_again(account: ProviderAccount, name: str) -> None:
    SettlementReport.objects.filter(account=account, name=name).update(due_at=F("created_at"))
    sweep()


def open_days() -> None:
    reports.open_days()
    sweep()


def held(kind: str, shop: Shop | None = None) -> int:
    """The balance of all accounts of a kind, of one company or of all."""
    of = {"account__merchant": shop.production} if shop else {}
    return int(Balance.objects.filter(account__kind=kind, **of).aggregate(all=Sum("amount"))["all"] or 0)


def states() -> list[tuple[str, str]]:
    return list(SettlementLine.objects.order_by("pk").values_list("kind", "state"))


def day_of(**which: Any) -> SettlementDay:
    return SettlementDay.objects.get(**which)
