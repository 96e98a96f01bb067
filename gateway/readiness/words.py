"""What each probe looks at, why it matters and what to change: in English; pages translate them."""

from typing import NamedTuple

from django.utils.translation import gettext_noop as _

from gateway.readiness.probes import Probe


class Words(NamedTuple):
    """`guide`: the page of /docs, and the place in it."""

    title: str
    looks_at: str
    matters: str
    advice: str
    guide: tuple[str, str]


VERIFY, HANDLE = ("webhooks", "verify"), ("webhooks", "handle")
RETRY, KEYS = ("retries", "retry"), ("idempotency", "how")

WORDS: dict[Probe, Words] = {
    Probe.GENUINE_ACCEPTED: Words(
        _("Accepts our deliveries"),
        _("Every delivery that we signed with your secret gets a 2xx response in the end."),
        _("An order whose events are refused is paid and never shipped."),
        _(
            "Look at the response of your server to one of these deliveries. If it refuses all of them, compare its"
            " secret with that of this endpoint: each endpoint has its own, shown when it is created or rotated. Verify"
            " the raw bytes of the body, before any framework parses it, and answer 200 to every event that you"
            " verified, also to those that you do nothing about."
        ),
        ("webhooks", "doctor"),
    ),
    Probe.FORGED_REFUSED: Words(
        _("Refuses forged deliveries"),
        _("A delivery signed with another secret gets a response other than 2xx."),
        _("Whoever knows the address of your endpoint could tell your shop that an order is paid."),
        _(
            "Compute the signature with your secret, compare it with `hmac.compare_digest` or"
            " `crypto.timingSafeEqual`, and answer 400 before you read the body if none matches."
        ),
        VERIFY,
    ),
    Probe.TAMPERED_REFUSED: Words(
        _("Refuses changed bodies"),
        _("A delivery whose body was changed after it was signed gets a response other than 2xx."),
        _("An amount, a reference or a status could be changed on the way."),
        _(
            "Sign the whole raw body together with `webhook-id` and `webhook-timestamp`, and neither parsed members nor"
            " the id alone."
        ),
        VERIFY,
    ),
    Probe.OLD_REFUSED: Words(
        _("Refuses old deliveries"),
        _("A delivery that was signed ten minutes ago gets a response other than 2xx."),
        _("A delivery that somebody recorded could be sent again at any time."),
        _("Compare `webhook-timestamp` with your clock, and refuse what differs by more than 300 seconds."),
        VERIFY,
    ),
    Probe.BOTH_SECRETS_ACCEPTED: Words(
        _("Survives a rotation of the secret"),
        _("A delivery with two signatures is accepted although yours is the second."),
        _("While a secret is replaced every event would be refused."),
        _("Split `webhook-signature` at its spaces, and accept the delivery if any of the signatures matches."),
        ("webhooks", "rotate"),
    ),
    Probe.ANSWERS_IN_TIME: Words(
        _("Answers quickly"),
        _("No delivery takes 5 seconds or longer to be answered."),
        _("Under load slow answers become time-outs, and each of them is delivered again."),
        _("Store the event, answer 200, and do the work afterwards from a queue."),
        HANDLE,
    ),
    Probe.UNKNOWN_TYPE_ACCEPTED: Words(
        _("Ignores event types it does not know"),
        _("An event of a type that does not exist yet gets a 2xx response."),
        _("A new event type would make your endpoint fail, until it is paused and nothing arrives."),
        _("End your handler with a default branch that returns 200, instead of raising for an unknown `type`."),
        HANDLE,
    ),
    Probe.UNKNOWN_VALUES_ACCEPTED: Words(
        _("Copes with new members and values"),
        _("An event with additional members and an unknown value of an enumeration gets a 2xx response."),
        _("We add members and values without a new version: orders would stop on that day."),
        _("Let your parser ignore unknown members, and treat an unknown value like one that needs no action."),
        ("versioning", "compatible"),
    ),
    Probe.DUPLICATE_RELEASED_ONCE: Words(
        _("Releases once although an event comes twice"),
        _("An order whose event was delivered twice is released exactly once."),
        _("The goods are shipped twice for one payment."),
        _(
            "Release with a conditional update, `UPDATE orders SET released = true WHERE reference = … AND NOT"
            " released`, and ship only if it changed a row."
        ),
        HANDLE,
    ),
    Probe.DISORDER_RELEASED_ONCE: Words(
        _("Releases once although events come out of order"),
        _("An order whose later event arrived first is released exactly once."),
        _("The goods are shipped twice, or never."),
        _("Release when an event carries `paidAt`, whatever its type, and let an update that changes one row decide."),
        HANDLE,
    ),
    Probe.LOST_EVENT_RELEASED: Words(
        _("Releases although `payment.paid` never came"),
        _("The order is released once another event, or your own look-up, shows `paidAt`."),
        _("The payer has paid and gets nothing."),
        _(
            "Replace the test for `payment.paid` by a test for `data.paidAt`, in the handler and where you look"
            " payments up."
        ),
        HANDLE,
    ),
    Probe.UNPAID_NOT_RELEASED: Words(
        _("Releases nothing that is not paid"),
        _("No order is released while its payment is pending, authorized, declined or expired."),
        _("Goods leave and no money comes."),
        _("Release only if `paidAt` is set: not for the return of the payer's browser, and not for another status."),
        HANDLE,
    ),
    Probe.REFUNDED_NOT_RELEASED: Words(
        _("Releases nothing that was refunded"),
        _("An order is not released if the first news is that its payment was refunded in full."),
        _("The payer has the money and the goods."),
        _("Before you release, compare the status of the newest event with `REFUNDED`; it carries `paidAt` too."),
        HANDLE,
    ),
    Probe.FORGED_NOT_RELEASED: Words(
        _("Releases nothing for a forged delivery"),
        _("An unpaid order is not released by a delivery that must be refused."),
        _("Goods leave for anyone who can send a request to your endpoint."),
        _("Verify in the first line of the handler, and return before anything is stored or queued if it fails."),
        VERIFY,
    ),
    Probe.RETRIED_WITH_SAME_KEY: Words(
        _("Repeats with the same key when an answer is lost"),
        _("After a lost answer or a 503 the same request comes again with the same idempotency key."),
        _("With a new key a second payment or refund is made; without a repetition the payer is left waiting."),
        _("Create the `idempotency-key` when the order is stored, and send the stored one with every repetition."),
        RETRY,
    ),
    Probe.WAITED_RETRY_AFTER: Words(
        _("Waits as long as a 429 asks for"),
        _("A request that was refused with 429 is repeated no sooner than `Retry-After` says."),
        _("Repeating at once keeps you above the limit, and payers cannot pay."),
        _("Sleep for the seconds in the header `Retry-After` before the next attempt, instead of a fixed pause."),
        RETRY,
    ),
    Probe.IN_PROGRESS_WAITED: Words(
        _("Waits for a request that is still being processed"),
        _("After 409 `ONP409_IDEMPOTENCY_IN_PROGRESS` the same request comes again later with the same key."),
        _("A shop that gives up does not learn of its payment; one that uses a new key may make a second one."),
        _("Treat every refusal with `retryable: true` like a lost answer, also a 409: wait `retryAfter`, and repeat."),
        RETRY,
    ),
    Probe.REFUSALS_NOT_REPEATED: Words(
        _("Does not repeat what is refused for good"),
        _("A request that is refused and not retryable is sent at most twice, and no key is used for another order."),
        _("Repetitions use up your rate limit; a key that is used twice leaves the second order without a payment."),
        _("Repeat only if `error.retryable` is true, and create a key of its own for each order."),
        ("idempotency", "mistakes"),
    ),
    Probe.POLLED_GENTLY: Words(
        _("Does not ask again and again"),
        _("Nothing is looked up more than 20 times within a minute."),
        _("Look-ups count towards the rate limit of your payments."),
        _("Rely on webhooks, and look a payment up only if its event is late: after 10 seconds, then 20, then 40."),
        ("retries", "limits"),
    ),
    Probe.ANOTHER_WAY_ONE_PAYABLE: Words(
        _("Ends a payment before it offers another way to pay"),
        _("The first payment of an order has expired before the second is made, under the same reference."),
        _("Both could be paid, and one has to be refunded."),
        _(
            "Call `POST /payments/{id}/expire`, look at its `status`, and create the next payment with the same"
            " `reference`."
        ),
        ("payments", "another-way"),
    ),
}
