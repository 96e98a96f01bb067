"""Whether the books are right."""

from datetime import timedelta

from django.urls import reverse

from accounts.base.clock import utcnow
from gateway.staff.kit.columns import address, block, link
from gateway.staff.overview.panels import BAD, GOOD, WATCH, Panel, PanelTable
from ledger.models import Proof
from ledger.proofs import selectors

OLD = timedelta(minutes=15)
"""Three scheduled runs were missed."""
SHOWN = 5


def panel() -> Panel:
    """The last proof, with counterexamples of violated invariants."""
    last = selectors.last()
    label, state = _judged(last)
    return Panel(
        "Proof of the books",
        (_broken(last),) if last and last.violations else (),
        label,
        state,
        note=_summary(last),
        leads=("All proofs", address(Proof, "changelist")),
        asks=("Verify now", reverse("admin:ledger_proof_verify_now")),
    )


def _judged(last: Proof | None) -> tuple[str, str]:
    if last is None:
        return ("Not finishing", BAD) if selectors.stopped_since(None) else ("Never verified", WATCH)
    if last.violations:
        return "Failed", BAD
    assert last.finished_at
    if selectors.stopped_since(last):
        return "Not finishing", BAD
    return ("Passed, but outdated", BAD) if utcnow() - last.finished_at > OLD else ("Passed", GOOD)


def _summary(last: Proof | None) -> str:
    stopped = selectors.stopped_since(last)
    after = f" {stopped} later run{'s' * (stopped != 1)} did not finish." if stopped else ""
    if last is None or last.finished_at is None:
        return f"The worker verifies every five minutes.{after}"
    took = (last.finished_at - last.started_at).total_seconds()
    held = last.invariants - len(last.violations)
    at = f"{last.started_at:%Y-%m-%d %H:%M:%S}Z"
    return f"{held} of {last.invariants} invariants passed at {at}, in {took:.2f} s.{after}"


def _broken(proof: Proof) -> PanelTable:
    rows = [
        [link(proof), one["number"], one["claim"], block("\n".join(map(", ".join, one["counterexamples"][:SHOWN])))]
        for one in proof.violations
    ]
    return PanelTable(["Proof", "Invariant", "Claim", "Counterexamples"], rows)
