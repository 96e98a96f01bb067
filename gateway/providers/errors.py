"""How a call to an institution fails. What may have taken effect there is unclear, and never a failure."""

from collections.abc import Sequence

from django.utils.translation import gettext_noop as _

from accounts.base.errors import MethodRefusal, Refusal
from gateway.providers.provider import Notice


class ProviderNotConnected(MethodRefusal):
    code = "ONP403_<METHOD>_NOT_CONNECTED"
    message = _("No payment provider is connected for this payment method and amount.")
    advice = _("Use a method and an amount that GET /payment-methods lists, or ask support to connect a provider.")


class CallFailed(Exception):
    """A call to an institution without a usable answer. `reason` is for staff and holds no secret."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotSent(CallFailed):
    """Nothing was transmitted: no connection, no handshake, no access token. The call had no effect."""


class ScopeRefused(NotSent):
    """The institution gives our client no access token for such calls."""


class Unclear(CallFailed):
    """The request was transmitted, and the answer is missing or unusable: it may have taken effect."""


class AnswerRefused(CallFailed):
    """The acquirer definitely did not take the company's answer to a dispute."""


class NotConnected(CallFailed):
    """The connection check failed."""


class Unreadable(CallFailed):
    """A message, or a part of one, that does not have the documented form. `others` is what its other parts say."""

    def __init__(self, reason: str, others: Sequence[Notice] = ()) -> None:
        super().__init__(reason)
        self.others = others


class InvalidAccount(Refusal):
    code = "ONP400_PROVIDER_ACCOUNT"
    message = _("The provider account or its credentials are not valid.")
    advice = _("Correct the fields listed in error.fields.")


class AccountUnknown(Refusal):
    code = "ONP404_PROVIDER_ACCOUNT"
    message = _("There is no such provider account.")
    advice = _("Look the account up in the list.")


class MessageUnknown(Refusal):
    code = "ONP404_PROVIDER_MESSAGE"
    message = _("There is no such message of a provider.")
    advice = _("Look the message up in the list; old ones are deleted.")


class AccountState(Refusal):
    code = "ONP409_PROVIDER_ACCOUNT_STATE"
    message = _("The status of the provider account does not allow this.")
    advice = _("Read its status, and choose an action that it allows.")


class AccountWorks(Refusal):
    code = "ONP409_PROVIDER_ACCOUNT_WORKS"
    message = _("The provider account was not taken out.")
    advice = _("Nothing needs to be done: new payments go there.")


class AccountUnchecked(Refusal):
    code = "ONP409_PROVIDER_UNCHECKED"
    message = _("The last connection check with these credentials did not pass.")
    advice = _("Check the connection. If it fails, replace the credentials and check it again.")


class AccountInUse(Refusal):
    code = "ONP409_PROVIDER_ACCOUNT_IN_USE"
    message = _("A route still names the provider account.")
    advice = _("Set the route without the account first.")


class AccountOfAnother(Refusal):
    code = "ONP409_PROVIDER_ACCOUNT_OWNER"
    message = _("The same account at the institution is connected for another owner.")
    advice = _("One bank account or merchant account receives the money of one company, or of the platform.")


class AccountNeeded(Refusal):
    code = "ONP409_PROVIDER_ACCOUNT_NEEDED"
    message = _("Something that was begun at the provider account has not ended.")
    advice = _("Pause it, so that nothing new goes there, and close it once all of that has ended.")


class RouteInvalid(Refusal):
    code = "ONP422_PROVIDER_ROUTE"
    message = _("An account of the route cannot serve it.")
    advice = _(
        "Choose active accounts of a production system that serve the method and are the company's or the platform's."
    )


class SandboxReachesOut(Exception):
    """A bug: a provider was about to be opened for a sandbox merchant."""
