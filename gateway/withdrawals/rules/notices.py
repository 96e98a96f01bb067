"""E-mails to all owners about changed rules."""

from django.utils.translation import gettext_lazy as _

from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Merchant, User
from accounts.notices import notify
from accounts.roles import Role
from gateway.withdrawals.rules.models import WithdrawalRules
from gateway.withdrawals.rules.selectors import SETTLES

SUBJECTS = {
    "proposed": _("your withdrawal rules are about to become weaker"),
    "in_force": _("your withdrawal rules were changed"),
    "stopped": _("a change of your withdrawal rules was stopped"),
}


def changed(merchant: Merchant, version: WithdrawalRules, step: str, *, by: User | None) -> None:
    """Notifies the owners: weaker rules were proposed, rules are in force, or a proposal was stopped.

    Those who were owners until less than 48 hours ago are notified as well: whoever takes over an account could remove
    the other owners first.
    """
    notify(
        merchant.company,
        (Role.OWNER,),
        SUBJECTS[step],
        "withdrawal_rules",
        "withdrawal_rules",
        environment=merchant.environment,
        also=_recent_owners(merchant),
        step=step,
        by=by.email if by else "",
        due_at=version.due_at,
    )


def _recent_owners(merchant: Merchant) -> list[str]:
    """The addresses of those who lost the role of an owner within the time that weaker rules wait."""
    lost = AuditEntry.objects.filter(
        company=merchant.company_id,
        action__in=("member.removed", "member.role_changed"),
        created_at__gte=utcnow() - SETTLES,
        before__role=Role.OWNER,
    )
    return sorted(set(lost.values_list("object_id", flat=True)))
