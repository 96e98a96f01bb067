"""Whether the books are right."""

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gateway.staff.kit.columns import address, block, link
from gateway.staff.overview.panels import BAD, GOOD, WATCH, Panel, PanelTable
from ledger.models import Proof
from ledger.proofs import selectors

SHOWN = 5


def panel() -> Panel:
    """The last proof, with counterexamples of violated invariants."""
    last = selectors.last()
    label, state = _judged(last)
    return Panel(
        _("Proof of the books"),
        (_broken(last),) if last and last.violations else (),
        label,
        state,
        note=_summary(last),
        leads=(_("All proofs"), address(Proof, "changelist")),
        asks=(_("Verify now"), reverse("admin:ledger_proof_verify_now")),
    )


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
