"""Lines of bank statements stored, matched and booked a second: 100,000 of one account, with planted deviations."""

import random
import time
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256

from django.db import connection, transaction

from accounts.base.clock import utcnow
from accounts.models import Merchant, User
from accounts.operator import operator
from gateway.bank_files.shapes import Party, Statement, StatementLine
from gateway.providers.models import ProviderAccount
from gateway.reconciliation import due, handlers
from gateway.reconciliation.models import BankAccount, BankLine, ImportedFile, LinePart
from ledger.verify import all_invariants
from tests.bench.scale import SHORT, scaled

LINES = scaled(100_000, 2_000)
PAYMENTS, WITHDRAWALS = LINES * 55 // 100, LINES * 43 // 100
PLANTED = 30
MOST_S = 60
NUMBERS = {"bank": "341", "branch": "1234", "account": "56789", "account_digit": "0"}

_PEOPLE = """
    INSERT INTO gateway_customer (id, merchant_id, name, tax_id, tax_id_type, email, phone, created_at, updated_at)
    SELECT 'cus_' || lpad(n::text, 26, '0'), (%(merchants)s::bigint[])[n], 'Maria', '52998224725', 'CPF', '', '',
           now(), now() FROM generate_series(1, cardinality(%(merchants)s::bigint[])) n
"""
_PAID = """
    INSERT INTO gateway_payment (id, merchant_id, customer_id, account_id, reference, status, method, requested_method,
           currency, amount, fee, refunded_amount, settlement_days, payer, details, rail_reference, expires_at, paid_at,
           created_at, updated_at)
    SELECT 'pay_' || lpad(n::text, 26, '0'), c.merchant_id, c.id, %(account)s, 'order-' || n, 'PAID', 'PIX', 'PIX',
           'BRL', 1000 + n, 10, 0, 0, '{}', '{}', 'E' || lpad(n::text, 31, '0'), now(), now(), now(), now()
      FROM generate_series(1, %(count)s::bigint) n
      JOIN gateway_customer c ON c.id = 'cus_' || lpad((1 + n %% %(shops)s)::text, 26, '0')
"""
_WITHDRAWN = """
    INSERT INTO gateway_withdrawal (id, merchant_id, account_id, rail, reference, status, amount, fee, currency,
           payout_amount, payout_currency, network_fee, destination, sealed_destination, details, rail_reference,
           sent_at, sent_times, asked_times, note, created_at, updated_at, completed_at, unclear_asks)
    SELECT 'wdr_' || lpad(n::text, 26, '0'), c.merchant_id, %(account)s, 'PIX', 'out-' || n, 'COMPLETED', 500 + n, 0,
           'BRL', 500 + n, 'BRL', 0, '{}', '\\x00', '{}', 'E7' || lpad(n::text, 30, '0'), now(), 1, 0, '', now(), now(),
           now(), 0
      FROM generate_series(1, %(count)s::bigint) n
      JOIN gateway_customer c ON c.id = 'cus_' || lpad((1 + n %% %(shops)s)::text, 26, '0')
"""


def measure(merchants: list[Merchant]) -> str:
    """Fails if it takes too long, if a line is matched wrongly, or if a deviation is missed."""
    account = _prepared(merchants)
    told = _statement()
    began = time.perf_counter()
    _import(account, told)
    stored = time.perf_counter()
    while due.run_due():
        pass
    ended = time.perf_counter()
    _require_right(account)
    seconds = ended - began
    assert SHORT or seconds < MOST_S, f"{seconds:.1f} s"
    steps = f"stored in {stored - began:.1f} s, matched and booked in {ended - stored:.1f} s"
    return f"statement lines, {LINES:,} with {PLANTED} deviations: {steps}: {LINES / seconds:,.0f}/s"


@transaction.atomic
def _prepared(merchants: list[Merchant]) -> BankAccount:
    person = User.objects.create_user("bench@onpay.example", "a long password")
    provider = ProviderAccount.objects.create(
        provider="manual", title="Bench", system="PRODUCTION", sealed_credentials=b"", entered_by=person
    )
    asked = {"account": provider.pk, "shops": len(merchants), "merchants": [one.pk for one in merchants]}
    with connection.cursor() as cursor:
        cursor.execute(_PEOPLE, asked)
        cursor.execute(_PAID, asked | {"count": PAYMENTS})
        cursor.execute(_WITHDRAWN, asked | {"count": WITHDRAWALS})
    account = BankAccount.objects.create(
        code="BENCH-BRL", title="Bench", currency="BRL", owner=operator(), numbers=NUMBERS, fee_codes=["TAR"]
    )
    account.provider_accounts.add(provider)
    return account


def _statement() -> Statement:
    """Payments by end-to-end id, withdrawals by our id or theirs, fees, and what does not belong there."""
    today = utcnow().date()

    def line(minor: int, **members: str) -> StatementLine:
        return StatementLine(Decimal(minor).scaleb(-2), today, **members)  # type: ignore[arg-type]

    paid = [line(1000 + n, end_to_end_id=f"E{n:031d}", text="PIX RECEBIDO") for n in range(1, PAYMENTS + 1)]
    sent = [
        line(-500 - n, text=f"PIX ENVIADO wdr_{n:026d}") if n % 2 else line(-500 - n, end_to_end_id=f"E7{n:030d}")
        for n in range(1, WITHDRAWALS + 1)
    ]
    fees = [line(-99, code="TAR", text="TARIFA") for _ in range(LINES - PAYMENTS - WITHDRAWALS - PLANTED)]
    third = PLANTED // 3
    odd = [line(-(n + 1) * 7, end_to_end_id=f"EX{n:030d}") for n in range(third)]
    odd += [line(999 + n, end_to_end_id=f"E{n:031d}") for n in range(1, third + 1)]
    odd += [line(-500 - n, text=f"PIX ENVIADO wdr_{n:026d}") for n in range(1, PLANTED - 2 * third + 1)]
    lines = [*paid, *sent, *fees]
    random.Random(7).shuffle(lines)
    total = sum(one.amount for one in (*lines, *odd))
    opening = Decimal(10**9)
    return Statement(
        "bench", Party("", **NUMBERS), "BRL", today - timedelta(1), today, [*lines, *odd], "1", opening, opening + total
    )


@transaction.atomic
def _import(account: BankAccount, told: Statement) -> None:
    digest = sha256(b"bench").hexdigest()
    file = ImportedFile.objects.create(
        account=account, name="bench", digest=digest, size=0, sealed_content=b"", state="TAKEN"
    )
    for handler, same in handlers.handled([told]):
        handler.check(account, same)
        handler.apply(file, same)


def _require_right(account: BankAccount) -> None:
    states = {state: BankLine.objects.filter(account=account, state=state).count() for state in BankLine.State}
    held = states[BankLine.State.SUSPENSE]
    # What is one cent off is money for a payment, and so held for it: explained as that.
    short = LinePart.objects.filter(account=account, kind="SUSPENSE").count()
    assert (states[BankLine.State.EXPLAINED], held + short) == (LINES - held, PLANTED), states
    wrong = LinePart.objects.filter(kind__in=("PAYMENT", "WITHDRAWAL")).count()
    assert wrong == PAYMENTS + WITHDRAWALS, "every payment and withdrawal has its line"
    with connection.cursor() as cursor:
        for known in all_invariants():
            if known.number in ("I1", "I2", "I3", "I5", "I40", "I41", "I42", "I43"):
                for query in known.queries:
                    cursor.execute(query.on())
                    assert not cursor.fetchall(), known.number
