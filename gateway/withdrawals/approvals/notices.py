"""E-mails about approvals: to those who can approve when they are asked, then to the owners at each step."""

from collections.abc import Collection, Iterable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Merchant, User
from accounts.notices import notify
from accounts.roles import Role
from gateway.withdrawals.approvals.identities import names
from gateway.withdrawals.approvals.models import Approval
from gateway.withdrawals.models import ApprovalState, Withdrawal
from gateway.withdrawals.notices import READERS, is_new
from gateway.withdrawals.rules.selectors import in_force
from ledger.notation import in_market

SUBJECTS: dict[str, Promise] = {
    ApprovalState.PENDING: _("a withdrawal received another approval"),
    ApprovalState.APPROVED: _("a withdrawal was approved"),
    ApprovalState.REJECTED: _("a withdrawal was rejected"),
    ApprovalState.EXPIRED: _("a withdrawal was not approved in time"),
}


def asked(withdrawal: Withdrawal) -> None:
    """Tells owners and approvers that a withdrawal waits for them; of a new destination all who can move money."""
    roles, also = approvers(withdrawal.merchant)
    new = is_new(withdrawal)
    subject = _("a withdrawal waits for approval")
    _notify(withdrawal, subject, {*roles, *READERS} if new else roles, also=also, is_new=new)


def approvers(merchant: Merchant) -> tuple[set[Role], Iterable[str]]:
    """Who is asked: the roles that approve and the owners, and the addresses of others whom the rules name."""
    rules, company = in_force(merchant).rules, merchant.company_id
    named = User.objects.filter(pk__in=rules.persons, memberships__company=company, is_active=True)
    others = named.exclude(memberships__role__in=rules.roles, memberships__company=company)
    return {Role.OWNER, *rules.roles}, others.values_list("email", flat=True).distinct()


def decided(withdrawal: Withdrawal) -> None:
    """Tells the owners of an approval; all who can move money, that it was rejected or not approved in time."""
    has_ended = withdrawal.approval in (ApprovalState.REJECTED, ApprovalState.EXPIRED)
    _notify(withdrawal, SUBJECTS[str(withdrawal.approval)], READERS if has_ended else (Role.OWNER,))


def _notify(
    withdrawal: Withdrawal,
    subject: Promise,
    roles: Collection[Role],
    *,
    also: Iterable[str] = (),
    is_new: bool = False,
) -> None:
    merchant = withdrawal.merchant
    decisions = Approval.objects.filter(withdrawal=withdrawal).select_related("person", "key").order_by("created_at")
    with in_market(merchant.company.country):
        notify(
            merchant.company,
            roles,
            subject,
            "withdrawal_approval",
            "withdrawal",
            args=(withdrawal.pk,),
            environment=merchant.environment,
            also=also,
            withdrawal=withdrawal,
            state=str(withdrawal.approval),
            is_new=is_new,
            requesters=names(withdrawal.asked_by),
            missing=withdrawal.approvals_required - withdrawal.approvals_given,
            decisions=[(one.decision, str(one.person or one.key)) for one in decisions],
        )
