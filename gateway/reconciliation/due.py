"""Due work on files of banks and lines of statements."""

from typing import Any

from accounts.batches import DueInBatches
from accounts.due import Due
from gateway.reconciliation.files import take
from gateway.reconciliation.lines import take as take_line
from gateway.reconciliation.lines import take_again, take_all, take_held, take_left, take_rest
from gateway.reconciliation.models import BankLine, ImportedFile

CHUNK = 1000
TAKE = Due(
    kind="bank_file.taken",
    title="Files of banks to take effect",
    model=ImportedFile,
    column="due_at",
    holds=("account",),
    run=take,
)
MATCH = DueInBatches(
    kind="bank_line.matched",
    title="Lines of statements to match",
    model=BankLine,
    column="due_at",
    statuses=(BankLine.State.WAITING,),
    status_column="state",
    run=take_line,
    run_many=take_all,
    size=CHUNK,
)
REST = DueInBatches(
    kind="bank_line.left",
    title="Lines of statements that name nothing",
    model=BankLine,
    column="due_at",
    statuses=(BankLine.State.UNNAMED,),
    status_column="state",
    run=take_left,
    run_many=take_rest,
    size=CHUNK,
)
AGAIN = DueInBatches(
    kind="bank_line.again",
    title="Lines of statements in suspense",
    model=BankLine,
    column="due_at",
    statuses=(BankLine.State.SUSPENSE,),
    status_column="state",
    run=take_held,
    run_many=take_again,
    size=CHUNK,
)
DUE: tuple[Due[Any], ...] = (TAKE, MATCH, REST, AGAIN)


def run_due(limit: int = CHUNK) -> int:
    """Does at most `limit` of each; returns how many. Lines that name nothing come after all new ones, and those in
    suspense last.
    """
    done = TAKE.sweep(limit) + MATCH.sweep(limit)
    return done or REST.sweep(limit) or AGAIN.sweep(limit)
