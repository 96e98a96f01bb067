"""Refusals of proposals."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class OwnCompany(Refusal):
    code = "ONP403_OWN_COMPANY"
    message = _("You cannot decide about yourself or about a company that you belong to.")
    advice = _("Ask a colleague who has no connection to the company.")


class AlreadyProposed(Refusal):
    code = "ONP409_PROPOSED"
    message = _("A decision about this has already been proposed and needs a second person to confirm it.")
    advice = _("Confirm or reject the open proposal first.")


class ProposalClosed(Refusal):
    code = "ONP409_PROPOSAL"
    message = _("There is nothing to confirm: the proposal was already decided, or the record has changed since.")
    advice = _("Look the record up again, and make a new proposal if it is still needed.")


class ProposalChanged(Refusal):
    code = "ONP409_PROPOSAL_CHANGED"
    message = _("The open proposal is not the one you reviewed. Nothing was changed.")
    advice = _("Review the open proposal, then confirm or reject it.")
