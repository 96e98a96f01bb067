"""What stands on the first page of staff."""

import re
from typing import Any

from django.core.cache import cache
from django.test import Client

from accounts.models import Company, Email, Merchant, Proposal
from gateway.models import (
    BankAccount,
    Dispute,
    ImportedFile,
    Payment,
    ProviderAccount,
    Refund,
    SettlementDifference,
    SuspenseItem,
    Withdrawal,
)
from gateway.payout_batches.models import BatchAnswer, PayoutBatch
from gateway.staff.kit.columns import address as page_at
from ledger.models import Advance


def panels(browser: Client) -> dict[str, Any]:
    """What the first page shows now: on a slow machine, too, nothing of an earlier look is kept."""
    cache.clear()
    page = browser.get("/admin/")
    assert page.status_code == 200
    return {panel.title: panel for panel in page.context["panels"]}


def cells(panel: Any) -> dict[str, list[list[str]]]:
    """The rows of each table of a panel, as they are read."""
    plain = re.compile(r"<[^>]+>")
    return {
        table.title: [[plain.sub(" ", str(cell)).strip() for cell in row] for row in table.rows]
        for table in panel.tables
    }


def take_to_production(merchant: Merchant) -> None:
    other = Company.objects.create(legal_name="Other", trade_name="Other", tax_id="1", tax_id_type="CNPJ")
    Merchant.objects.filter(company=merchant.company, environment="PRODUCTION").update(company=other)
    Merchant.objects.filter(pk=merchant.pk).update(environment="PRODUCTION")


QUEUES = {
    "Advances to review": (Advance, "decide"),
    "Refunds to review": (Refund, "decide"),
    "MED claims to decide": (Refund, "claims"),
    "Evidence not handed in": (Refund, "evidence"),
    "Debts of companies after returns": (Refund, "debts"),
    "Refunds awaiting an answer": (Refund, "answer"),
    "Disputes to look up": (Dispute, "problems"),
    "Proposals to confirm": (Proposal, "open"),
    "Stuck withdrawals": (Withdrawal, "stuck"),
    "Unclear payments": (Payment, "unclear"),
    "Unclear refunds": (Refund, "unclear"),
    "Unclear withdrawals": (Withdrawal, "unclear"),
    "Companies to verify": (Company, "verify"),
    "Failed e-mails": (Email, "failed"),
    "Provider accounts taken out": (ProviderAccount, "failing"),
    "Provider certificates to renew": (ProviderAccount, "expiring"),
    "Manual payments waiting": (Payment, "manual"),
    "Money in suspense": (SuspenseItem, "decide"),
    "Unclear returns of money": (SuspenseItem, "unclear"),
    "Settlement differences": (SettlementDifference, "open"),
    "Bank files to confirm": (ImportedFile, "confirm"),
    "Bank files refused": (ImportedFile, "refused"),
    "Missing statements": (BankAccount, "missing"),
    "Payment files waiting for people": (PayoutBatch, "waiting"),
    "Answers to payment files that do not fit": (BatchAnswer, "unfitting"),
    "Lines in suspense": (SuspenseItem, "lines"),
}


def listed(browser: Client, title: str) -> list[str]:
    model, queue = QUEUES[title]
    page = browser.get(page_at(model, "changelist"), {"queue": queue})
    assert (page.status_code, page.context["title"]) == (200, title)
    return [row.pk for row in page.context["cl"].result_list]
