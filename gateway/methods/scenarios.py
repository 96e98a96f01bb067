"""The sandbox's magic amounts for payments (contract §14.3). The documentation is generated from this table."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext_noop as _

from accounts.base.errors import MethodRefusal
from gateway.methods.errors import InvalidResponse, RailUnavailable
from gateway.methods.rail import PaymentResult
from gateway.methods.registry import CARDS, Method

Failure = tuple[str, str]
EVERY = tuple(Method)
CHECKOUTS = (Method.PSE, Method.NEQUI, Method.BRE_B, Method.BANK_TRANSFER)
PAYER_REJECTED: Failure = ("PAYER_REJECTED", "The payer refused the payment.")


@dataclass(frozen=True, slots=True)
class PaymentScenario:
    """What a whole amount that ends in `tail` triggers.

    `outage` is raised at the first call. `first` is returned instead of instructions; after `later_s` seconds the
    simulator is asked again, and answers `later` for a payment with instructions.
    """

    tail: int
    methods: tuple[Method, ...]
    effect: str
    outage: type[MethodRefusal] | None = None
    first: PaymentResult | None = None
    failure: Failure | None = None
    later_s: int | None = None
    later: PaymentResult | None = None
    currency: str | None = None


SCENARIOS = (
    PaymentScenario(
        911,
        EVERY,
        _("Rejected: 422 `ONP422_<METHOD>_REJECTED`. The payment is kept as FAILED; `error.paymentId` identifies it."),
        first=PaymentResult.DECLINED,
        failure=("ACQUIRER_REFUSED", "The provider refused the payment."),
    ),
    PaymentScenario(
        912,
        EVERY,
        _("The first call answers 502 `ONP502_<METHOD>_INVALID_RESPONSE`; repeating it with the same key answers 201."),
        outage=InvalidResponse,
    ),
    PaymentScenario(
        913,
        EVERY,
        _(
            "The first call answers 503 `ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE`; repeating it with the same "
            "key answers 201."
        ),
        outage=RailUnavailable,
    ),
    PaymentScenario(
        914,
        CHECKOUTS,
        _("PENDING without `nextAction`; a lookup and `payment.updated` have it ten seconds later."),
        first=PaymentResult.WAITING,
        later_s=10,
        currency="COP",
    ),
    PaymentScenario(
        914,
        CARDS,
        _(
            "PENDING without `nextAction`; a lookup has it ten seconds later, and `payment.action_required` is "
            "sent without `clientSecret` and `checkoutUrl`."
        ),
        first=PaymentResult.WAITING,
        later_s=10,
    ),
    PaymentScenario(
        915,
        EVERY,
        _(
            "Held for a security review: ACTION_REQUIRED without `nextAction` and without instructions. After 60 "
            "seconds it is cleared: PENDING, and `payment.updated` carries the instructions; for a card, the "
            "session."
        ),
        first=PaymentResult.REVIEW,
        later_s=60,
    ),
    PaymentScenario(916, CARDS, _("`integrationMode` is HOSTED: send the payer to `checkoutUrl`.")),
    PaymentScenario(
        917,
        (Method.MB_WAY, Method.NEQUI),
        _("The payer declines after ten seconds: FAILED with `PAYER_REJECTED`."),
        later_s=10,
        later=PaymentResult.DECLINED,
        failure=PAYER_REJECTED,
    ),
    PaymentScenario(
        918,
        CARDS,
        _(
            "The first acquirer does not process the card: `CARD_NEEDED_AGAIN`, a new `clientSecret` and "
            "`payment.action_required` once more. The card that is typed then decides."
        ),
    ),
)


def scenario_of(method: str, amount: Decimal, currency: str) -> PaymentScenario | None:
    """The scenario of a magic amount of this method, or None."""
    if amount != amount.to_integral_value():
        return None
    for scenario in SCENARIOS:
        is_meant = method in scenario.methods and scenario.currency in (None, currency)
        if is_meant and amount % 1000 == scenario.tail:
            return scenario
    return None
