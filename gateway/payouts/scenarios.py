"""The sandbox's magic amounts for withdrawals (contract §14.3). The table runs, and the documentation is made of it."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext_noop as _

from gateway.payouts.rail import Answered, FailureCode, Outcome

TAKES_S = 5
"""How long the sandbox's banks and networks take."""
COMES_BACK_AFTER_S = 10
TAKEN = Outcome(Answered.SENT, ask_after_s=TAKES_S)
DONE = Outcome(Answered.DONE)


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a whole amount whose last three digits are `tail` brings about.

    `sent` is answered to the order, `becomes` to the question about it. A `returned` one comes back after it arrived;
    a `lost` one is not received the first time; where the rail is `away`, the first call is refused.
    """

    tail: int | None
    effect: str
    sent: Outcome = TAKEN
    becomes: Outcome = DONE
    returned: bool = False
    lost: bool = False
    away: bool = False
    fiat_only: bool = False


USUAL = Scenario(None, _("COMPLETED five seconds after it was accepted."))
SCENARIOS = (
    Scenario(
        901,
        _("FAILED with `INVALID_DESTINATION` after five seconds; amount and fee are available again."),
        becomes=Outcome(Answered.DECLINED, failure=FailureCode.INVALID_DESTINATION.failure),
    ),
    Scenario(
        902,
        _("FAILED with `BANK_REJECTED` after five seconds; amount and fee are available again."),
        becomes=Outcome(Answered.DECLINED, failure=FailureCode.BANK_REJECTED.failure),
    ),
    Scenario(
        903,
        _(
            "COMPLETED, and RETURNED by the beneficiary's bank ten seconds later: the amount comes back, "
            "the fee does not."
        ),
        becomes=Outcome(Answered.DONE, ask_after_s=COMES_BACK_AFTER_S),
        returned=True,
        fiat_only=True,
    ),
    Scenario(
        904,
        _("Stays PROCESSING until `POST /simulations/withdrawals/{id}` decides it."),
        sent=Outcome(Answered.SENT),
    ),
    Scenario(
        905,
        _(
            "The first call answers 503 `ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE` and moves nothing; the same call "
            "with the same key then 201."
        ),
        away=True,
    ),
    Scenario(
        906,
        _(
            "The order gets lost on its way: no answer, still PROCESSING. Asked five seconds later the bank has never "
            "seen it; it is sent again under the same id, and COMPLETED five seconds after that."
        ),
        sent=Outcome(Answered.UNKNOWN, ask_after_s=TAKES_S),
        lost=True,
    ),
)


def scenario_of(amount: Decimal, *, is_fiat: bool) -> Scenario:
    """What the amount asks for; the usual way where it is no magic one."""
    if amount == amount.to_integral_value():
        for scenario in SCENARIOS:
            if amount % 1000 == scenario.tail and (is_fiat or not scenario.fiat_only):
                return scenario
    return USUAL
