"""Refusals of the server: bodies and headers that are not read."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class BodyTooLarge(Refusal):
    code = "ONP413"
    message = _("The body is too large.")
    advice = _("A body may have at most 256 KiB, and a refund response at most 15 MiB.")


class BodyIncomplete(Refusal):
    code = "ONP400_BODY_INCOMPLETE"
    message = _("The body ended before all of it arrived.")
    advice = _("Send the same request again with the same key.")
    retryable = True


class HeaderRepeated(Refusal):
    code = "ONP400_HEADER_REPEATED"
    message = _("A header that may appear only once was sent twice.")
    advice = _("Send each header once. Operators: the proxy must overwrite client headers, not append to them.")


class BodyTooSlow(Refusal):
    code = "ONP408"
    message = _("The body did not arrive in time.")
    advice = _(
        "Send the same request again with the same key. A body has ten seconds, plus one second for each 64 KiB."
    )
    retryable = True


class TargetTooLong(Refusal):
    code = "ONP414"
    message = _("The URL is too long.")
    advice = _("A URL may have at most 8 KiB including its query: request less at once.")


class TooManyUnfinished(Refusal):
    code = "ONP429_UNFINISHED_BODIES"
    message = _("Too many request bodies from this address are still arriving.")
    advice = _("Send each body in one go; at most eight bodies per address may take longer than a second.")
    retryable = True
    retry_after_s = 1


class NoAnswerInTime(Refusal):
    code = "ONP504"
    message = _("The service did not respond in time.")
    advice = _("The request may have been processed. Send it again with the same key to find out.")
    retryable = True
    retry_after_s = 5
