"""Refusals of proposals."""

from accounts.base.errors import Refusal


class OwnCompany(Refusal):
    code = "ONP403_OWN_COMPANY"
    message = "You cannot decide about yourself or about a company that you belong to."
    advice = "Ask a colleague who has no connection to the company."


class AlreadyProposed(Refusal):
    code = "ONP409_PROPOSED"
    message = "A decision about this has already been proposed and needs a second person to confirm it."
    advice = "Confirm or reject the open proposal first."


class ProposalClosed(Refusal):
    code = "ONP409_PROPOSAL"
    message = "There is nothing to confirm: the proposal was already decided, or the record has changed since."
    advice = "Look the record up again, and make a new proposal if it is still needed."


class ProposalChanged(Refusal):
    code = "ONP409_PROPOSAL_CHANGED"
    message = "The open proposal is not the one you reviewed. Nothing was changed."
    advice = "Review the open proposal, then confirm or reject it."
