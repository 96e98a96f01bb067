"""What docs/scaling.md has of the costs and of the computation."""

from gateway.local.home import CHECKOUT
from tests.bench.results import BEGINS, with_block
from tests.simulate.costs import Costs
from tests.simulate.model import Plan, fitting
from tests.simulate.report import report

DOCUMENT = CHECKOUT / "docs/scaling.md"
COMPUTED = "<!-- computed from it -->"
EXAMPLE = Plan(rate=10_000, nodes=1, web_hosts=1, other_hosts=1, cores=16, merchants=10_000, skew=0.8, speed=3)


def write(costs: Costs) -> None:
    """Both blocks, from these costs."""
    text = DOCUMENT.read_text()
    for begins, block in blocks(costs).items():
        text = with_block(text, begins, block)
    DOCUMENT.write_text(text)


def blocks(costs: Costs) -> dict[str, str]:
    """What stands after each mark."""
    return {BEGINS: _table(costs), COMPUTED: f"```\n{report(fitting(EXAMPLE, costs), costs)}\n```"}


def _table(costs: Costs) -> str:
    rows = [
        ("web processes, CPU", f"{costs.web_us:,} µs"),
        ("workers and beat, CPU", f"{costs.workers_us:,} µs"),
        ("dispatcher, CPU", f"{costs.dispatcher_us:,} µs"),
        ("PostgreSQL, CPU", f"{costs.database_us:,} µs"),
        ("Valkey, CPU", f"{costs.broker_us:,} µs"),
        ("its wallet is locked for", f"{costs.wallet_us:,} µs"),
        ("one page kept by the disk of the measurement", f"{costs.disk_sync_us:,} µs"),
        ("commits, with those of the request log and of background work", f"{costs.commits:,}"),
        ("log of PostgreSQL", f"{costs.wal_bytes:,} bytes"),
        ("coordinator of Citus, CPU, where its merchant is on a node", f"{costs.coordinator:.2f} × PostgreSQL"),
        ("that node, CPU", f"{costs.node:.2f} × PostgreSQL"),
        ("in tables and indexes, permanently", f"{costs.kept_bytes:,} bytes"),
        ("in tables and indexes for 30 days: request, event, delivery, key", f"{costs.passing_bytes:,} bytes"),
    ]
    written = "\n".join(f"| {what} | {figure} |" for what, figure in rows)
    return f"| one charge | {costs.measured_on} |\n|---|---|\n{written}"
