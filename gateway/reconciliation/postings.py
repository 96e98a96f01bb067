"""Postings of the lines of statements: each moves exactly its amount between BANK of its account and what it is."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter

from accounts.base.ids import new_id
from accounts.base.rows import copy_into
from accounts.models import Merchant
from gateway.reconciliation.models import LinePart
from ledger.books.services import Move, Posting, Side, post, post_all
from ledger.chart import BUCKETS, WALLET_METHOD, AccountKind

_plain = attrgetter(*(field.attname for field in LinePart._meta.concrete_fields))
RECEIVED, SENT, UNDONE = "bank.received", "bank.sent", "bank.undone"


def move_of(part: LinePart, *, undone: bool = False) -> Move:
    """What it received is debited to BANK, and credited to the other side."""
    bank = Side(AccountKind.BANK, part.account.code, part.currency)
    method = WALLET_METHOD[part.currency] if part.other in BUCKETS else part.other_method
    other = Side(AccountKind(part.other), method, part.currency)
    is_received = (part.amount > 0) != undone
    return Move(abs(part.amount), *((bank, other) if is_received else (other, bank)))


def book(parts: Sequence[LinePart], at: datetime) -> None:
    """Stores new parts and posts them: those of one book, account and direction as one transfer, whose reference they
    get.

    Call it last in the transaction. Parts on a wallet are posted one by one: holds may lack the money.
    """
    together: defaultdict[tuple[int, str, bool], list[LinePart]] = defaultdict(list)
    for part in parts:
        if part.other in BUCKETS:
            part.posting = part.pk
            continue
        together[part.merchant_id, part.account_id, part.amount > 0].append(part)
    made = []
    books = Merchant.objects.in_bulk({merchant for merchant, _, _ in together})
    for (merchant, _, _), same in together.items():
        reference = new_id("bpo")
        for part in same:
            part.posting = reference
        kind = RECEIVED if same[0].amount > 0 else SENT
        made.append(Posting(books[merchant], kind, reference, [move_of(part) for part in same]))
    copy_into(LinePart, map(_plain, parts))  # before it: the accounts of the ledger are locked for a moment only
    if made:
        assert post_all(made, at) == len(made), "each is posted once"
    for part in parts:
        if part.other in BUCKETS:
            kind = RECEIVED if part.amount > 0 else SENT
            assert post(part.merchant, kind, part.posting, [move_of(part)], at), "each is posted once"


def take_back(parts: Sequence[LinePart], at: datetime) -> None:
    """Posts the opposite of parts, and marks them as undone."""
    for part in parts:
        part.undone_by = new_id("bpo")
        assert post(part.merchant, UNDONE, part.undone_by, [move_of(part, undone=True)], at), "each is undone once"
    LinePart.objects.bulk_update(parts, ["undone_by"])
