"""Reads a month a slice at a time, then makes its files, proves them by the books, and seals them."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import structlog
from django.db import transaction
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.base import clock
from accounts.base.wire import timestamp
from accounts.models import Environment, Merchant
from gateway.database.replica import elsewhere
from gateway.months import books, notices, paper, words
from gateway.months.books import Span
from gateway.months.figures import Category, Figures
from gateway.months.models import Month, MonthFile, MonthFilePart
from gateway.months.ofx import Ofx
from gateway.months.reading import SLICE, Progress, forget, pieces, read_slice
from gateway.months.workbook import MonthBook
from gateway.sales.currencies import in_order
from ledger.books.writers import writers_end
from ledger.chart import BUCKETS, AccountKind
from ledger.closings.models import TOTAL, ClosedDay
from ledger.closings.seals import last_seal
from ledger.proofs import selectors as proofs
from ledger.proofs.models import Proof
from ledger.wallets.selectors import holdings

log = structlog.get_logger()
PART = 1 << 20
LEASE = timedelta(minutes=2)
"""After a crash a month goes on so much later: no task runs for longer (CELERY_TASK_TIME_LIMIT)."""
SCRIPT = Path(__file__).with_name("verify_month.py")


class NotProved(Exception):
    """The month cannot be sealed now: `why` is PROOF, or BOOKS if its sums are not what the books end with."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class _Read:
    """All that was read of a month."""

    figures: Figures
    balances: dict[str, Any]
    transfers: int
    digest: str


def proceed(month: Month, most: int = SLICE) -> bool:
    """Reads at most so many further transfers; once all are read, makes the files and seals the month.

    Returns whether it is sealed. Raises NotProved: then it is not.
    """
    merchant = Merchant.objects.select_related("company").get(pk=month.merchant_id)
    span = Span(month.begins, month.ends, month.cut, month.opening_cut)
    if month.progress is None:
        if not writers_end():
            raise NotProved("PROOF")
        _proof(merchant, span)
        Month.objects.filter(pk=month.pk).update(total=elsewhere(partial(books.count, merchant, span)), done=0)
    with words.in_their_words(merchant):
        if not read_slice(month, merchant, span, most):
            return False
        proof = _proof(merchant, span)
        with TemporaryDirectory(prefix="month-") as folder:
            read = _files(month, merchant, span, Path(folder))
            _store(month, merchant, read, proof, sorted(Path(folder).iterdir()))
    return True


def _proof(merchant: Merchant, span: Span) -> Proof:
    """The last proof of all books, if they were right, and all transfers of the month were proved by then."""
    found = proofs.last()
    if found is None or not found.holds or not books.are_proved(merchant, span):
        raise NotProved("PROOF")
    return found


def _files(month: Month, merchant: Merchant, span: Span, folder: Path) -> _Read:
    zone, language = ZoneInfo(month.time_zone), {"pt": "POR", "es": "SPA"}.get(words.language(), "ENG")
    progress, balances = Progress.of(month), _balances(merchant, span)
    figures = progress.figures
    _require_sums(month, figures, balances)
    for currency, known in balances.items():
        ofx = Ofx(merchant, currency, span, zone)
        with (folder / f"{_name(month)}-{currency}.ofx").open("wb") as file:
            file.write(ofx.head(language))
            file.writelines(pieces(month, currency))
            file.write(ofx.end(known["ending"][AccountKind.AVAILABLE]))
    book = MonthBook(zone, progress.rows)
    book.write(folder / f"{_name(month)}.xlsx", _head(month, merchant), figures, balances, partial(pieces, month))
    paper.write(folder / f"{_name(month)}.pdf", merchant, month.begins.astimezone(zone), figures, balances)
    return _Read(figures, balances, month.done, progress.digest.hex())


def _balances(merchant: Merchant, span: Span) -> dict[str, Any]:
    """By currency: what the closed days say before and after the month."""
    return {
        currency: {
            "opening": books.balances(merchant, currency, span.begins, span.opening_cut),
            "ending": books.balances(merchant, currency, span.ends, span.cut),
        }
        for currency in in_order(merchant, holdings(merchant).used)
    }


def _require_sums(month: Month, figures: Figures, balances: dict[str, Any]) -> None:
    """Opening and movements are the ending, in each bucket and in all. Raises NotProved, and DoesNotExist if the
    company has moved to another cell meanwhile, so that what was read of the books is not all.
    """
    wrong = [
        (currency, str(bucket))
        for currency, known in balances.items()
        for bucket in (*BUCKETS, TOTAL)
        if known["opening"][bucket] + figures.wallets[currency].grown[bucket] != known["ending"][bucket]
    ]
    if wrong:
        _begin_again(month)
        log.critical("months.do_not_add_up", month=month.pk, wallets=wrong)
        raise NotProved("BOOKS")


@transaction.atomic
def _begin_again(month: Month) -> None:
    held = Month.objects.select_for_update(no_key=True).get(pk=month.pk)
    if held.state == Month.State.CLOSING:
        forget(held)
        held.save(update_fields=["progress", "done"])


def _head(month: Month, merchant: Merchant) -> list[str]:
    lines = [
        merchant.company.legal_name,
        _("Month %(month)s") % {"month": date_format(month.first, "YEAR_MONTH_FORMAT")},
        _("Time zone: %(zone)s") % {"zone": month.time_zone},
    ]
    return [*lines, words.not_money()] if merchant.environment == Environment.SANDBOX else lines


def _name(month: Month) -> str:
    return f"onpay-{month.label}"


@transaction.atomic
def _store(month: Month, merchant: Merchant, read: _Read, proof: Proof, paths: list[Path]) -> None:
    """Stores the files and the seal, unless another process was faster."""
    held = Month.objects.select_for_update(no_key=True).get(pk=month.pk)
    if held.state == Month.State.SEALED:
        return
    held.merchant = merchant
    files = [_stored(held, path) for path in paths]
    at = clock.now(merchant)
    manifest = _manifest(held, read, proof, files) | {"sealedAt": timestamp(at)}
    held.manifest = json.dumps(manifest, ensure_ascii=False, indent=1)
    held.seal = hashlib.sha256(held.manifest.encode()).hexdigest()
    held.state, held.sealed_at, held.due_at, held.waits_for = Month.State.SEALED, at, None, ""
    forget(held)
    held.save()
    notices.sealed(held)


def _stored(month: Month, path: Path) -> MonthFile:
    found, size = hashlib.sha256(), path.stat().st_size
    for part in _parts(path):
        found.update(part)
    file = MonthFile.objects.create(month=month, name=path.name, sha256=found.hexdigest(), size=size)
    for number, part in enumerate(_parts(path)):
        MonthFilePart.objects.create(file=file, number=number, content=part)
    return file


def _parts(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(PART), b"")


def _manifest(month: Month, read: _Read, proof: Proof, files: list[MonthFile]) -> dict[str, Any]:
    company = month.merchant.company
    before = Month.objects.filter(merchant=month.merchant, ends=month.begins, state=Month.State.SEALED).first()
    closed, sealed = ClosedDay.objects.order_by("-day").first(), last_seal()
    return {
        "format": "onpay-month/1",
        "company": {"id": company.pk, "name": company.legal_name, "taxId": company.tax_id},
        "environment": month.merchant.environment,
        "month": month.label,
        "timeZone": month.time_zone,
        "begins": timestamp(month.begins),
        "ends": timestamp(month.ends),
        "writtenBefore": timestamp(month.cut),
        "wallets": {currency: _wallet(read, currency) for currency in read.balances},
        "books": {
            "transfers": read.transfers,
            "sha256": read.digest,
            "closedThrough": str(closed.day) if closed else None,
            "sealedThrough": str(sealed.day) if sealed else None,
            "seal": sealed.digest if sealed else None,
            "proof": {"startedAt": timestamp(proof.started_at), "invariants": proof.invariants, "violations": 0},
        },
        "previous": {"month": before.label, "seal": before.seal} if before else None,
        "files": [{"name": one.name, "size": one.size, "sha256": one.sha256} for one in files],
    }


def _wallet(read: _Read, currency: str) -> dict[str, Any]:
    wallet, known = read.figures.wallets[currency], read.balances[currency]
    moved = wallet.movements
    return {
        "opening": known["opening"],
        "movements": {str(one): {"count": moved[one].count, "minor": moved[one].amount} for one in Category},
        "ending": known["ending"],
        "earlier": {"count": wallet.earlier.count, "minor": wallet.earlier.amount},
        "fees": [
            {"for": group, "method": name, "count": line.count, "base": line.base, "fee": line.fee}
            for (group, name), line in sorted(wallet.fees.items())
        ],
    }
