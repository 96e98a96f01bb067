"""That what a cell has is of the merchants who live there."""

from accounts.base.rows import table
from accounts.cells import OPEN_CELL
from accounts.models import Merchant
from gateway.cells.leading import OTHERWISE, leads
from ledger.verify import invariant

# Each merchant who lives elsewhere is sought by an index. What leads to it by other rows is where these are: keys see
# to it.
_THEIRS = " UNION ALL ".join(
    f"(SELECT '{table(lead.model)}' FROM {table(lead.model)} WHERE {lead.column} = m.id LIMIT 1)"
    for lead in leads()
    if lead.to is None and lead.model._meta.label not in OTHERWISE
)

invariant(
    "I48",
    "a book, and whatever else is about a merchant, is only in the cell where the merchant lives",
    f"""
    SELECT m.id, m.cell_id, theirs.* FROM {table(Merchant)} m CROSS JOIN LATERAL ({_THEIRS}) theirs
     WHERE coalesce(m.cell_id, 'public') <> {OPEN_CELL}
    """,
)
