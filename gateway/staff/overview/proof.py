"""Whether the books are right."""

from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.cells import each_cell_in_order
from gateway.staff.kit.columns import address, block, link
from gateway.staff.overview.panels import BAD, GOOD, WATCH, Panel, PanelTable
from ledger.models import Proof
from ledger.proofs import selectors

SHOWN = 5


class _Proved(NamedTuple):
    """The last proof of a cell, and how the books stand there, in words."""

    cell: str
    last: Proof | None
    label: str
    state: str
    note: str

    @property
    def is_worse(self) -> tuple[bool, bool]:
        """A cell that was never verified is new: it hides nothing that was found in another."""
        return self.state == BAD, self.last is not None


def panel() -> Panel:
    """The last proof of the cell that is worst off, with counterexamples of violated invariants of all cells."""
    found = [_proved(cell) for cell in each_cell_in_order()]
    worst = max(found, key=lambda one: one.is_worse)
    return Panel(
        _("Proof of the books"),
        tuple(_broken(one.last) for one in found if one.last and one.last.violations),
        worst.label,
        worst.state,
        note=f"{worst.cell}: {worst.note}" if worst.cell else worst.note,
        leads=(_("All proofs"), address(Proof, "changelist")),
        asks=(_("Verify now"), reverse("admin:ledger_proof_verify_now")),
    )


def _proved(cell: str) -> _Proved:
    """Of the cell that is open."""
    last = selectors.last()
    return _Proved(cell, last, *_judged(last), _summary(last))


def _judged(last: Proof | None) -> tuple[str, str]:
    if last is None:
        return (_("Not finishing"), BAD) if selectors.stopped_since(None) else (_("Never verified"), WATCH)
    if last.violations:
        return _("Failed"), BAD
    if selectors.stopped_since(last):
        return _("Not finishing"), BAD
    return (_("Passed, but outdated"), BAD) if selectors.is_overdue() else (_("Passed"), GOOD)


def _summary(last: Proof | None) -> str:
    stopped = selectors.stopped_since(last)
    told = ngettext("%(n)s later run did not finish.", "%(n)s later runs did not finish.", stopped) % {"n": stopped}
    after = f" {told}" if stopped else ""
    if last is None or last.finished_at is None:
        return _("The worker verifies every five minutes.") + after
    took = (last.finished_at - last.started_at).total_seconds()
    held = last.invariants - len(last.violations)
    after += _whole()
    at = f"{last.started_at:%Y-%m-%d %H:%M:%S}Z"
    facts = {"held": held, "all": last.invariants, "time": at, "seconds": f"{took:.2f}"}
    return _("%(held)s of %(all)s invariants passed at %(time)s, in %(seconds)s s.") % facts + after


def _whole() -> str:
    """When everything was proved last: the other runs prove totals and what is new."""
    whole = selectors.last_whole()
    return (
        ""
        if whole is None
        else " " + _("Last complete verification: %(time)s.") % {"time": f"{whole.started_at:%Y-%m-%d %H:%M:%S}Z"}
    )


def _broken(proof: Proof) -> PanelTable:
    rows = [
        [link(proof), one["number"], one["claim"], block("\n".join(map(", ".join, one["counterexamples"][:SHOWN])))]
        for one in proof.violations
    ]
    return PanelTable([_("Proof"), _("Invariant"), _("Claim"), _("Counterexamples")], rows)
