"""What a full charge costs (created, paid, posted, delivered): `make bench T=--charge` measures it, `make cells` what
Citus adds.
"""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("costs.json")


@dataclass(frozen=True, slots=True)
class Costs:
    """Of one charge, with every process of the service on the machine that `measured_on` names."""

    measured_on: str
    web_us: float
    """CPU of the web processes, in microseconds; so are the next five."""
    workers_us: float
    dispatcher_us: float
    database_us: float
    broker_us: float
    wallet_us: float
    """How long the wallet that is credited is locked: the charges of one wallet follow each other."""
    wal_bytes: float
    commits: float
    kept_bytes: float
    """In tables and indexes, permanently."""
    passing_bytes: float
    """The same for 30 days: requests, events, deliveries, idempotency keys."""
    disk_sync_us: float
    """How long the disk takes to keep one page of the log."""
    coordinator: float
    """Where merchants are on nodes of Citus: the CPU of the coordinator for a charge, beside `database_us`."""
    node: float
    """The same of the node."""

    @staticmethod
    def of(written: dict[str, Any]) -> "Costs":
        """Raises ValueError if a figure is missing or not above zero."""
        names = [field.name for field in fields(Costs)]
        if sorted(written) != sorted(names):
            raise ValueError(f"exactly these figures are needed: {', '.join(names)}")
        if wrong := [name for name in names[1:] if not written[name] > 0]:
            raise ValueError(f"must be above zero: {', '.join(wrong)}")
        return Costs(**written)

    def write(self) -> None:
        """Raises ValueError instead of keeping what `known` refuses."""
        Costs.of(asdict(self))
        FILE.write_text(json.dumps(asdict(self), indent=2) + "\n")


def known() -> Costs:
    """The figures of the last measurement that was committed."""
    return Costs.of(json.loads(FILE.read_text()))
