"""The sandbox's magic amounts for withdrawals (contract §14.3). The documentation is generated from this table."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext_noop as _

from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult

TAKES_S = 5
"""How long the sandbox's banks and networks take."""
COMES_BACK_AFTER_S = 10
TAKEN = PayoutOutcome(PayoutResult.SENT, ask_after_s=TAKES_S)
DONE = PayoutOutcome(PayoutResult.DONE)


@dataclass(frozen=True, slots=True)
class PayoutScenario:
    """What a whole amount that ends in `tail` triggers.

    `sent` is the answer to the order, `becomes` to the query. A `returned` one is returned after it arrived; a
    `lost` one is not received the first time; if the rail is `away`, the first call fails.
    """

    tail: int | None
    effect: str
    sent: PayoutOutcome = TAKEN
    becomes: PayoutOutcome = DONE
    returned: bool = False
    lost: bool = False
    away: bool = False
    fiat_only: bool = False


USUAL = PayoutScenario(None, _("COMPLETED five seconds after acceptance."))
SCENARIOS = (
    PayoutScenario(
        901,
        _("FAILED with `INVALID_DESTINATION` after five seconds; amount and fee are available again."),
        becomes=PayoutOutcome(PayoutResult.DECLINED, failure=FailureCode.INVALID_DESTINATION.failure),
    ),
    PayoutScenario(
        902,
        _("FAILED with `BANK_REJECTED` after five seconds; amount and fee are available again."),
        becomes=PayoutOutcome(PayoutResult.DECLINED, failure=FailureCode.BANK_REJECTED.failure),
    ),
    PayoutScenario(
        903,
        _(
            "COMPLETED, then RETURNED by the beneficiary's bank ten seconds later: the amount comes back, the "
            "fee does not."
        ),
        becomes=PayoutOutcome(PayoutResult.DONE, ask_after_s=COMES_BACK_AFTER_S),
        returned=True,
        fiat_only=True,
    ),
    PayoutScenario(
        904,
        _("Stays PROCESSING until `POST /simulations/withdrawals/{id}` decides it."),
        sent=PayoutOutcome(PayoutResult.SENT),
    ),
    PayoutScenario(
        905,
        _(
            "The first call answers 503 `ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE` and moves nothing; repeating "
            "it with the same key answers 201."
        ),
        away=True,
    ),
    PayoutScenario(
        906,
        _(
            "The order is lost on its way: no answer, still PROCESSING. Queried five seconds later, the bank has "
            "never seen it. It is sent again under the same id, and is COMPLETED five seconds after that."
        ),
        sent=PayoutOutcome(PayoutResult.UNKNOWN, ask_after_s=TAKES_S),
        lost=True,
    ),
)


def scenario_of(amount: Decimal, *, is_fiat: bool) -> PayoutScenario:
    """The scenario of the amount; the default one if it is not magic."""
    if amount == amount.to_integral_value():
        for scenario in SCENARIOS:
            if amount % 1000 == scenario.tail and (is_fiat or not scenario.fiat_only):
                return scenario
    return USUAL
