"""Files of banks: taken in once, confirmed by a second person if uploaded, and applied as a whole or not at all."""

import zlib
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import structlog
from django.db import transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Fault
from accounts.base.lookups import AnyOf
from accounts.base.sealing import seal, unseal
from accounts.models import User
from gateway.bank_files import reading
from gateway.bank_files.csv_statement import CsvMapping
from gateway.bank_files.shapes import Document, PaymentReturn, Remark, Statement, UnreadableFile
from gateway.payout_batches.models import BatchOrder
from gateway.reconciliation import accounts
from gateway.reconciliation.errors import BankFileKnown, BankFileRefused, BankFileUnknown, BankFileUnreadable
from gateway.reconciliation.handlers import DocumentRefused, RefusalCause, handled
from gateway.reconciliation.models import BankAccount, ImportedFile
from gateway.reconciliation.records import spelled_in

State = ImportedFile.State
SHOWN = 3
"""Signs that a file is not whole, of which one alone may be followed by many."""

log = structlog.get_logger()


def documents_of(account: BankAccount, content: bytes) -> list[Document]:
    """What the file says, all of it about this account. Raises DocumentRefused."""
    try:
        found = reading.read(content, CsvMapping.of(account.mapping) if account.mapping else None)
    except UnreadableFile as wrong:
        raise DocumentRefused(RefusalCause.UNREADABLE, wrong.reason, line=wrong.line) from None
    if not found:
        raise DocumentRefused(RefusalCause.NOTHING_TO_DO, Remark(_("It says nothing.")))
    for document in found:
        _require_ours(account, document)
    return found


def _require_ours(account: BankAccount, document: Document) -> None:
    if not (accounts.is_without_numbers(document.account) or accounts.is_named(account, document.account)):
        other = Remark(_("It is of another account than %(account)s."), {"account": account.code})
        raise DocumentRefused(RefusalCause.OTHER_ACCOUNT, other)
    if (currency := getattr(document, "currency", "")) and currency != account.currency:
        facts = {"currency": currency, "expected": account.currency}
        raise DocumentRefused(RefusalCause.OTHER_CURRENCY, Remark(_("It is in %(currency)s, not %(expected)s."), facts))


def check(account: BankAccount, documents: list[Document]) -> None:
    """Raises DocumentRefused unless all of them can take effect now. Changes nothing."""
    for handler, same in handled(documents):
        handler.check(account, same)


def summary(account: BankAccount, documents: list[Document]) -> list[tuple[str, str]]:
    """What the file says and will change, for the person who confirms it."""
    formats = ", ".join(dict.fromkeys(one.format for one in documents))
    found = [(gettext("Format"), formats), (gettext("Bank account"), str(account))]
    if doubts := _doubts(documents):
        found.append((gettext("LINES SEEM TO BE MISSING"), " ".join(map(str, doubts[:SHOWN]))))
    return found + [line for handler, same in handled(documents) for line in handler.lines(account, same)]


def _doubts(documents: list[Document]) -> list[Remark]:
    """Signs that the file is not whole. A statement has none: its balances prove it."""
    return [doubt for one in documents if not isinstance(one, Statement) for doubt in one.doubts]


def companies_paying(documents: list[Document]) -> list[str]:
    """The companies whose orders to pay these documents name."""
    answers = [answer.number for one in documents if isinstance(one, PaymentReturn) for answer in one.answers]
    lines = [line for one in documents if isinstance(one, Statement) for line in one.lines]
    names = {*answers, *(name.upper() for line in lines for name in spelled_in(line))}
    named = BatchOrder.objects.filter(AnyOf("pk", names))
    return list(named.values_list("withdrawal__merchant__company", flat=True).distinct())


@transaction.atomic
def upload(by: Actor, code: str, name: str, content: bytes, note: str) -> ImportedFile:
    """Takes in a file that people downloaded. It changes nothing until a second person has confirmed it.

    Raises ONP404_BANK_ACCOUNT, ONP409_BANK_FILE_KNOWN, ONP400_BANK_FILE with the line that cannot be read, and
    ONP409_BANK_FILE with the cause.
    """
    assert isinstance(by.user, User)
    account = accounts.hold(code)
    _require_new(account, content)
    try:
        documents = documents_of(account, content)
        check(account, documents)
    except DocumentRefused as refused:
        raise _told(refused) from None
    file = _stored(account, name, content, State.UPLOADED, documents[0].format, by.user)
    audit.record(
        by,
        "bank_file.uploaded",
        object_id=file.pk,
        after={"name": file.name, "account": account.code},
        note=note,
        by_staff=True,
    )
    return file


@transaction.atomic
def fetched(account: BankAccount, name: str, content: bytes) -> ImportedFile | None:
    """Takes in a file from the bank's own folder: it takes effect by itself. None: it was imported or refused before.

    One whose lines seem to be incomplete is refused, and takes effect if people upload and confirm it.
    One that came too early is tried again once another file has taken effect. One that cannot take effect is kept with
    its cause, and a critical log line.
    """
    account = accounts.hold(account.code)
    if is_known([account], content) or _stays_refused(account, content):
        return None
    file = _stored(account, name, content, State.WAITING, "", None)
    take(file, utcnow())
    return file


def _require_new(account: BankAccount, content: bytes) -> None:
    if is_known([account], content):
        raise BankFileKnown


def is_known(accounts: Sequence[BankAccount], content: bytes) -> bool:
    """Whether the file was imported for one of these accounts, and not refused."""
    same = ImportedFile.objects.filter(account__in=accounts, digest=sha256(content).hexdigest())
    return same.exclude(state=State.REFUSED).exists()


def _stays_refused(account: BankAccount, content: bytes) -> bool:
    """Whether it was fetched before, and would be refused again."""
    same = ImportedFile.objects.filter(account=account, digest=sha256(content).hexdigest(), uploaded_by=None)
    last = same.order_by("-created_at").first()
    if last is None:
        return False
    taken_since = ImportedFile.objects.filter(account=account, state=State.TAKEN, taken_at__gt=last.created_at)
    return last.cause != RefusalCause.GAP or not taken_since.exists()


def _stored(
    account: BankAccount, name: str, content: bytes, state: State, file_format: str, by: User | None
) -> ImportedFile:
    return ImportedFile.objects.create(
        account=account,
        name=name[:120],
        digest=sha256(content).hexdigest(),
        size=len(content),
        sealed_content=seal(zlib.compress(content)),
        format=file_format[:40],
        state=state,
        uploaded_by=by,
    )


def hold(file_id: str) -> ImportedFile:
    """The file and its account, locked until the transaction ends. Raises ONP404_BANK_FILE."""
    known = ImportedFile.objects.filter(pk=file_id).values_list("account__code", flat=True).first()
    if known is None:
        raise BankFileUnknown
    account = accounts.hold(known)
    file = ImportedFile.objects.select_for_update(no_key=True).get(pk=file_id)
    file.account = account
    return file


def content_of(file: ImportedFile) -> bytes:
    """The file as it was imported."""
    return zlib.decompress(unseal(bytes(file.sealed_content)))


def require_confirmable(file: ImportedFile) -> list[Document]:
    """What the file says. Raises ONP409_BANK_FILE unless it waits for confirmation and could take effect now."""
    if file.state != State.UPLOADED:
        raise BankFileRefused
    try:
        documents = documents_of(file.account, content_of(file))
        check(file.account, documents)
    except DocumentRefused as refused:
        raise _told(refused) from None
    return documents


def confirm(file: ImportedFile) -> None:
    """Lets an uploaded file take effect, by the next sweep."""
    file.state, file.due_at = State.WAITING, utcnow()
    file.save(update_fields=["state", "due_at"])


@transaction.atomic
def turn_down(file_id: str, note: str) -> None:
    """The file never takes effect: it can be uploaded again. Raises ONP409_BANK_FILE once it was confirmed."""
    file = hold(file_id)
    if file.state != State.UPLOADED:
        raise BankFileRefused
    file.cleared_at = utcnow()
    _refuse(file, "", note, 0)


@transaction.atomic
def clear(file_id: str) -> ImportedFile:
    """Staff have dealt with a refused file. Raises ONP409_BANK_FILE unless it was refused and waits for that."""
    file = hold(file_id)
    if file.state != State.REFUSED or file.cleared_at:
        raise BankFileRefused
    file.cleared_at = utcnow()
    file.save(update_fields=["cleared_at"])
    return file


def take(file: ImportedFile, _at: datetime) -> None:
    """Lets a confirmed or fetched file take effect as a whole, or refuses it. Call it in a transaction."""
    account = accounts.hold(BankAccount.objects.values_list("code", flat=True).get(pk=file.account_id))
    file.account = account
    try:
        documents = documents_of(account, content_of(file))
        file.format = documents[0].format[:40]
        check(account, documents)
        if not file.uploaded_by_id and (doubts := _doubts(documents)):
            raise DocumentRefused(RefusalCause.INCOMPLETE, *doubts[:SHOWN])
        with transaction.atomic():
            for handler, same in handled(documents):
                handler.apply(file, same)
    except DocumentRefused as refused:
        file.remarks = [remark.stored() for remark in refused.remarks]
        _refuse(file, refused.cause, "", refused.line)
        log.critical("bank_file.refused", file=file.pk, account=account.code, cause=refused.cause, line=refused.line)
        return
    file.state, file.due_at, file.taken_at = State.TAKEN, None, utcnow()
    file.save(update_fields=["state", "format", "due_at", "taken_at"])


def _refuse(file: ImportedFile, cause: str, note: str, line: int) -> None:
    file.state, file.due_at = State.REFUSED, None
    file.cause, file.failure, file.failed_line = cause, note[:255], line
    file.save(update_fields=["state", "format", "due_at", "cause", "failure", "remarks", "failed_line", "cleared_at"])


def _told(refused: DocumentRefused) -> BankFileUnreadable | BankFileRefused:
    where = [gettext("Line %(line)s:") % {"line": refused.line}] if refused.line else []
    told = " ".join([*where, *map(str, refused.remarks)])
    faults = [Fault("file", "INVALID", told)]
    details: dict[str, Any] = {"cause": refused.cause}
    if refused.cause == RefusalCause.UNREADABLE:
        return BankFileUnreadable(faults=faults, **details)
    return BankFileRefused(faults=faults, **details)
