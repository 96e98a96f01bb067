"""What a restored database does not know: what was ordered at institutions after the moment that was restored.

Nothing new is sent from an account until that is known. An order that its institution lists, and that is lost here, is
kept: when the same company makes it again, under the same reference, it is asked about under its former id, never sent.
"""

from accounts.base.ids import id_about, tails_about
from accounts.base.rows import first, table
from accounts.models import Merchant
from gateway.providers.models import LostOrder

_CLAIM = f"""
    UPDATE {table(LostOrder)} SET taken_by = %s WHERE id = (
           SELECT id FROM {table(LostOrder)}
            WHERE taken_by = '' AND left(id, 4) = left(%s, 4) AND right(id, 16) = ANY(%s)
            ORDER BY id LIMIT 1 FOR UPDATE)
    RETURNING id
"""


def id_for(prefix: str, merchant: Merchant, about: str) -> str:
    """The id of a new order of the company, by which it is recognized if it is lost: see `claim`."""
    return id_about(prefix, merchant.pk, about)


def claim(our_id: str, merchant: Merchant, about: str) -> None:
    """Finds out whether the order was made before, and lost: then it is `known_as` what it was.

    Call it in a transaction that has locked the order, before it is sent.
    """
    if not is_lost(known_as(our_id)):
        first(_CLAIM, [our_id, our_id, list(tails_about(our_id.partition("_")[0], merchant.pk, about))])


def known_as(our_id: str) -> str:
    """The id under which its institution knows an order."""
    row = first(f"SELECT id FROM {table(LostOrder)} WHERE taken_by = %s", [our_id])
    return str(row[0]) if row else our_id


def is_lost(order_id: str) -> bool:
    """Whether the institution has had this order since before the database was restored."""
    return LostOrder.objects.filter(pk=order_id).exists()
