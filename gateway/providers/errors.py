"""How a call to an institution fails. What may have taken effect there is unclear, and never a failure."""

from accounts.base.errors import MethodRefusal


class ProviderNotConnected(MethodRefusal):
    code = "ONP403_<METHOD>_NOT_CONNECTED"
    message = "No payment provider is connected for this payment method."
    advice = "Use a method listed by GET /payment-methods, or ask support to connect a provider. Repeating is no use."


class CallFailed(Exception):
    """A call to an institution without a usable answer. `reason` is for staff and holds no secret."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotSent(CallFailed):
    """Nothing was transmitted: no connection, no handshake, no access token. The call had no effect."""


class Unclear(CallFailed):
    """The request was transmitted, and the answer is missing or unusable: it may have taken effect."""


class NotConnected(CallFailed):
    """The connection check failed."""


class Unreadable(CallFailed):
    """A message that does not have the documented form."""
