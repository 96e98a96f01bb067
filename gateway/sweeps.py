"""All due work, and other rows that wait for a time. Each package declares its own in `due`."""

from typing import Any

from accounts.due import Due, Work
from accounts.emails import outbox as emails
from gateway.boletos import due as boletos
from gateway.bulk import due as bulk
from gateway.evidence import due as evidence
from gateway.months import due as months
from gateway.payments import due as payments
from gateway.payout_batches import due as payout_batches
from gateway.payout_schedules import due as payout_schedules
from gateway.providers import due as providers
from gateway.reconciliation import due as reconciliation
from gateway.refunds import due as refunds
from gateway.refunds.disputes import due as disputes
from gateway.reports import due as reports
from gateway.saved_cards import due as saved_cards
from gateway.settlements import due as settlements
from gateway.suspense import due as suspense
from gateway.withdrawals import due as withdrawals
from ledger.holds import due as holds
from ledger.receivables import due as receivables
from webhooks import due as webhooks

OF_MERCHANTS: tuple[Due[Any], ...] = (
    *payments.DUE,
    *receivables.DUE,
    *holds.DUE,
    *withdrawals.DUE,
    *refunds.DUE,
    *evidence.DUE,
    *bulk.DUE,
    *payout_schedules.DUE,
    *months.DUE,
    *reports.DUE,
)
"""Due work by a merchant's clock, which the sandbox clock runs in order."""
OF_PROVIDERS: tuple[Due[Any], ...] = (
    *suspense.DUE,
    *payout_batches.DUE,
    *disputes.DUE,
    *providers.DUE,
    *saved_cards.DUE,
    *settlements.DUE,
    *reconciliation.DUE,
    *boletos.DUE,
)
"""Due work at providers, by real time."""
ALL: tuple[Work[Any], ...] = (*webhooks.WORK, *OF_MERCHANTS, *OF_PROVIDERS, *months.IN_REAL_TIME, *emails.DUE)
"""Rows that are due at a time, and late after it."""
WITHOUT_A_TIME: tuple[Due[Any], ...] = (refunds.FILL, webhooks.CHECK)
"""Due work without a time of its own: the column only gives the age."""
