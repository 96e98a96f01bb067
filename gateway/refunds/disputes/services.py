"""What staff do about disputes at acquirers."""

from django.db import transaction

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from gateway.refunds.disputes.models import Dispute


@transaction.atomic
def look_again(by: Actor, dispute_id: str, note: str) -> Dispute:
    """Has the next sweep hand an answer on again that was not taken, or book what did not fit."""
    dispute = Dispute.objects.select_for_update(no_key=True, of=("self",)).get(pk=dispute_id)
    dispute.ask_at = utcnow()
    dispute.save(update_fields=["ask_at"])
    audit.record(
        by, "dispute.looked_at_again", merchant=dispute.merchant, object_id=dispute.pk, note=note, by_staff=True
    )
    return dispute
