"""What proposals refuse."""

from accounts.base.errors import Refusal


class OwnCompany(Refusal):
    code = "ONP403_OWN_COMPANY"
    message = "Nobody decides about themselves or about a company that they belong to."
    advice = "Ask a colleague who has nothing to do with the company."


class AlreadyProposed(Refusal):
    code = "ONP409_PROPOSED"
    message = "Somebody has proposed a decision about this, and a second person must confirm it."
    advice = "Confirm the open proposal, or turn it down first."


class ProposalClosed(Refusal):
    code = "ONP409_PROPOSAL"
    message = "There is nothing to confirm: it was decided before, or what it is about has changed since."
    advice = "Look the record up again; propose again what is still right."


class ProposalChanged(Refusal):
    code = "ONP409_PROPOSAL_CHANGED"
    message = "The proposal is not the one that was read. Nothing was changed."
    advice = "Read the open proposal, then confirm it or turn it down."
