"""Refusals of the server: bodies and headers that are not read."""

from accounts.base.errors import Refusal


class BodyTooLarge(Refusal):
    code = "ONP413"
    message = "The body is too large."
    advice = "A body may have at most 256 KiB, and a refund response at most 15 MiB."


class BodyIncomplete(Refusal):
    code = "ONP400_BODY_INCOMPLETE"
    message = "The body ended before all of it arrived."
    advice = "Send the same request again with the same key."
    retryable = True


class HeaderRepeated(Refusal):
    code = "ONP400_HEADER_REPEATED"
    message = "A header that may appear only once was sent twice."
    advice = "Send each header once. Operators: the proxy must overwrite client headers, not append to them."


class BodyTooSlow(Refusal):
    code = "ONP408"
    message = "The body did not arrive in time."
    advice = "Send the same request again with the same key. A body has ten seconds, plus one second for each 64 KiB."
    retryable = True


class TargetTooLong(Refusal):
    code = "ONP414"
    message = "The URL is too long."
    advice = "A URL may have at most 8 KiB including its query: request less at once."


class TooManyUnfinished(Refusal):
    code = "ONP429_UNFINISHED_BODIES"
    message = "Too many request bodies from this address are still arriving."
    advice = "Send each body in one go; at most eight bodies per address may take longer than a second."
    retryable = True
    retry_after_s = 1
