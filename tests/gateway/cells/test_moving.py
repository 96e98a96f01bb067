"""A merchant is moved to another cell while it sells: nothing is lost, nothing happens twice, ids stay."""

from typing import Any

from django.core.management import call_command

from accounts.base import cells
from accounts.base.rows import every, execute
from gateway.cells.leading import leads
from ledger.verify import verify
from tests.support.lives import ACMES, FIRST, GLOBEXES, Lives, rows
from tests.support.payments import pix
from tests.support.receiver import listening
from webhooks.dispatch import deliver_due

_INDEXED = """
    SELECT relname, attname FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
      JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
     WHERE relnamespace = 'public'::regnamespace AND indpred IS NULL
"""


SMALL = {"gateway_acquirertoken", "gateway_payoutschedule", "gateway_savedcard", "ledger_taking"}
"""Tables that are read as a whole."""


def moved(lives: Lives, cell: str) -> None:
    """What was done so far is checked as it is with each commit: here it is one transaction with the move."""
    for when in ("IMMEDIATE", "DEFERRED"):
        execute(f"SET CONSTRAINTS ALL {when}")
    call_command("move_cell", lives.acme.company.pk, cell, settles=0)
    for shop in (lives.acme.sandbox, lives.acme.production):
        shop.refresh_from_db()


def test_every_table_leads_to_its_merchant_by_an_index(db: None) -> None:
    indexed = set(every(_INDEXED))
    wanted = {(lead.model._meta.db_table, lead.column) for lead in leads()}
    assert {name for name, _ in wanted - indexed} == SMALL


def test_everything_of_a_merchant_moves_and_it_goes_on(lives: Lives, capsys: Any) -> None:
    api = lives.api(lives.acme)
    with listening() as receiver:
        api.post("/webhooks", {"url": receiver.url, "events": ["payment.paid"]})
        made = api.post("/payments", pix()).json()["data"]["id"]
        assert api.post(f"/simulations/payments/{made}", {"status": "PAID"}).status_code == 200
        deliver_due()

        moved(lives, GLOBEXES)

        assert rows("gateway_payment") == [0, 0, 1]
        assert api.get(f"/payments/{made}").json()["data"]["status"] == "PAID"
        again = api.post("/payments", pix(reference="after")).json()["data"]["id"]
        assert api.post(f"/simulations/payments/{again}", {"status": "PAID"}).status_code == 200
        deliver_due()
        assert len(receiver.received) == 2
    assert "moved from cell_11 to cell_12" in capsys.readouterr().out
    for name in (FIRST, ACMES, GLOBEXES):
        with cells.opened(name):
            assert verify() == []
