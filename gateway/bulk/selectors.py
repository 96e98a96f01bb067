"""Reads of bulk files. The first argument is always the merchant."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum

from accounts.base.ids import is_well_formed
from accounts.models import Merchant
from gateway.bulk.errors import BulkFileUnknown
from gateway.bulk.models import BulkFile, BulkLine, Kind, State
from gateway.refunds.models import Refund
from gateway.refunds.models import Status as RefundStatus
from gateway.withdrawals.models import Status, Withdrawal

RECENT = timedelta(days=7)


def get(merchant: Merchant, file_id: str) -> BulkFile:
    """Raises ONP404_BULK_FILE."""
    rows = BulkFile.objects.filter(merchant=merchant, pk=file_id).select_related("uploaded_by", "confirmed_by")
    file = rows.first() if is_well_formed(file_id) else None
    if file is None:
        raise BulkFileUnknown
    return file


def listed(merchant: Merchant, kinds: Sequence[str]) -> QuerySet[BulkFile]:
    """The merchant's confirmed files of these kinds, newest first, with the counts of their lines."""
    counted = {f"{state.lower()}_count": Count("lines", filter=Q(lines__state=state)) for state in State.values}
    files = BulkFile.objects.filter(merchant=merchant, kind__in=kinds, confirmed_at__isnull=False).annotate(**counted)
    return files.order_by("-uploaded_at", "-id")


def counts(file: BulkFile) -> dict[str, int]:
    """State → number of lines."""
    found = dict(file.lines.values_list("state").annotate(count=Count("pk")).order_by())
    return {state: found.get(state, 0) for state in State.values}


def lines(file: BulkFile) -> QuerySet[BulkLine]:
    """In the order of the file, each with `result_status` of its withdrawal or refund, None without one.

    If that failed, `result_failure` is its failure code.
    """
    result = _results(file).filter(pk=OuterRef("result_id"))
    found = {
        "result_status": Subquery(result.values("status")),
        "result_failure": Subquery(result.values("failure_code")),
    }
    return file.lines.annotate(**found).order_by("row", "id")


def outcomes(file: BulkFile) -> list[tuple[str, int]]:
    """The statuses that its withdrawals or refunds have now, each with their number."""
    made = _results(file).filter(pk__in=file.lines.exclude(result_id="").values("result_id"))
    return list(made.values_list("status").annotate(count=Count("pk")).order_by("status"))


def _results(file: BulkFile) -> QuerySet[Any]:
    return (Withdrawal if file.kind == Kind.WITHDRAWALS else Refund)._default_manager.filter(merchant=file.merchant_id)


def totals(file: BulkFile) -> list[tuple[str, int, int, int]]:
    """Currency, number of lines, their amounts and their fees."""
    summed = file.lines.values("currency").annotate(n=Count("pk"), amount=Sum("amount"), fee=Sum("fee"))
    return [(one["currency"], one["n"], one["amount"], one["fee"]) for one in summed.order_by("currency")]


def same_before(merchant: Merchant | int, kind: str, digest: bytes) -> BulkFile | None:
    """The last confirmed file with the same rows."""
    same = BulkFile.objects.filter(merchant=merchant, kind=kind, digest=digest, confirmed_at__isnull=False)
    return same.order_by("-confirmed_at").first()


def live_references(merchant: Merchant, kind: str, references: Sequence[str]) -> set[str]:
    """Those that a withdrawal or refund already has that did not fail."""
    if kind == Kind.WITHDRAWALS:
        taken = Withdrawal.objects.filter(merchant=merchant, reference__in=references).exclude(status=Status.FAILED)
        return set(taken.values_list("reference", flat=True))
    ended = (RefundStatus.FAILED, RefundStatus.REJECTED, RefundStatus.CANCELED)
    live = Refund.objects.filter(merchant=merchant, reference__in=references).exclude(status__in=ended)
    return {reference for reference in live.values_list("reference", flat=True) if reference}


def recent_payouts(merchant: Merchant, fingerprints: Sequence[bytes], now: datetime) -> set[tuple[bytes, int]]:
    """Destination and amount of the withdrawals of the last days that did not fail."""
    recent = Withdrawal.objects.filter(
        merchant=merchant, fingerprint__in=fingerprints, created_at__gte=now - RECENT
    ).exclude(status=Status.FAILED)
    return {(bytes(mark), amount) for mark, amount in recent.values_list("fingerprint", "amount") if mark}


def known_destinations(merchant: Merchant, fingerprints: Sequence[bytes]) -> set[bytes]:
    """Those to which money was sent before."""
    sent = Withdrawal.objects.filter(merchant=merchant, fingerprint__in=fingerprints).exclude(status=Status.FAILED)
    return {bytes(mark) for mark in sent.values_list("fingerprint", flat=True).distinct() if mark}
