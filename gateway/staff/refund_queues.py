"""Refunds that await staff or companies: queues, and the filter by deadline."""

from datetime import timedelta
from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.base.clock import utcnow
from accounts.models import Environment
from gateway.payments.manual import without_answers
from gateway.refunds.models import Refund, Status
from gateway.refunds.reasons import DisputeKind
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.unclear import unclear


def _to_decide() -> Q:
    """Contested requests that neither MED nor an acquirer decides, and in production refunds that staff carry out."""
    contested = Q(status=Status.UNDER_REVIEW, dispute_kind=None, dispute=None)
    to_carry_out = Q(status=Status.PROCESSING, merchant__environment=Environment.PRODUCTION)
    covered = Q(wallet_amount=F("from_releasing") + F("from_available"))
    nobody_else = Q(account=None) | Q(account__provider__in=without_answers())
    return contested | (to_carry_out & covered & nobody_else)


def _claims() -> Q:
    return Q(status=Status.UNDER_REVIEW, dispute_kind=DisputeKind.MED)


def _late_evidence() -> Q:
    """Disputes whose evidence was not handed in by itself, of the last seven days: late, or too late."""
    return Q(evidence_late_at__gt=utcnow() - timedelta(days=7))


def _debts() -> Q:
    """A bank took the money back, and the company's wallet did not cover it."""
    return Q(status=Status.COMPLETED, wallet_amount__gt=F("from_releasing") + F("from_available"))


QUEUES = (
    Queue("decide", "Refunds to review", "gavel", _to_decide, "updated_at"),
    Queue("claims", "MED claims to decide", "balance", _claims, "analysis_due_at", deadline=True),
    Queue(
        "answer",
        "Refunds awaiting an answer",
        "question_answer",
        lambda: Q(status=Status.AWAITING_RESPONSE),
        "response_due_at",
        deadline=True,
    ),
    Queue("evidence", "Evidence not handed in", "assignment_late", _late_evidence, "evidence_late_at"),
    Queue("debts", "Debts of companies after returns", "money_off", _debts, "completed_at"),
    unclear(_("Unclear refunds")),
)


class DueFilter(SimpleListFilter):
    """Requests whose answer is due soon, by the company's clock."""

    title = _("answer due")
    parameter_name = "due"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("24", gettext("Within 24 hours")), ("72", gettext("Within 72 hours"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Refund]) -> QuerySet[Refund]:
        if self.value() not in ("24", "72"):
            return queryset
        soon = utcnow() + timedelta(hours=int(str(self.value())))
        waiting = queryset.filter(status=Status.AWAITING_RESPONSE)
        return waiting.filter(response_due_at__lte=F("merchant__clock_offset") + soon)
