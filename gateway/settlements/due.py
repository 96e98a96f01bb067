"""Due work on settlements: reports to read, lines to match and book, days to sum up."""

from typing import Any

from accounts.batches import DueInBatches
from accounts.due import Due
from gateway.settlements.days import sum_up
from gateway.settlements.lines import take, take_all
from gateway.settlements.models import SettlementDay, SettlementLine, SettlementReport
from gateway.settlements.reports import begin_reading

READ = Due(
    kind="settlement.read",
    title="Settlement reports to read",
    model=SettlementReport,
    column="due_at",
    run=begin_reading,
)
MATCH = DueInBatches(
    kind="settlement.matched",
    title="Settlement lines to match",
    model=SettlementLine,
    column="due_at",
    run=take,
    run_many=take_all,
)
SUM = Due(
    kind="settlement.summed",
    title="Days of settlements to sum up",
    model=SettlementDay,
    column="due_at",
    run=sum_up,
)
DUE: tuple[Due[Any], ...] = (READ, MATCH, SUM)


def run_due(limit: int = 100) -> int:
    """Does at most `limit` of each; returns how many. Days are summed up once all lines of them are matched."""
    done = READ.sweep(limit) + MATCH.sweep(limit)
    return done if done >= limit else done + SUM.sweep(limit)
