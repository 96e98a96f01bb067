"""What `make simulate` prints."""

from tests.simulate.costs import Costs
from tests.simulate.model import NODES, SECOND_US, WALLET, Part, Plan, first_to_saturate, parts_of
from tests.simulate.placement import of_the_largest, volumes

DAY_S = 86_400
HEADINGS = ("part", "servers", "charges/s", "µs each", "busy", "waits there")
THREADS = 4
"""Of a web process, of which a host has one for each processor; each has a connection, and its request log another."""


def report(plan: Plan, costs: Costs) -> str:
    parts = parts_of(plan, costs)
    first = first_to_saturate(parts)
    return "\n".join(
        [
            f"{plan.rate:,.0f} charges a second of {plan.merchants:,} merchants, computed from {costs.measured_on}",
            f"{_nodes(plan)}, {_many(plan.web_hosts, 'web host')}, "
            f"{_many(plan.other_hosts, 'host')} for workers and dispatchers, each with {plan.cores} processors; "
            f"{_many(plan.masters, 'master')} of Valkey",
            "",
            *_table([HEADINGS, *map(_row, parts)]),
            "",
            _saturated(first),
            *_more(plan, costs, parts),
        ]
    )


def _nodes(plan: Plan) -> str:
    if plan.nodes == 1:
        return "1 node"
    larger = f" with {plan.coordinator_cores} processors" if plan.coordinator_cores else ""
    return f"{plan.nodes} nodes of Citus and a coordinator{larger}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _row(part: Part) -> tuple[str, ...]:
    waits = "without end" if part.busy >= 1 else f"{part.wait_us / 1000:,.2f} ms"
    return (
        part.name,
        f"{part.servers:,}",
        f"{part.rate:,.0f}",
        f"{part.service_us:,.1f}",
        f"{part.busy:.0%}",
        waits,
    )


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [str.ljust, *[str.rjust] * (len(widths) - 1)]
    return [
        "  ".join(align(cell, width) for align, cell, width in zip(aligned, row, widths, strict=True)) for row in rows
    ]


def _saturated(first: Part) -> str:
    if first.busy >= 1:
        return f"Saturated: {first.name}. What helps: {first.remedy}, or at most {first.most:,.0f} a second there."
    return f"First to be saturated: {first.name}, at {1 / first.busy:.2f} times this rate. What helps: {first.remedy}."


def _more(plan: Plan, costs: Costs, parts: list[Part]) -> list[str]:
    shares = volumes(plan.merchants, plan.skew)
    served = sum(part.service_us for part in parts if part.name != WALLET) * plan.rate
    waiting = sum(part.wait_us * (part.rate if part.name == WALLET else plan.rate) for part in parts)
    in_work = (served + waiting) / SECOND_US
    held = plan.web_hosts * plan.cores * (THREADS + 1)
    fullest = next(part.rate for part in parts if part.remedy == NODES)
    return [
        f"The largest merchant is {shares[0]:.1%} of all; half of all payments are those of the "
        f"{of_the_largest(shares, 0.5):,} largest.",
        f"The fullest node: {fullest * costs.wal_bytes / 1e6:,.1f} MB of log a second to each of {plan.standbys} "
        f"standbys; {held:,} connections of web processes without a pooler.",
        "What is in work grows without end."
        if in_work == float("inf")
        else f"In work at any moment: {in_work:,.0f} charges.",
        f"Disk: {plan.rate * DAY_S * costs.kept_bytes / 1e12:,.2f} TB a day permanently, and "
        f"{plan.rate * DAY_S * 30 * costs.passing_bytes / 1e12:,.1f} TB that are 30 days old at most, on all nodes.",
    ]
