"""Company verification: the company uploads documents and requests production, staff decide."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts import audit, notices, services
from accounts.base import files
from accounts.base.clock import utcnow
from accounts.base.ids import is_well_formed
from accounts.errors import DocumentUnknown, InvalidDocument, TooManyDocuments, VerificationState
from accounts.models import Company, Document, User

NEEDED = (Document.Kind.REGISTRATION, Document.Kind.IDENTITY, Document.Kind.ADDRESS, Document.Kind.BANK_ACCOUNT)
LARGEST = 10 * 1024 * 1024
MOST = 20


def documents(company: Company) -> QuerySet[Document]:
    """The company's documents, newest first, without contents."""
    return Document.objects.filter(company=company).select_related("handed_in_by").order_by("-created_at", "-id")


def document(company: Company, document_id: str) -> Document:
    """Raises ONP404_DOCUMENT, also for another company's document."""
    found = documents(company).filter(pk=document_id).first() if is_well_formed(document_id) else None
    if found is None:
        raise DocumentUnknown
    return found


def missing(company: Company) -> list[Document.Kind]:
    """Required document types that are missing."""
    there = set(Document.objects.filter(company=company, kind__in=NEEDED).values_list("kind", flat=True))
    return [kind for kind in NEEDED if kind not in there]


def is_awaited(company: Company) -> bool:
    """Whether the company has requested production and is waiting for our decision."""
    return company.status == Company.Status.PENDING_VERIFICATION and company.production_asked_at is not None


@transaction.atomic
def hand_in(request: HttpRequest, company: Company, kind: Document.Kind, name: str, content: bytes) -> Document:
    """Stores a file; its type is detected from the content.

    Raises ONP400_DOCUMENT unless it is a PDF, PNG or JPEG of at most 10 MB, and ONP422_DOCUMENTS above 20 documents.
    """
    assert isinstance(request.user, User)
    content_type = files.type_of(content)
    if content_type is None or len(content) > LARGEST:
        raise InvalidDocument(field="file")
    held = _held(company)
    if Document.objects.filter(company=held).count() >= MOST:
        raise TooManyDocuments
    handed_in = Document.objects.create(
        company=held,
        kind=kind,
        file_name=files.safe_name(name, content_type, kind.lower()),
        content_type=content_type,
        size=len(content),
        content=content,
        handed_in_by=request.user,
    )
    audit.record(request, "document.handed_in", company=held, object_id=handed_in.pk, after=_audited(handed_in))
    return handed_in


@transaction.atomic
def take_back(request: HttpRequest, company: Company, document_id: str) -> None:
    """Removes a file before it is submitted for review. Raises ONP404_DOCUMENT and ONP409_VERIFICATION_STATE."""
    held = _held(company)
    found = document(held, document_id)
    if not may_take_back(held):
        raise VerificationState
    audit.record(request, "document.taken_back", company=held, object_id=found.pk, before=_audited(found))
    found.delete()


def may_take_back(company: Company) -> bool:
    return company.status == Company.Status.PENDING_VERIFICATION and company.production_asked_at is None


@transaction.atomic
def ask_for_production(request: HttpRequest, company: Company) -> None:
    """Submits the documents. Raises ONP409_VERIFICATION_STATE if some are missing, or if it was already requested."""
    held = _held(company)
    if not may_take_back(held) or missing(held):
        raise VerificationState
    held.production_asked_at, held.verification_note = utcnow(), ""
    held.save()
    audit.record(request, "production.asked", company=held, object_id=held.pk)


# ── Staff ─────────────────────────────────────────────────────────────────────────────────────────────────────────
@transaction.atomic
def verify(request: HttpRequest, company: Company) -> None:
    """Opens production and notifies the owners. Raises ONP409_VERIFICATION_STATE."""
    held = _held(company)
    _require_undecided(held)
    held.verification_note = ""
    services.activate(held)
    audit.record(request, "company.verified", company=held, object_id=held.pk, by_staff=True)
    notices.notify_owners(held, _("your company is verified"), "verified", "home")


@transaction.atomic
def send_back(request: HttpRequest, company: Company, note: str) -> None:
    """Tells the company what is missing; it can request again. Raises ONP409_VERIFICATION_STATE."""
    held = _held(company)
    _require_undecided(held)
    held.production_asked_at, held.verification_note = None, note
    held.save()
    after = {"note": note}
    audit.record(request, "verification.sent_back", company=held, object_id=held.pk, after=after, by_staff=True)
    notices.notify_owners(held, _("something is missing for your verification"), "sent_back", "verification", note=note)


def _require_undecided(company: Company) -> None:
    if company.status != Company.Status.PENDING_VERIFICATION:
        raise VerificationState


def _held(company: Company) -> Company:
    return Company.objects.select_for_update(no_key=True).get(pk=company.pk)


def _audited(document: Document) -> dict[str, Any]:
    return {"kind": document.kind, "file": document.file_name, "bytes": document.size}
