"""The night of a bank: boletos and withdrawals by file, what the bank makes of them, and its statements."""

from collections import defaultdict

from accounts.models import Merchant
from ledger.verify import verify
from tests.bench.scale import scaled
from tests.support.night.night import Night

BOLETOS, WITHDRAWALS = scaled(20_000, 7), scaled(5_000, 22)


def measure(merchants: list[Merchant]) -> str:
    """Fails if a deviation has another outcome than it should, if a line is matched wrongly, if anything is paid a
    second time, or if the books and the bank differ by a cent.
    """
    night = Night(merchants, BOLETOS, WITHDRAWALS)
    night.pass_()
    amiss = [*night.amiss(), *map(str, verify())]
    assert not amiss, amiss
    counts: defaultdict[str, int] = defaultdict(int)
    took: defaultdict[str, float] = defaultdict(float)
    for what, count, seconds in night.figures:
        counts[what] += count
        took[what] += seconds
    told = [f"the night of a bank, {len(night.planted)} deviations, each with its outcome:"]
    told += [
        f"  {what}, {counts[what]:,}: {took[what]:.1f} s, {counts[what] / took[what]:,.0f}/s" for what in counts if what
    ]
    return "\n".join(told)
