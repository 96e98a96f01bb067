"""The company's answer to a dispute: recorded to be handed on to the acquirer."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Fault
from gateway.providers import selectors as providers
from gateway.providers.asking import settle_outcome
from gateway.providers.disputes import DisputeAnswer, Disputes, Piece
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.errors import InvalidEvidence
from gateway.refunds.models import Evidence, Refund, Response
from gateway.refunds.responses import Shown


def acquirer_of(refund: Refund) -> Disputes | None:
    """Where the refund is disputed, with what can be handed on there. None: it is no dispute at an acquirer."""
    dispute = Dispute.objects.select_related("account").filter(refund=refund).first()
    return providers.disputes(dispute.account) if dispute and dispute.account else None


def require_sendable(refund: Refund, message: str | None, evidence: Sequence[Shown]) -> None:
    """Raises ONP400_EVIDENCE for files and texts that the acquirer of the dispute does not take."""
    taken = acquirer_of(refund)
    if taken is None:
        return
    files = [one for one in evidence if one.content is not None]
    if len(files) > taken.most_files or sum(len(one.content or b"") for one in files) > taken.most_bytes:
        files_taken = {"files": taken.most_files, "kib": taken.most_bytes // 1024}
        sentence = _("The acquirer takes at most %(files)s files of %(kib)s KiB altogether.")
        raise InvalidEvidence(faults=[Fault("evidence", "TOO_LONG", sentence, files_taken)])
    addresses = tuple(Piece("", one.description or "", one.url) for one in evidence if one.url)
    if taken.most_text and len(DisputeAnswer("", "", message or "", addresses).text) > taken.most_text:
        sentence = _("The acquirer takes at most %(most)s characters of message, addresses and descriptions.")
        raise InvalidEvidence(faults=[Fault("evidence", "TOO_LONG", sentence, {"most": taken.most_text})])
    for at, one in enumerate(evidence):
        if one.content is not None and one.content_type not in taken.content_types:
            named = ", ".join(taken.content_types)
            raise InvalidEvidence(
                faults=[
                    Fault(f"evidence[{at}].contentType", "INVALID", "The acquirer takes %(types)s.", {"types": named})
                ]
            )


def hand_on(refund: Refund, response: Response, now: datetime) -> None:
    """Has the answer handed on to the acquirer of the dispute, if there is one.

    An inquiry is accepted by returning the money, as any other request is.
    """
    dispute = Dispute.objects.select_for_update(no_key=True).filter(refund=refund).first()
    if dispute is None or (dispute.is_inquiry and response.answer == Response.Answer.ACCEPT):
        return
    dispute.answer, dispute.answered_at, dispute.ask_at, dispute.updated_at = response, None, now, now
    settle_outcome(dispute)
    dispute.save()


def answer_of(dispute: Dispute) -> DisputeAnswer:
    """The answer with its evidence, in the form that an acquirer is handed."""
    assert dispute.answer
    return DisputeAnswer(
        dispute.answer.pk, dispute.reference, dispute.answer.message or "", tuple(_pieces(dispute.answer))
    )


def _pieces(response: Response) -> list[Piece]:
    return [
        Piece(
            one.pk,
            one.description or "",
            one.url,
            one.file_name or "",
            one.content_type or "",
            bytes(one.content) if one.content is not None else b"",
        )
        for one in Evidence.objects.filter(response=response).order_by("pk")
    ]
