"""What withdrawals and refunds have in common: one order at one provider, which pays out twice if it is sent twice."""

from typing import Any

from tests.model.checker.machine import World
from tests.model.checker.stage import DUE, LATER, NEXT, OVER, RUNNING, Stage

NONE, TAKEN, DONE, DECLINED, RETURNED, TWICE = "nothing", "taken", "paid out", "declined", "sent back", "sent twice"
SWEEP = "sweep"
MAY_BE_PAID = (TAKEN, DONE, RETURNED)


class Ordered(World):
    """Rows have at least `is_sent`, `ask`, `lease` and `unclear`."""

    returns = True
    """Whether the provider may send the money back later."""

    def __init__(self, stage: Stage, processes: int) -> None:
        super().__init__(processes)
        self.stage, self.merchant = stage, stage.merchant

    def _outsides(self, out: int) -> list[tuple[str, int]]:
        found = {TAKEN: [("bank: pays it out", DONE), ("bank: declines it", DECLINED)]}
        if self.returns:
            found[DONE] = [("bank: it comes back", RETURNED)]
        return [(what, self.outs(then)) for what, then in found.get(self.outs.values[out], [])]

    def _times(self, number: int) -> list[tuple[str, int, bool]]:
        row, found = self.rows.values[number], []
        if row.ask == LATER:
            found.append(("the next query is due", row._replace(ask=DUE), False))
        if row.lease == RUNNING:  # not while a call of its holder is on its way
            found.append(("the lease ends", row._replace(lease=OVER), True))
        if row.unclear in NEXT:
            then = row._replace(unclear=NEXT[row.unclear])
            found.append((f"the deadline of the resolution is {then.unclear}", then, False))
        return [(what, self.rows(then), waits) for what, then, waits in found]

    def _hints(self, number: int) -> int:
        row = self.rows.values[number]
        return self.rows(row._replace(ask=DUE)) if row.ask == LATER else -1

    def _truth(self, out: int) -> int:
        """What staff can know for certain: it never will be paid out (0), it was, or it came back; else -1."""
        return {NONE: 0, DECLINED: 0, DONE: 1, RETURNED: 2}.get(self.outs.values[out], -1)

    def _acts(self, one: int, out: int) -> bool:
        asking = self.processes[one]
        return not asking.heard and asking.about == "send" and self.outs.values[out] == NONE

    def _is_over(self, row: int, out: int) -> bool:
        return bool(self.outs.values[out] == TWICE)


def options(is_new: bool, order: str, said: Any, lost: Any) -> list[tuple[str, str, Any]]:
    """Everything that one call can lead to. `said` makes an answer of what the provider has."""
    if order == TWICE:
        return [("nothing more", TWICE, lost)]
    found = [("lost", order, lost), ("unusable", order, said("unknown"))]
    if not is_new:
        return [*found, (f"says {order}", order, said(order))]
    if order != NONE:
        return [("sent again", TWICE, lost)]
    for then in (TAKEN, DONE, DECLINED):
        found += [(then, then, said(then)), (f"{then}, answer lost", then, lost)]
    return found
