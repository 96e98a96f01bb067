"""Where searches of card sessions begin, so that they need not come that far by themselves."""

from typing import NamedTuple

from gateway.methods.rail import PaymentAction, PaymentOutcome
from tests.model.checker import outside
from tests.model.checker.machine import Asking
from tests.model.checker.outside import FIELDS, HELD, NONE, VOID
from tests.model.checker.stage import LATER, RUNNING, Row

BEGUN = SESSION, MOVED, LATE = "session", "moved", "late"
"""The payer has confirmed in open fields, or in those of the second institution; or the fields of the second are open
while a process still has an answer of the first.
"""


class Beginning(NamedTuple):
    """`said` is the answer of the institution that the process has heard, if any."""

    row: Row
    orders: tuple[str, str]
    process: Asking
    said: PaymentOutcome | None = None


def of_session(kind: str) -> Beginning:
    account = 0 if kind == SESSION else 1
    row = Row("ACTION_REQUIRED", account, answered=True, instructed=True, ask=LATER, moved=account == 1)
    orders = (VOID, FIELDS) if account else (FIELDS, NONE)
    if kind == LATE:
        said = next(told for _, told in outside.messages(HELD, "card"))
        heard = f"{said.answered} to {PaymentAction.PAY}{details(said)}"
        late = Asking("sweep", str(PaymentAction.PAY), is_own=False, is_hinted=True, heard=heard)
        return Beginning(row, orders, late, said)
    confirmed = row._replace(lease=RUNNING, confirmed=True)
    return Beginning(confirmed, orders, Asking("browser", str(PaymentAction.AUTHORIZE), account=account))


def details(outcome: PaymentOutcome) -> str:
    """What is told besides the result, in words."""
    card = outcome.details.get("card")
    return f" with a {card['funding']} card" if card else " with code" if outcome.details else ""
