"""E-mails to all owners about changed rules."""

from django.utils.translation import gettext_lazy as _

from accounts.models import Merchant, User
from accounts.notices import is_notified, notify
from accounts.roles import Role
from gateway.withdrawals.rules.models import WithdrawalRules

SUBJECTS = {
    "proposed": _("your withdrawal rules are to become weaker"),
    "in_force": _("your withdrawal rules were changed"),
    "stopped": _("a change of your withdrawal rules was stopped"),
}


def changed(merchant: Merchant, version: WithdrawalRules, step: str, *, by: User | None) -> None:
    """Notifies the owners: weaker rules were proposed, rules are in force, or a proposal was stopped."""
    if not is_notified(merchant):
        return
    notify(
        merchant.company,
        (Role.OWNER,),
        SUBJECTS[step],
        "withdrawal_rules",
        "withdrawal_rules",
        environment=merchant.environment,
        step=step,
        by=by.email if by else "",
        due_at=version.due_at,
    )
