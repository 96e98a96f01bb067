"""Reports: opened day by day, announced by messages or uploaded by staff, and read outside any transaction."""

import io
import zlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from tempfile import TemporaryFile

import structlog
from django.db import transaction

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Fault
from accounts.base.sealing import seal, unseal
from accounts.models import User
from gateway.providers.errors import CallFailed, Unreadable
from gateway.providers.lists import compare_all
from gateway.providers.models import ProviderAccount
from gateway.providers.registry import declared
from gateway.providers.selectors import lines_of_file, settlement_lines
from gateway.providers.settlements import ReportedLine, Settles
from gateway.settlements.errors import NotByFile, ReportKnown, ReportUnreadable
from gateway.settlements.models import SettlementReport
from gateway.settlements.storing import fetched, store

READING = timedelta(minutes=15)
"""How long one process may read a report before another one does."""
CLOSED_AFTER = timedelta(days=3)
"""Until then a day is read again: what was paid out with a payout may be told later than the payout."""
CLOSED_FOR = timedelta(days=30)
"""How long the days of a closed account are read: its last payouts come later than its last payments."""
HOURLY, LATER, DAILY = timedelta(hours=1), timedelta(hours=6), timedelta(days=1)
State = SettlementReport.State

log = structlog.get_logger()


def settles(account: ProviderAccount) -> Settles | None:
    """How the account's settlements are read; None: they are not, or it never had real money.

    Those of a closed account may still come.
    """
    is_used = account.status != ProviderAccount.Status.ENTERED
    known = declared().get(account.provider)
    return known.settles if known and is_used and account.system == ProviderAccount.System.PRODUCTION else None


def open_days() -> None:
    """Opens the report of every day up to today, for accounts whose settlements are read by day."""
    compare_all(_open_days, CLOSED_FOR)


def _open_days(account: ProviderAccount, now: datetime) -> None:
    how = settles(account)
    if how is None or not how.by_day:
        return
    last = SettlementReport.objects.filter(account=account).order_by("-name").values_list("name", flat=True).first()
    day = datetime.strptime(last, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1) if last else account.created_at
    while day.date() <= now.astimezone(UTC).date():
        announce(account, f"{day:%Y-%m-%d}")
        day += timedelta(days=1)


def announce(account: ProviderAccount, name: str) -> None:
    """Has the report read, once, however often it is announced."""
    SettlementReport.objects.bulk_create(
        [SettlementReport(account=account, name=name, due_at=utcnow())], ignore_conflicts=True
    )


@transaction.atomic
def upload(by: Actor, account: ProviderAccount, name: str, content: bytes, note: str) -> SettlementReport:
    """Takes in a file that people downloaded; it is read by the next sweep.

    Raises ONP409_SETTLEMENT_ACCOUNT, ONP409_SETTLEMENT_REPORT_KNOWN and ONP400_SETTLEMENT_REPORT with the reason.
    """
    assert isinstance(by.user, User)
    how = settles(account)
    if how is None or how.by_day:
        raise NotByFile
    ProviderAccount.objects.select_for_update(no_key=True).get(pk=account.pk)  # one upload after the other
    digest = sha256(content).hexdigest()
    reports = SettlementReport.objects.select_for_update(no_key=True).filter(account=account)
    known = reports.filter(digest=digest).first() or reports.filter(name=name[:120]).first()
    if known and (known.state == State.READ or known.sealed_content):
        raise ReportKnown
    try:
        for _ in lines_of_file(account, io.BytesIO(content)):
            break
    except Unreadable as wrong:
        reason = f"{wrong.reason[:1].upper()}{wrong.reason[1:]}."
        raise ReportUnreadable(faults=[Fault("file", "INVALID", reason)]) from None
    report = known or SettlementReport(account=account, name=name[:120])
    report.state, report.failure, report.digest, report.uploaded_by = State.WAITING, "", digest, by.user
    report.sealed_content, report.due_at = seal(zlib.compress(content)), utcnow()
    report.save()
    audit.record(
        by,
        "settlement_report.uploaded",
        merchant=account.merchant,
        object_id=report.pk,
        after={"name": report.name, "account": account.pk},
        note=note,
        by_staff=True,
    )
    return report


def begin_reading(report: SettlementReport, _at: datetime) -> Callable[[], None]:
    """Reserves the report for this process; what is returned reads it after the commit."""
    report.due_at = utcnow() + READING
    report.save(update_fields=["due_at"])
    return partial(_read, report)


def _read(report: SettlementReport) -> None:
    """Raises CallFailed: it is tried again, each time later."""
    try:
        with TemporaryFile() as file:
            told = fetched(_lines(report), file)
            with transaction.atomic():
                _finish(report, store(report, told))
    except Unreadable as wrong:
        log.critical("settlement.unreadable", report=report.pk, account=report.account_id, reason=wrong.reason)
        due_at = utcnow() + DAILY if _is_of_a_day(report) else None  # nobody can upload a day
        _update(report, state=State.UNREADABLE, failure=wrong.reason[:255], due_at=due_at, sealed_content=b"")
    except CallFailed as failed:
        _update(report, failure=failed.reason[:255])
        raise


def _lines(report: SettlementReport) -> Iterable[ReportedLine]:
    if report.sealed_content:
        return lines_of_file(report.account, io.BytesIO(zlib.decompress(unseal(bytes(report.sealed_content)))))
    return settlement_lines(report.account, report.name)


def _finish(report: SettlementReport, new: int) -> None:
    _update(
        report,
        state=State.READ,
        failure="",
        lines=report.lines + new,
        read_at=utcnow(),
        due_at=_next_reading(report),
        sealed_content=b"",
    )


def _next_reading(report: SettlementReport) -> datetime | None:
    """A day is read again until it is closed; a file never."""
    if not _is_of_a_day(report):
        return None
    ended = datetime.strptime(report.name, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1)
    now = utcnow()
    if now < ended + HOURLY:
        return now + HOURLY
    return now + LATER if now < ended + CLOSED_AFTER else None


def _is_of_a_day(report: SettlementReport) -> bool:
    how = settles(report.account)
    return how is not None and how.by_day


def _update(report: SettlementReport, **members: object) -> None:
    SettlementReport.objects.filter(pk=report.pk).update(**members)
