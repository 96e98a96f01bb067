"""The draft of a contest: it belongs to the refund and is shared by the company's people and devices."""

import hashlib
import json

from accounts.base.clock import utcnow
from accounts.models import Merchant, User
from gateway.refunds.errors import RefundState
from gateway.refunds.models import Draft, DraftEvidence, Refund, Status
from gateway.refunds.services import Shown, lock


def draft_of(refund: Refund) -> Draft:
    """The unsent draft; empty if there is none."""
    return Draft.objects.select_related("author").filter(refund=refund).first() or Draft(refund=refund)


def held(merchant: Merchant, refund_id: str, author: User) -> Draft:
    """The draft, locked until the transaction ends, so that concurrent edits and uploads do not overwrite each other.

    Raises ONP404_REFUND, and ONP409_REFUND_STATE if the refund was answered or has ended: its draft is deleted.
    """
    refund = lock(merchant, refund_id)
    if refund.status != Status.AWAITING_RESPONSE:
        raise RefundState
    written_by = {"author": author, "changed_at": utcnow()}
    return Draft.objects.update_or_create(refund=refund, merchant=merchant, defaults=written_by)[0]


def add_file(draft: Draft, name: str, content_type: str, content: bytes, description: str | None) -> None:
    DraftEvidence.objects.create(
        draft=draft,
        file_name=name,
        content_type=content_type,
        content=content,
        size=len(content),
        description=description,
    )


def add_link(draft: Draft, url: str, description: str | None) -> None:
    DraftEvidence.objects.create(draft=draft, url=url, description=description)


def remove(draft: Draft, piece_id: int) -> None:
    draft.evidence.filter(pk=piece_id).delete()


def pieces(draft: Draft) -> list[DraftEvidence]:
    """In the order in which they were added, without file contents."""
    return list(draft.evidence.defer("content").order_by("pk")) if draft.changed_at else []


def digest(draft: Draft) -> str:
    """Changes whenever the draft changes."""
    text = json.dumps([draft.message, [piece.pk for piece in pieces(draft)]])
    return hashlib.sha256(text.encode()).hexdigest()


def shown(draft: Draft) -> list[Shown]:
    """The evidence in the form that an answer takes."""
    return [
        Shown(
            url=piece.url,
            description=piece.description,
            file_name=piece.file_name,
            content_type=piece.content_type,
            content=bytes(piece.content) if piece.content is not None else None,
        )
        for piece in draft.evidence.order_by("pk")
    ]
