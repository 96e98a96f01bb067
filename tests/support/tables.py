"""What tables hold, read in one statement: to see that nothing moved."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import Model

from accounts.models import Merchant


def held_in(*models: type[Model], of: Sequence[Merchant] | None = None) -> list[tuple[str, str | None]]:
    """The rows of each model as JSON in the order of their keys: all of them, or those of these merchants."""
    chosen = "" if of is None else "WHERE merchant_id = ANY (%(merchants)s)"
    parts = [
        f"SELECT '{model._meta.label}', (SELECT json_agg(r ORDER BY r.{model._meta.pk.column})::text"
        f" FROM {model._meta.db_table} r {chosen})"
        for model in models
    ]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), {"merchants": [merchant.pk for merchant in of or ()]})
        found: list[tuple[str, str | None]] = cursor.fetchall()
    return found
