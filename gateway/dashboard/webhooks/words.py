"""Names of endpoint and delivery statuses, and the verdicts of the signature checker."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.dashboard.words import BAD, DONE, GOOD, QUIET, WAITING, Word
from webhooks.doctor import Verdict

ENDPOINT: dict[str, Word] = {
    "ACTIVE": (_("Active"), GOOD),
    "INACTIVE": (_("Disabled"), QUIET),
    "DISABLED": (_("Disabled by us"), BAD),
}


DISABLED_REASON: dict[str, Promise] = {
    "FAILURES": _("Nothing was delivered for five days."),
    "GONE": _("The address answered 410: it is permanently gone."),
}


DELIVERY: dict[str, Word] = {
    "PENDING": (_("In progress"), WAITING),
    "DELIVERED": (_("Delivered"), GOOD),
    "FAILED": (_("Gave up"), BAD),
    "CANCELED": (_("Canceled"), QUIET),
}


FAILURE: dict[str, Promise] = {
    "CONNECTION_REFUSED": _("Nothing is listening there: the connection was refused"),
    "CONNECTION_RESET": _("The connection was closed"),
    "DNS": _("The host name does not resolve"),
    "FORBIDDEN_ADDRESS": _("The host resolves to an address that we must not call"),
    "INVALID_RESPONSE": _("The response was not HTTP"),
    "TIMEOUT": _("No answer within 15 seconds"),
    "TLS": _("The certificate is not valid for this host"),
    "UNFORESEEN": _("Something went wrong on our side; it will be retried"),
    "UNREACHABLE": _("The host could not be reached"),
}


VERDICT: dict[Verdict, Word] = {
    Verdict.OK: (_("Everything matches"), GOOD),
    Verdict.BODY_REENCODED: (_("The body was parsed and serialized again"), BAD),
    Verdict.WRONG_ENDPOINT_SECRET: (_("The secret belongs to another endpoint"), BAD),
    Verdict.PREVIOUS_SECRET: (_("The secret is the previous one"), WAITING),
    Verdict.TIMESTAMP_SKEW: (_("The clock is wrong, or it was verified too late"), WAITING),
    Verdict.TRAILING_NEWLINE: (_("Whitespace was added or lost"), BAD),
    Verdict.WRONG_ENCODING: (_("A different encoding was used"), BAD),
    Verdict.API_KEY_PASTED: (_("An API key was entered instead of the secret"), BAD),
    Verdict.UNKNOWN: (_("No known cause matches"), DONE),
}
