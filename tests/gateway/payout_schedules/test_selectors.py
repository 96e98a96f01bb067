"""How much a scheduled payout can pay."""

from decimal import Decimal

from gateway.payout_schedules.selectors import payable
from gateway.payouts.selectors import PayoutTerms
from tests.support.rows import rows


@rows(
    ("budget", "fixed", "share", "amount"),
    [(10_000, 0, "0", 10_000), (10_000, 150, "1", 9_752), (100, 150, "0", 0), (-5, 0, "0", 0), (10**9, 0, "0", 10**7)],
)
def test_amount_and_fee_fit_into_what_may_leave(budget: int, fixed: int, share: str, amount: int) -> None:
    terms = PayoutTerms(100, 10**7, Decimal(share), fixed, 0)

    assert payable(budget, terms) == amount
    assert amount in (0, 10**7) or amount + 1 + terms.fee_of(amount + 1) > budget
