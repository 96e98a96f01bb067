# [tables]
import json
import logging
import os
import sqlite3
import sys
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import onpay

client = onpay.Onpay(deadline=20)  # seconds: a customer waits
secrets = os.environ["ONPAY_WEBHOOK_SECRETS"].split()  # two during a rotation

db = sqlite3.connect(os.environ.get("SHOP_DB", "shop.db"), check_same_thread=False, isolation_level=None)
db.executescript("""
CREATE TABLE IF NOT EXISTS orders (reference TEXT PRIMARY KEY, amount TEXT, payment TEXT,
                                   key TEXT, released INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS refunds (key TEXT PRIMARY KEY, payment TEXT, amount TEXT);
CREATE TABLE IF NOT EXISTS newest (payment TEXT PRIMARY KEY, sequence INTEGER, status TEXT);
CREATE TABLE IF NOT EXISTS inbox (event TEXT PRIMARY KEY, body BLOB, done INTEGER DEFAULT 0);
""")
# [/tables]


# [order]
def place(reference: str, amount: str) -> onpay.Payment:
    """Stores the order with its key first: the same order again has the same payment."""
    row = (reference, amount, str(uuid4()))
    db.execute("INSERT OR IGNORE INTO orders (reference, amount, key) VALUES (?, ?, ?)", row)
    return pay(reference, method="PIX")


def pay(reference: str, **way: Any) -> onpay.Payment:
    amount, key = db.execute("SELECT amount, key FROM orders WHERE reference = ?", [reference]).fetchone()
    payment = client.payments.create(
        idempotency_key=key,
        amount=Decimal(amount),
        currency="BRL",
        reference=reference,
        payer={"name": "Maria Silva", "tax_id": "52998224725"},
        **way,
    )
    db.execute("UPDATE orders SET payment = ? WHERE reference = ?", [payment.id, reference])
    return payment


# [/order]


# [another-way]
def pay_another_way(reference: str) -> onpay.Payment:
    """Ends the first payment before the next one is made: only one can be paid."""
    payment = client.payments.expire(payment_of(reference))
    if payment.status != "EXPIRED":  # it was paid, or its provider has not answered yet
        return payment
    db.execute("UPDATE orders SET key = ? WHERE reference = ? AND payment = ?", [str(uuid4()), reference, payment.id])
    return pay(reference, method="CREDIT_CARD", return_url=f"https://shop.example.com/orders/{reference}")


def payment_of(reference: str) -> str:
    [payment] = db.execute("SELECT payment FROM orders WHERE reference = ?", [reference]).fetchone()
    return str(payment)


# [/another-way]


# [refund]
def refund(reference: str, amount: str) -> onpay.Refund:
    key, payment = str(uuid4()), payment_of(reference)
    db.execute("INSERT INTO refunds VALUES (?, ?, ?)", [key, payment, amount])
    return client.refunds.create(payment, idempotency_key=key, amount=Decimal(amount))


# [/refund]


# [receive]
news = Event()


def receive(body: bytes, headers: dict[str, str]) -> int:
    """Verifies, stores, answers: the work is done afterwards."""
    try:
        event = onpay.webhooks.verify(body, headers, secrets)
    except onpay.SignatureError:
        return 400
    db.execute("INSERT OR IGNORE INTO inbox (event, body) VALUES (?, ?)", [event.id, body])
    news.set()
    return 200


def work() -> None:
    while True:
        for name, body in db.execute("SELECT event, body FROM inbox WHERE NOT done ORDER BY rowid").fetchall():
            try:
                handle(onpay.webhooks.parse(body))
                db.execute("UPDATE inbox SET done = 1 WHERE event = ?", [name])
            except Exception:
                logging.exception("event %s is handled again later", name)
        news.wait(1)
        news.clear()


# [/receive]


# [handle]
def handle(event: onpay.WebhookEvent) -> None:
    """Right in any order of events, and for events that come twice."""
    payment = event.data
    if not isinstance(payment, onpay.Payment):
        return
    db.execute(
        "INSERT INTO newest VALUES (?, ?, ?) ON CONFLICT (payment) DO UPDATE"
        " SET sequence = excluded.sequence, status = excluded.status WHERE excluded.sequence > newest.sequence",
        [payment.id, event.sequence, payment.status],
    )
    [status] = db.execute("SELECT status FROM newest WHERE payment = ?", [payment.id]).fetchone()
    if payment.paid_at and status != "REFUNDED":
        release_once(payment, event.environment)


def release_once(payment: onpay.Payment, environment: str) -> None:
    """Only the first of several updates changes a row, and returns it. `rowcount` would be that of any thread."""
    update = "UPDATE orders SET released = 1 WHERE reference = ? AND NOT released RETURNING reference"
    if db.execute(update, [payment.reference]).fetchall():
        print("shipped", payment.reference, flush=True)
        if environment == "SANDBOX":
            client.sandbox.report_release(payment_id=payment.id)


# [/handle]


# [serve]
class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/hooks":
            self.answer(receive(body, dict(self.headers)), {})
            return
        asked, [_, _, *which] = json.loads(body), self.path.split("/")
        try:
            if not which:  # /orders
                made = place(asked["reference"], asked["amount"])
            elif which[1] == "another-way":  # /orders/REFERENCE/another-way
                made = pay_another_way(which[0])
            else:  # /orders/REFERENCE/refunds
                made = refund(which[0], asked["amount"])
        except (onpay.ConnectionFailed, onpay.ServerError):
            self.answer(503, {"error": "Please try again in a moment."})
        except onpay.APIError as error:
            self.answer(422, {"error": error.message})
        else:
            self.answer(201, {"id": made.id, "status": made.status})

    def answer(self, status: int, content: dict[str, str]) -> None:
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


Thread(target=work, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop).serve_forever()
# [/serve]
