"""The floor: the rows that a request writes, written by pgbench in one statement a transaction, with nothing around.

The rows are copied from a payment that the service itself has made, so they have its columns and its sizes.
"""

import json
import os
import re
import subprocess
from importlib import util
from pathlib import Path
from typing import Any

from django.db import connection

from accounts.base.rows import columns
from accounts.models import Merchant
from gateway.local import home
from gateway.local.postgres import INSTALLATION, PACKAGE
from gateway.payments.models import Payment
from tests.bench.load import PAYERS
from tests.bench.scale import scaled

ONCE_MORE = r"""
\set n :first + :i * :clients + :client_id
\set i :i + 1
"""
NUMBERED = "'{}_' || lpad((:n)::text, 26, '0')"
PAYMENT = NUMBERED.format("pay")
NOW = "now()"
STOCK = scaled(20_000, 10_000)
PAID_A_SECOND = scaled(8_000, 4_000)


class Floor:
    """What PostgreSQL can do on this machine, in this minute."""

    def __init__(self, merchant: Merchant, example: str, withdrawn: str) -> None:
        """`example`: a payment of the merchant that was PAID through the API, for one endpoint; `withdrawn`: money of
        theirs that was accepted to leave.
        """
        self.merchant, self.example, self.withdrawn = merchant.pk, example, withdrawn
        self.next_number = 1
        self.folder = home.make(home.folder() / "floor")
        payment = _row("gateway_payment", "id", example)
        self.paid = payment
        self.pending = payment | {"status": "PENDING", "paid_at": None, "release_at": None}
        self.customer = _row("gateway_customer", "id", str(payment["customer_id"]))
        self.event = _row("webhooks_event", "object_id", example)
        self.delivery = _row("webhooks_delivery", "event_id", str(self.event["id"]))
        self.keys = {
            "create": self._key("/api/v2/payments"),
            "paid": self._key(f"/api/v2/simulations/payments/{example}"),
            "withdraw": self._key("/api/v2/withdrawals/pix"),
        }
        self.scripts = {
            "create": self._create(), "get": self._get(), "paid": self._pay(), "withdraw": self._withdraw(),
        }  # fmt: skip
        self.stock = self._fill(STOCK)

    def rate(self, kind: str, clients: int, seconds: int) -> float:
        """Transactions a second at so many clients."""
        first = self.stock
        if kind != "get":
            first = self.next_number
            if kind == "paid":
                first = self._fill(seconds * PAID_A_SECOND)
            self.next_number += 1_000_000
        script = self.folder / f"{kind}.sql"
        script.write_text(self.scripts[kind])
        said = _pgbench(
            "-n", "-M", "prepared", "-c", clients, "-j", min(clients, 2), "-T", seconds, "-f", script,
            "-D", f"first={first}", "-D", f"clients={clients}", "-D", "i=0",
        )  # fmt: skip
        return float(re.findall(r"tps = ([\d.]+)", said)[0])

    def _key(self, path: str) -> dict[str, str | None]:
        return _row("gateway_idempotencykey", "path", path)

    def _create(self) -> str:
        customer = {"id": NUMBERED.format("cus"), "tax_id": "(:payer)::text"} | _at_once("created_at", "updated_at")
        payment = {"id": PAYMENT, "reference": "'floor-' || (:n)::text", "customer_id": "customer.id"}
        payment |= _at_once("created_at", "updated_at") | {"expires_at": "now() + interval '1 day'"}
        return f"""{ONCE_MORE}
            \\set payer 10000000000 + random(1, {PAYERS})
            WITH claimed AS ({self._claim("create")}), customer AS (
                {_insert("gateway_customer", self.customer, customer)}
                ON CONFLICT (merchant_id, tax_id) DO UPDATE
                   SET name = excluded.name, email = excluded.email, updated_at = excluded.updated_at
                RETURNING id)
            {_insert("gateway_payment", self.pending, payment)} FROM customer;
        """

    def _claim(self, kind: str) -> str:
        own = {"key": "gen_random_uuid()", "request_id": NUMBERED.format("req")} | _at_once("created_at")
        return _insert("gateway_idempotencykey", self.keys[kind], own)

    def _get(self) -> str:
        names = columns(Payment)
        return f"""
            \\set n :first + random(0, 9999)
            SELECT {names} FROM gateway_payment WHERE id = {PAYMENT};
        """

    def _pay(self) -> str:
        event = {"id": NUMBERED.format("evt"), "object_id": "paid.id"} | _at_once("created_at", "occurred_at")
        delivery = {"id": NUMBERED.format("dlv"), "event_id": "event.id"} | _at_once("created_at", "next_attempt_at")
        return f"""{ONCE_MORE}
            WITH claimed AS ({self._claim("paid")}), paid AS (
                UPDATE gateway_payment
                   SET status = 'PAID', details = {_literal(self.paid["details"])}, paid_at = now(), release_at = now(),
                       updated_at = now()
                 WHERE id = {PAYMENT} AND status = 'PENDING' RETURNING id
            ), event AS ({_insert("webhooks_event", self.event, event)} FROM paid RETURNING id
            ), delivery AS ({_insert("webhooks_delivery", self.delivery, delivery)} FROM event RETURNING id)
            SELECT ledger_post({self.merchant}, 'payment.paid', paid.id, '{self._lines(self.example)}'::jsonb, now())
              FROM paid, delivery;
        """

    def _withdraw(self) -> str:
        own = {"id": NUMBERED.format("wdr"), "reference": "'floor-' || (:n)::text"} | _at_once(
            "created_at", "updated_at"
        )
        block = {"id": NUMBERED.format("blk"), "withdrawal_id": "withdrawal.id"} | _at_once("created_at")
        withdrawal = _row("gateway_withdrawal", "id", self.withdrawn)
        hold = _row("ledger_hold", "withdrawal_id", self.withdrawn)
        return f"""{ONCE_MORE}
            WITH claimed AS ({self._claim("withdraw")}), withdrawal AS (
                {_insert("gateway_withdrawal", withdrawal, own)} RETURNING id
            ), hold AS ({_insert("ledger_hold", hold, block)} FROM withdrawal RETURNING withdrawal_id)
            SELECT ledger_post({self.merchant}, 'withdrawal.held', hold.withdrawal_id,
                               '{self._lines(self.withdrawn)}'::jsonb, now())
              FROM hold;
        """

    def _lines(self, reference: str) -> str:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT account.kind, account.method, account.currency, entry.amount FROM ledger_entry entry"
                "  JOIN ledger_account account ON account.id = entry.account_id"
                "  JOIN ledger_transfer transfer ON transfer.id = entry.transfer_id WHERE transfer.reference = %s",
                [reference],
            )
            return json.dumps(cursor.fetchall())

    def _fill(self, count: int) -> int:
        """Pending payments to be paid by the floor; returns the number of the first."""
        first = self.next_number
        self.next_number += count
        own = {"id": PAYMENT, "reference": "'floor-' || (:n)::text"} | _at_once("created_at", "updated_at")
        own |= {"expires_at": "now() + interval '1 day'"}
        fill = _insert("gateway_payment", self.pending, own).replace(":n", "n")
        with connection.cursor() as cursor:
            cursor.execute(f"{fill} FROM generate_series({first}, {first + count - 1}) n")
        return first


def _row(table: str, column: str, value: str) -> dict[str, str | None]:
    """The newest row with that value, each column that can be written as text. Arrays, of JSON here, have braces."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT key, CASE attndims WHEN 0 THEN value ELSE translate(value, '[]', '{}') END"
            f" FROM jsonb_each_text((SELECT to_jsonb(t) FROM {table} t WHERE {column} = %s"
            "  ORDER BY created_at DESC LIMIT 1))"
            " JOIN pg_attribute ON attrelid = %s::regclass AND attname = key AND attgenerated = ''",
            [value, table],
        )
        return dict(cursor.fetchall())


def _insert(table: str, row: dict[str, Any], own: dict[str, str]) -> str:
    """An INSERT … SELECT of the row, with SQL of its own in some columns; rows that number themselves do so."""
    values = {name: _literal(value) for name, value in row.items()} | own
    if "id" not in own:
        del values["id"]
    return f"INSERT INTO {table} ({', '.join(values)}) SELECT {', '.join(values.values())}"


def _literal(text: str | None) -> str:
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def _at_once(*columns: str) -> dict[str, str]:
    return dict.fromkeys(columns, NOW)


def _pgbench(*options: object) -> str:
    package = util.find_spec(PACKAGE)
    assert package is not None and package.origin is not None
    program = Path(package.origin).parent / INSTALLATION / "bin" / "pgbench"
    ended = subprocess.run(
        [program, *map(str, options), os.environ["DATABASE_URL"]], capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise RuntimeError(f"pgbench: {ended.stderr[-2000:]}")
    return ended.stdout
