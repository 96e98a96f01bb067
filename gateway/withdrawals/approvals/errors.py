"""Refusals of approvals."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal
from gateway.withdrawals.errors import WithdrawalState


class OwnApproval(Refusal):
    code = "ONP403_OWN_APPROVAL"
    message = _("Who asked for a withdrawal cannot approve it; a key counts as the person who issued it.")
    advice = _("Have another person approve, or a key that another person issued.")


class NoApprover(Refusal):
    code = "ONP403_APPROVER"
    message = _("The company's rules do not count an approval by this person or key, or not yet.")
    advice = _("New roles and keys count after 48 hours; owners set in the dashboard who approves.")


class ApprovalGiven(Refusal):
    code = "ONP409_APPROVAL_GIVEN"
    message = _("This person, or a key of theirs, has already approved the withdrawal.")
    advice = _("Another person must approve it.")


class ApprovalState(Refusal):
    code = "ONP409_APPROVAL_STATE"
    message = _("The withdrawal does not wait for approval.")
    advice = _("Look the withdrawal up: `approval` shows how it was decided.")


class Unapproved(WithdrawalState):
    code = "ONP409_WITHDRAWAL_UNAPPROVED"
    message = _("The withdrawal waits for approval: it has not left, and can only fail.")
    advice = _("Have it approved first.")
