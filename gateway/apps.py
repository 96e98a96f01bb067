"""The project and the product as one Django app."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import pre_migrate


class GatewayConfig(AppConfig):
    name = "gateway"
    verbose_name = "Gateway"

    def ready(self) -> None:
        from gateway import celery, checks, seeds  # noqa: F401  (they register themselves)
        from gateway.boletos import returns as takes_collection_returns  # noqa: F401
        from gateway.bulk import due as asks_for_whole_files  # noqa: F401
        from gateway.cells import invariants as of_cells  # noqa: F401
        from gateway.conversions import invariants as of_conversions  # noqa: F401
        from gateway.overview import checks as of_providers  # noqa: F401
        from gateway.overview import proposals as of_going_live  # noqa: F401
        from gateway.payments import callbacks as about_payments  # noqa: F401
        from gateway.payments import invariants as of_payments  # noqa: F401
        from gateway.payments import proposals as of_payment_outcomes  # noqa: F401
        from gateway.payout_batches import proposals as of_payout_batches  # noqa: F401
        from gateway.providers import proposals as of_providers_accounts  # noqa: F401
        from gateway.reconciliation import invariants as of_bank_accounts  # noqa: F401
        from gateway.reconciliation import payment_returns as of_payment_files  # noqa: F401
        from gateway.reconciliation import proposals as of_bank_files  # noqa: F401
        from gateway.reconciliation import statements as takes_statements  # noqa: F401
        from gateway.refunds import callbacks as about_refunds  # noqa: F401
        from gateway.refunds import invariants as of_refunds  # noqa: F401
        from gateway.refunds import proposals as of_refund_outcomes  # noqa: F401
        from gateway.refunds import shortfalls as fills_what_refunds_lack  # noqa: F401
        from gateway.refunds.disputes import callbacks as about_disputes  # noqa: F401
        from gateway.requests import invariants as of_keys  # noqa: F401
        from gateway.sales import invariants as of_sales  # noqa: F401
        from gateway.serving import checks as of_the_proxy  # noqa: F401
        from gateway.settlements import callbacks as about_settlement_reports  # noqa: F401
        from gateway.settlements import invariants as of_settlements  # noqa: F401
        from gateway.settlements import proposals as of_differences  # noqa: F401
        from gateway.suspense import callbacks as about_money_in_suspense  # noqa: F401
        from gateway.suspense import entering as enters_money_of_statements  # noqa: F401
        from gateway.suspense import holding as holds_what_does_not_fit  # noqa: F401
        from gateway.suspense import invariants as of_suspense  # noqa: F401
        from gateway.suspense import proposals as of_money_in_suspense  # noqa: F401
        from gateway.withdrawals import callbacks as about_withdrawals  # noqa: F401
        from gateway.withdrawals import invariants as of_withdrawals  # noqa: F401
        from gateway.withdrawals import proposals as of_withdrawal_outcomes  # noqa: F401

        pre_migrate.connect(_lift_statement_timeout)
        if settings.TRACES:
            from gateway.telemetry import traces

            traces.start()
        if settings.ERROR_REPORTS:
            from gateway.telemetry import errors

            errors.start()


def _lift_statement_timeout(using: str, **kwargs: Any) -> None:
    """Lifts the statement timeout: a migration may build an index for longer than a request may wait."""
    from django.db import connections

    with connections[using].cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
