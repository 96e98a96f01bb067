"""Refusals about companies, people and keys."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class EnvironmentNotServed(Refusal):
    code = "ONP403_ENVIRONMENT_NOT_SERVED"
    message = _("This server does not serve the requested environment.")
    advice = _("Call the host of your key's environment: sandbox and production have different hosts.")

    def __init__(self, environment: str) -> None:
        self.environment = environment
        super().__init__()


class OwnRequest(Refusal):
    code = "ONP403_OWN_REQUEST"
    message = _("You cannot approve your own request.")
    advice = _("Ask a colleague to review it.")


class RolesApart(Refusal):
    code = "ONP409_STAFF_ROLES"
    message = _("Treasury and Onboarding cannot be held by the same person.")
    advice = _("Assign one of the two roles to a colleague.")


class LastOwner(Refusal):
    code = "ONP409_LAST_OWNER"
    message = _("A company must have at least one owner.")
    advice = _("Make somebody else an owner first.")


class KeyExceedsRights(Refusal):
    code = "ONP403_KEY_RIGHTS"
    message = _("A live key cannot have more rights over money than the person who issues it.")
    advice = _("Leave out refunds:write, withdrawals:write and conversions:write, or ask an owner to issue the key.")


class RoleExceedsRights(Refusal):
    code = "ONP403_ROLE_RIGHTS"
    message = _("You cannot grant a role with more rights than your own.")
    advice = _("Ask an owner.")


class TooManyCompanies(Refusal):
    code = "ONP429_COMPANIES"
    message = _("You already have three companies awaiting verification.")
    advice = _("Have one of them verified first, or contact support.")


class InvalidCompanyName(InvalidRequest):
    code = "ONP400_COMPANY_NAME"
    message = _("A company name must not contain a web or e-mail address, or invisible characters.")
    advice = _("Enter the name without them.")


class AlreadyMember(Refusal):
    code = "ONP409_MEMBER"
    message = _("This person is already on the team.")
    advice = _("Change their role in the team list.")


class TooManyInvitations(Refusal):
    code = "ONP429_INVITATIONS"
    message = _("Too many invitations were sent today, or to this address.")
    advice = _("Send the next one tomorrow.")


class InvalidAddress(InvalidRequest):
    code = "ONP400_WITHDRAWAL_IP"
    message = _("This is not a single public IP address.")
    advice = _(
        "Enter the IPv4 or IPv6 address from which your backend reaches the internet; a network range is not accepted."
    )


class InvalidLogo(InvalidRequest):
    code = "ONP400_LOGO"
    message = _("The logo cannot be accepted.")
    advice = _("Upload a PNG, JPEG or WebP of at most 2 MB and 9 million pixels.")


class InvalidDocument(InvalidRequest):
    code = "ONP400_DOCUMENT"
    message = _("The file cannot be accepted.")
    advice = _("Upload a PDF, PNG or JPEG of at most 10 MB.")


class TooManyDocuments(Refusal):
    code = "ONP422_DOCUMENTS"
    message = _("You have already uploaded 20 documents.")
    advice = _("Remove one, or combine several pages into one PDF.")


class DocumentUnknown(Refusal):
    code = "ONP404_DOCUMENT"
    message = _("Document not found.")
    advice = _("Check the id.")


class CompanyState(Refusal):
    code = "ONP409_COMPANY_STATE"
    message = _("The company's status does not allow this.")
    advice = _("Look the company up again and check its status. A closed company stays closed.")


class CompanyHasMoney(Refusal):
    code = "ONP409_COMPANY_MONEY"
    message = _("A production wallet of the company is not empty.")
    advice = _("Withdraw, release or settle everything that its wallets hold and owe, then close the company.")


class PersonState(Refusal):
    code = "ONP409_PERSON_STATE"
    message = _("The state of this person's account does not allow this.")
    advice = _("Look the person up again.")


class VerificationState(Refusal):
    code = "ONP409_VERIFICATION_STATE"
    message = _("The verification's status does not allow this.")
    advice = _("Reload the page to see the next step.")
