"""Invariants between what was proved and the books."""

from accounts.base.rows import table
from ledger.books.models import Entry
from ledger.proofs.blocks import CONTENT
from ledger.proofs.models import ProvedAccount, ProvedBlock
from ledger.verify import invariant

invariant(
    "I15",
    "the last entry up to which an account was proved is still there, with its balance",
    f"""
    SELECT p.account_id, p.sequence, p.balance, e.balance_after FROM {table(ProvedAccount)} p
      LEFT JOIN {table(Entry)} e ON (e.account_id, e.sequence) = (p.account_id, p.sequence)
     WHERE e.balance_after IS DISTINCT FROM p.balance
    """,
)

# Entries are numbered without gaps, so the numbers up to which accounts were proved say how many entries were.
invariant(
    "I16",
    "what was proved is as it was proved",
    f"""
    SELECT blocks.entries, accounts.entries
      FROM (SELECT coalesce(sum(entries), 0) AS entries FROM {table(ProvedBlock)}) blocks,
           (SELECT coalesce(sum(sequence), 0) AS entries FROM {table(ProvedAccount)}) accounts
     WHERE blocks.entries <> accounts.entries
    """,
    each={
        ProvedBlock: f"""
    SELECT day, number, part.transfers, read.transfers, part.entries, read.entries, part.digest
      FROM part JOIN ({CONTENT.format(blocks="part")}) read USING (day, number)
     WHERE (part.transfers, part.entries, part.digest) IS DISTINCT FROM (read.transfers, read.entries, read.digest)
    """
    },
)
