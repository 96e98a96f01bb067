"""E-mails about advances."""

from django.utils.translation import gettext_lazy as _

from accounts.emails.topics import Topic
from accounts.notices import notify
from accounts.roles import Role
from ledger.notation import in_market
from ledger.receivables.models import Advance


def decided(advance: Advance) -> None:
    """Notifies that an advance was approved or refused."""
    merchant = advance.merchant
    with in_market(merchant.company.country):
        notify(
            merchant.company,
            (Role.OWNER, Role.FINANCE),
            _("your advance was decided"),
            "advance_decided",
            "advance",
            args=(advance.id,),
            environment=merchant.environment,
            topic=Topic.ADVANCES,
            approved=advance.state == Advance.State.APPROVED,
            net=advance.net,
            currency=advance.currency,
        )
