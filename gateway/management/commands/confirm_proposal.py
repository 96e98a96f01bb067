"""Confirms a proposal on the host, for an operator without a second person. The audit names command and OS user."""

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.base import cells
from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals import services as proposals
from accounts.proposals.kinds import KINDS
from gateway.cells.finding import cell_about


class Command(BaseCommand):
    help = "Confirms a staff proposal in place of a second person. Without an id: lists the open proposals."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("proposal", nargs="?", help="the proposal's id: prp_…")
        parser.add_argument("--note", help="the reason, at least 5 characters; prompted for if omitted")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["proposal"]:
            self._list()
            return
        proposal = Proposal.objects.filter(pk=options["proposal"], state=Proposal.State.OPEN).first()
        if proposal is None:
            raise CommandError("No open proposal has this id. Run the command without an id to list the open ones.")
        with cells.opened(cell_about(Proposal, proposal.pk)):
            self._confirm(proposal, options["note"])

    def _confirm(self, proposal: Proposal, given: str | None) -> None:
        self.stdout.write(_description(proposal))
        note = given if given is not None else self._prompt(proposal)
        if len(note.strip()) < 5:
            raise CommandError("The note must have at least 5 characters. Nothing was changed.")
        try:
            done = proposals.confirm_on_host(proposal.pk, proposal.digest, note.strip(), os_user=getpass.getuser())
        except Refusal as refusal:
            raise CommandError(f"{refusal.message} {refusal.advice}") from refusal
        self.stdout.write(f"{done.message}{f' {done.secret}' if done.secret else ''}")

    def _prompt(self, proposal: Proposal) -> str:
        """Typing the id confirms it."""
        if input("Type the id of the proposal to confirm it: ").strip() != proposal.pk:
            raise CommandError("Nothing was changed.")
        return input("Note (the reason): ")

    def _list(self) -> None:
        waiting = (
            Proposal.objects.filter(state=Proposal.State.OPEN).select_related("proposed_by").order_by("proposed_at")
        )
        for one in waiting:
            kind = KINDS[one.kind]
            about = kind.name_of(one.object_id)
            self.stdout.write(f"{one.pk}  {kind.title}: {about}, by {one.proposed_by}: {one.note}")
        if not waiting:
            self.stdout.write("There are no open proposals.")


def _description(proposal: Proposal) -> str:
    kind = KINDS[proposal.kind]
    with transaction.atomic():
        record = kind.hold(proposal.object_id)
        changes = kind.lines(record, proposal.values)
        sentence = kind.sentence(record, proposal.values)
    facts = [("Proposal", proposal.pk), ("Decision", kind.title), ("About", str(record)), *changes]
    facts += [("Proposed by", str(proposal.proposed_by)), ("Note", proposal.note), ("Digest", proposal.digest)]
    return "\n".join([*(f"{name}: {value}" for name, value in facts), str(sentence)])
