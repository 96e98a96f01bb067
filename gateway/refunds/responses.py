"""The company's response to a payer's request, with its evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.base.ids import new_id
from accounts.models import User
from gateway.refunds.evidence import file_name_of
from gateway.refunds.models import Evidence, Refund, Response


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece of evidence: a URL, or a file whose type was detected from its content."""

    url: str | None = None
    description: str | None = None
    file_name: str | None = None
    content_type: str | None = None
    content: bytes | None = None


def write_down(
    refund: Refund,
    answer: str,
    answered_by: str,
    now: datetime,
    *,
    message: str | None = None,
    evidence: Sequence[Shown] = (),
    person: User | None = None,
) -> Response:
    """Records the answer with its evidence."""
    response = Response.objects.create(
        id=new_id("rsp"),
        refund=refund,
        answer=answer,
        message=message,
        answered_by=answered_by,
        person=person,
        created_at=now,
    )
    Evidence.objects.bulk_create(
        Evidence(
            id=new_id("evd"),
            response=response,
            kind=Evidence.Kind.URL if one.url else Evidence.Kind.FILE,
            description=one.description,
            url=one.url,
            file_name=file_name_of(one.file_name, one.content_type) if one.file_name else None,
            content_type=one.content_type,
            size=len(one.content) if one.content is not None else None,
            content=one.content,
        )
        for one in evidence
    )
    return response
