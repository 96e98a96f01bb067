"""Refusals of the server: bodies and headers that are not read."""

from accounts.base.errors import Refusal


class BodyTooLarge(Refusal):
    code = "ONP413"
    message = "The body is too large."
    advice = "A body has at most 256 KiB; the answer to a refund at most 15 MiB."


class BodyIncomplete(Refusal):
    code = "ONP400_BODY_INCOMPLETE"
    message = "The body ended before all of it had arrived."
    advice = "Repeat the same request with the same key."
    retryable = True


class HeaderRepeated(Refusal):
    code = "ONP400_HEADER_REPEATED"
    message = "A header that may come once came twice."
    advice = "Send each header once. Operators: the proxy must replace what clients send, not add to it."


class BodyTooSlow(Refusal):
    code = "ONP408"
    message = "The body did not arrive in time."
    advice = "Repeat the same request with the same key. A body has ten seconds, and one more for each 64 KiB."
    retryable = True


class TargetTooLong(Refusal):
    code = "ONP414"
    message = "The address is too long."
    advice = "An address has at most 8 KiB with its query: ask for less at once."


class TooManyUnfinished(Refusal):
    code = "ONP429_UNFINISHED_BODIES"
    message = "Too many bodies from this address are still arriving."
    advice = "Send bodies whole; at most eight of an address may take longer than a second."
    retryable = True
    retry_after_s = 1
