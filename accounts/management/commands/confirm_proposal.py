"""Confirms a proposal on the host, for an operator without a second person. The audit names command and OS user."""

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals import services as proposals
from accounts.proposals.kinds import KINDS


class Command(BaseCommand):
    help = "Confirms a proposal of staff instead of a second person. Without an id it lists what waits."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("proposal", nargs="?", help="its id: prp_…")
        parser.add_argument("--note", help="why, in 5 characters or more; asked for when not given")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["proposal"]:
            self._list()
            return
        proposal = Proposal.objects.filter(pk=options["proposal"], state=Proposal.State.OPEN).first()
        if proposal is None:
            raise CommandError("No such proposal waits. Run the command without an id to see those that do.")
        self.stdout.write(_told(proposal))
        note = options["note"] if options["note"] is not None else self._asked_for(proposal)
        if len(note.strip()) < 5:
            raise CommandError("A note of 5 characters or more says why. Nothing was changed.")
        try:
            done = proposals.confirm_on_host(proposal.pk, proposal.digest, note.strip(), os_user=getpass.getuser())
        except Refusal as refusal:
            raise CommandError(f"{refusal.message} {refusal.advice}") from refusal
        self.stdout.write(f"{done.said}{f' {done.secret}' if done.secret else ''}")

    def _asked_for(self, proposal: Proposal) -> str:
        """Typing the id confirms it."""
        if input("Type the id of the proposal to confirm it: ").strip() != proposal.pk:
            raise CommandError("Nothing was changed.")
        return input("Note, why: ")

    def _list(self) -> None:
        waiting = (
            Proposal.objects.filter(state=Proposal.State.OPEN).select_related("proposed_by").order_by("proposed_at")
        )
        for one in waiting:
            self.stdout.write(f"{one.pk}  {KINDS[one.kind].title}: {one.object_id}, by {one.proposed_by}: {one.note}")
        if not waiting:
            self.stdout.write("Nothing waits.")


def _told(proposal: Proposal) -> str:
    kind = KINDS[proposal.kind]
    with transaction.atomic():
        record = kind.hold(proposal.object_id)
        changes = kind.lines(record, proposal.values)
        sentence = kind.sentence(record, proposal.values)
    said = [("Proposal", proposal.pk), ("What", kind.title), ("About", str(record)), *changes]
    said += [("Proposed by", str(proposal.proposed_by)), ("Note", proposal.note), ("Digest", proposal.digest)]
    return "\n".join([*(f"{name}: {value}" for name, value in said), str(sentence)])
