"""Refusals about companies, their people and keys."""

from accounts.base.errors import InvalidRequest, Refusal


class OwnRequest(Refusal):
    code = "ONP403_OWN_REQUEST"
    message = "Whoever asked for something does not decide it."
    advice = "Ask a colleague."


class RolesApart(Refusal):
    code = "ONP409_STAFF_ROLES"
    message = "Treasury and Onboarding are never one person."
    advice = "Give one of the two roles to a colleague."


class LastOwner(Refusal):
    code = "ONP409_LAST_OWNER"
    message = "A company keeps at least one owner."
    advice = "Make somebody else an owner first."


class KeyExceedsRights(Refusal):
    code = "ONP403_KEY_RIGHTS"
    message = "A live key cannot do more with money than the person who issues it."
    advice = "Leave out refunds:write, withdrawals:write and conversions:write, or ask an owner to issue the key."


class RoleExceedsRights(Refusal):
    code = "ONP403_ROLE_RIGHTS"
    message = "Nobody gives a role that may do more than their own."
    advice = "Ask an owner."


class TooManyCompanies(Refusal):
    code = "ONP429_COMPANIES"
    message = "Three companies of this person wait for their verification."
    advice = "Have one of them verified first, or write to us."


class InvalidCompanyName(InvalidRequest):
    code = "ONP400_COMPANY_NAME"
    message = "The name of a company cannot hold an internet or e-mail address."
    advice = "Write the name without it."


class AlreadyMember(Refusal):
    code = "ONP409_MEMBER"
    message = "This person is in the team already."
    advice = "Change their role in the list."


class TooManyInvitations(Refusal):
    code = "ONP429_INVITATIONS"
    message = "Too many invitations were sent within a day, or to this address."
    advice = "Send the next one tomorrow."


class InvalidAddress(InvalidRequest):
    code = "ONP400_WITHDRAWAL_IP"
    message = "This is not one public IP address."
    advice = "Enter the IPv4 or IPv6 address from which your backend reaches the internet; a network will not do."


class InvalidDocument(InvalidRequest):
    code = "ONP400_DOCUMENT"
    message = "The file cannot be taken."
    advice = "Hand in a PDF, PNG or JPEG of at most 10 MB."


class TooManyDocuments(Refusal):
    code = "ONP422_DOCUMENTS"
    message = "Twenty documents are handed in."
    advice = "Remove one, or put several pages into one PDF."


class DocumentUnknown(Refusal):
    code = "ONP404_DOCUMENT"
    message = "There is no such document."
    advice = "Compare the id."


class CompanyState(Refusal):
    code = "ONP409_COMPANY_STATE"
    message = "The company is not in a state that allows this."
    advice = "Look the company up again: its status says what comes next. A closed company stays closed."


class CompanyHasMoney(Refusal):
    code = "ONP409_COMPANY_MONEY"
    message = "A wallet of the company in production is not empty."
    advice = "Withdraw, release or settle what its wallets hold and what it owes, then close it."


class PersonState(Refusal):
    code = "ONP409_PERSON_STATE"
    message = "The person is not in a state that allows this."
    advice = "Look the person up again."


class VerificationState(Refusal):
    code = "ONP409_VERIFICATION_STATE"
    message = "The verification is not in a state that allows this."
    advice = "Look the page up again: it says what comes next."
