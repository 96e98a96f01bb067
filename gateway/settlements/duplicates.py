"""Lines about what other lines have settled already."""

from collections import Counter
from collections.abc import Sequence

from gateway.providers.settlements import LineKind
from gateway.settlements.matching import Verdict
from gateway.settlements.models import BOOKED, ONCE, Cause, SettlementLine

State = SettlementLine.State
DISPUTES = (LineKind.DISPUTE, LineKind.DISPUTE_WON)
Key = tuple[str, str, str]
"""Account, kind, and our id; of disputes the acquirer's, since ours changes when it is lost.

Of money in suspense its state and the acquirer's id.
"""


def told_apart(decided: Sequence[tuple[SettlementLine, Verdict]]) -> list[tuple[SettlementLine, Verdict]]:
    """The same lines in the same order; those that settle something again are duplicates.

    A dispute may be lost, won and lost again: a duplicate of it waits for the line between.
    """
    settled = _settled(decided)
    return [(line, _judged(line, found, settled)) for line, found in decided]


def _judged(line: SettlementLine, found: Verdict, settled: Counter[Key]) -> Verdict:
    if found.state not in BOOKED or line.kind not in (*ONCE, *DISPUTES):
        return found
    key = _key(line, found)
    if settled[key] >= _allowed(key, settled):
        return found._replace(state=State.DIFFERENT, cause=Cause.DUPLICATE, waits=line.kind in DISPUTES)
    settled[key] += 1
    return found


def _allowed(key: Key, settled: Counter[Key]) -> int:
    account, kind, reference = key
    if kind == LineKind.DISPUTE:
        return settled[account, LineKind.DISPUTE_WON, reference] + 1
    if kind == LineKind.DISPUTE_WON:
        return max(1, settled[account, LineKind.DISPUTE, reference])
    return 1


def _key(line: SettlementLine, found: Verdict) -> Key:
    if found.state == State.HELD:
        return line.account_id, State.HELD, line.reference
    return line.account_id, line.kind, line.reference if line.kind in DISPUTES else found.object_id


def _settled(decided: Sequence[tuple[SettlementLine, Verdict]]) -> Counter[Key]:
    accounts = {line.account_id for line, _ in decided}
    matched = SettlementLine.objects.filter(state=State.MATCHED, account__in=accounts)
    settled: Counter[Key] = Counter()
    for name, kinds in (("object_id", ONCE), ("reference", DISPUTES)):
        about = {_key(line, found)[2] for line, found in decided if found.state == State.MATCHED and line.kind in kinds}
        if about:
            named = matched.filter(kind__in=kinds, **{f"{name}__in": about})
            settled.update(named.values_list("account_id", "kind", name))
    if references := {line.reference for line, found in decided if found.state == State.HELD}:
        held = SettlementLine.objects.filter(state=State.HELD, account__in=accounts, reference__in=references)
        settled.update(held.values_list("account_id", "state", "reference"))
    return settled
