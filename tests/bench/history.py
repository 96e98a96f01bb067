"""Ninety days of a busy company, with as much of its neighbours in between, written by SQL as the services write it."""

from datetime import timedelta

from django.db import connection, transaction

from accounts.base.clock import utcnow
from accounts.models import Merchant
from tests.bench import stage
from tests.support.ranges import kept_for_weeks

DAYS = 90
NEIGHBOURS = 20
PAYMENTS_PER_CUSTOMER = 3

_CHANCE = """
    CREATE FUNCTION pg_temp.chance(n bigint, about int, below int) RETURNS int LANGUAGE sql IMMUTABLE
    AS $$ SELECT (hashint8extended(n, about) & 2147483647)::int %% below $$
"""
_PEOPLE = """
    INSERT INTO gateway_customer (id, merchant_id, name, tax_id, tax_id_type, email, phone, created_at, updated_at)
    SELECT 'cus_' || lpad(n::text, 26, '0'), merchant,
           first[1 + pg_temp.chance(n, 1, 40)] || ' ' || last[1 + pg_temp.chance(n, 2, 40)] || ' '
           || last[1 + pg_temp.chance(n, 3, 40)], lpad(n::text, 11, '0'), 'CPF', 'payer' || n || '@example.com',
           '+5511999998888', now() - interval '90 days' + n * interval '1 second', now()
      FROM (SELECT n, (%(merchants)s::bigint[])[1 + CASE WHEN n %% 2 = 0 THEN 0 ELSE 1 + n / 2 %% %(neighbours)s END]
                   AS merchant FROM generate_series(1, %(people)s::bigint) n) people,
           (SELECT string_to_array('Maria José Ana João Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Luís '
                   'Gabriel Rafael Daniel Marcelo Bruno Eduardo Felipe Rodrigo Manoel Mateus André Fernando Fábio '
                   'Leonardo Gustavo Guilherme Leandro Tiago Juliana Adriana Márcia Fernanda Patrícia Aline Sandra '
                   'Camila Amanda', ' ') AS first,
                   string_to_array('Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa '
                   'Ribeiro Martins Carvalho Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento '
                   'Andrade Moreira Nunes Marques Machado Mendes Freitas Cardoso Ramos Gonçalves Santana Teixeira '
                   'Moura Araújo Cavalcanti Monteiro Moraes', ' ') AS last) names
"""
# What each payment is: drawn once, so that all tables tell the same story.
_DRAW = """
    CREATE TEMP TABLE drawn AS
    SELECT n, 'pay_' || lpad(n::text, 26, '0') AS id, merchant, customer, method, currency, amount, fee, status, term,
           CASE WHEN method = 'DEBIT_CARD' AND pg_temp.chance(n, 17, 20) = 0 THEN 'CREDIT_CARD' ELSE method END
           AS asked,
           at AS created_at, CASE WHEN status IN ('PAID', 'REFUNDED') THEN at + interval '90 seconds' END AS paid_at,
           method LIKE '%%CARD' AS by_card, CASE currency WHEN 'USD' THEN 'BRL' ELSE currency END AS kept_in,
           CASE currency WHEN 'USD' THEN 5 ELSE 1 END AS rate
      FROM (SELECT n, at, merchant, method, currency, term, amount,
                   CASE method WHEN 'CREDIT_CARD' THEN amount * 4 / 100 WHEN 'BOLETO' THEN 349 ELSE amount / 100 END
                   AS fee,
                   CASE WHEN luck < 800 OR luck < 820 AND at > now() - interval '3 hours' THEN 'PAID'
                        WHEN luck < 820 THEN 'REFUNDED' WHEN luck < 880 THEN 'FAILED'
                        WHEN at < now() - interval '3 days' OR luck < 970 THEN 'EXPIRED'
                        WHEN by_card THEN 'ACTION_REQUIRED' ELSE 'PENDING' END AS status,
                   'cus_' || lpad(customer::text, 26, '0') AS customer
              FROM (SELECT n, %(began)s + n * %(step)s::interval AS at, 1000 + pg_temp.chance(n, 11, 60000) AS amount,
                           pg_temp.chance(n, 12, 1000) AS luck, kind,
                           (ARRAY['PIX', 'CREDIT_CARD', 'DEBIT_CARD', 'BOLETO', 'SPEI', 'CREDIT_CARD', 'MB_WAY'])[kind]
                           AS method,
                           (ARRAY['BRL', 'BRL', 'BRL', 'BRL', 'MXN', 'USD', 'EUR'])[kind] AS currency,
                           (ARRAY[0, 30, 1, 0, 0, 30, 0])[kind] AS term, kind IN (2, 3, 6) AS by_card,
                           1 + pg_temp.chance(n / 2, 13, %(people)s / 2 - 1) * 2 + 1 - n %% 2 AS customer
                      FROM (SELECT n, CASE WHEN k < 52 THEN 1 WHEN k < 72 THEN 2 WHEN k < 80 THEN 3 WHEN k < 92 THEN 4
                                           WHEN k < 96 THEN 5 WHEN k < 98 THEN 6 ELSE 7 END AS kind
                              FROM (SELECT n, pg_temp.chance(n, 14, 100) AS k
                                      FROM generate_series(1, 2 * %(count)s::bigint) n) k) kinds) lots
              JOIN LATERAL (SELECT merchant_id AS merchant FROM gateway_customer
                             WHERE id = 'cus_' || lpad(lots.customer::text, 26, '0')) c ON true) drawn
"""
_PAYMENTS = """
    INSERT INTO gateway_payment (id, merchant_id, customer_id, reference, status, method, requested_method, currency,
           amount, fee, refunded_amount, settlement_days, payer, details, rail_reference, settlement_currency,
           settlement_amount, settlement_rate, failure_code, failure_message, due_date, expires_at, paid_at, release_at,
           created_at, updated_at)
    SELECT d.id, d.merchant, d.customer, 'order-' || d.n, d.status, d.method, d.asked, d.currency, d.amount, d.fee,
           CASE d.status WHEN 'REFUNDED' THEN d.amount ELSE 0 END, d.term,
           jsonb_build_object('name', c.name, 'taxId', c.tax_id, 'taxIdType', 'CPF', 'email', c.email,
                              'phone', c.phone, 'address', null),
           CASE WHEN d.method = 'PIX' THEN jsonb_build_object('pixTxid', d.id, 'pixCopyPaste', repeat(d.id, 5))
                WHEN d.method = 'BOLETO' THEN jsonb_build_object('barcode', repeat('9', 44), 'digitableLine',
                     repeat('9', 47), 'documentNumber', d.n::text, 'dueDate',
                     (d.created_at + interval '3 days')::date, 'beneficiary',
                     jsonb_build_object('name', 'Shop', 'taxId', '11222333000181'))
                WHEN d.method = 'SPEI' THEN jsonb_build_object('bankDetails', jsonb_build_object('clabe',
                     '646180157000000004', 'bankName', 'STP', 'bankCode', '90646', 'beneficiaryName', 'Shop',
                     'paymentReference', '1234567', 'amount', (d.amount / 100.0)::text, 'currency', d.currency))
                WHEN d.method = 'MB_WAY' THEN jsonb_build_object('mbWay', jsonb_build_object('phone', '+351911111111',
                     'expiresAt', d.created_at))
                ELSE jsonb_build_object('session', jsonb_build_object('integrationMode', 'SECURE_FIELDS'), 'card',
                     jsonb_build_object('brand', 'visa', 'last4', lpad(pg_temp.chance(d.n, 15, 10000)::text, 4, '0'),
                                        'funding', 'credit', 'plays', 'APPROVED')) END,
           CASE WHEN d.paid_at IS NOT NULL THEN 'E99999999' || lpad(d.n::text, 23, '0') END,
           CASE WHEN d.rate > 1 AND d.paid_at IS NOT NULL THEN d.kept_in END,
           CASE WHEN d.rate > 1 AND d.paid_at IS NOT NULL THEN (d.amount - d.fee) * d.rate END,
           CASE WHEN d.rate > 1 AND d.paid_at IS NOT NULL THEN d.rate END,
           CASE d.status WHEN 'FAILED' THEN (ARRAY['CARD_REFUSED', 'INSUFFICIENT_FUNDS', 'ACQUIRER_REFUSED',
                'CARD_EXPIRED', 'SIMULATED'])[1 + pg_temp.chance(d.n, 16, 5)] END,
           CASE d.status WHEN 'FAILED' THEN 'It was refused.' END,
           CASE d.method WHEN 'BOLETO' THEN (d.created_at + interval '3 days')::date END,
           d.created_at + interval '3 days', d.paid_at, d.paid_at + d.term * interval '1 day', d.created_at,
           coalesce(d.paid_at, d.created_at)
      FROM drawn d JOIN gateway_customer c ON c.id = d.customer ORDER BY d.n
"""
_RECEIVABLES = """
    INSERT INTO ledger_receivable (id, merchant_id, payment_id, payment_reference, method, currency, gross_amount, fee,
           refunded_amount, amount, state, release_at, advance_monthly_rate, advance_minimum, created_at, updated_at)
    SELECT 'rcv_' || lpad(n::text, 26, '0'), merchant, id, 'order-' || n, method, kept_in, amount * rate, fee * rate, 0,
           (amount - fee) * rate,
           CASE WHEN paid_at + term * interval '1 day' < now() THEN 'RELEASED' ELSE 'SCHEDULED' END,
           paid_at + term * interval '1 day', 2.5, 0, paid_at, paid_at
      FROM drawn WHERE paid_at IS NOT NULL AND term > 0
"""
# Of every refunded payment one that was completed, and of every hundredth paid one that waits for an answer.
_REFUNDS = """
    INSERT INTO gateway_refund (id, merchant_id, payment_id, origin, is_full, status, amount, currency, response_due_at,
           end_to_end_id, wallet_currency, wallet_amount, from_releasing, from_available, fills, note, created_at,
           updated_at, completed_at)
    SELECT 'ref_' || lpad(n::text, 26, '0'), merchant, id, CASE WHEN n %% 3 = 0 THEN 'PAYER' ELSE 'MERCHANT' END, true,
           CASE status WHEN 'REFUNDED' THEN 'COMPLETED' WHEN 'PAID' THEN 'AWAITING_RESPONSE' END, amount, currency,
           CASE status WHEN 'PAID' THEN paid_at + interval '7 days' END, 'D' || id, kept_in, amount * rate, 0,
           amount * rate, 0, '', paid_at + interval '1 hour', paid_at + interval '2 hours',
           CASE status WHEN 'REFUNDED' THEN paid_at + interval '2 hours' END
      FROM drawn
     WHERE paid_at + interval '2 hours' < now()
       AND (status = 'REFUNDED' OR paid_at > now() - interval '7 days' AND pg_temp.chance(n, 18, 100) = 0)
"""
_HOLDS = """
    INSERT INTO ledger_hold (id, merchant_id, reason, currency, amount, missing, payment_id, refund_id, note,
           created_at, ended_at)
    SELECT 'blk_' || substr(id, 5), merchant_id, CASE status WHEN 'COMPLETED' THEN 'REFUND_PROCESSING'
           ELSE 'REFUND_DISPUTE' END, wallet_currency, wallet_amount, 0, payment_id, id, '', created_at, completed_at
      FROM gateway_refund WHERE payment_id IN (SELECT id FROM drawn)
"""
# The first ten characters of an id: its time, in milliseconds.
_MADE_AT = """
    CREATE FUNCTION pg_temp.made_at(at timestamptz) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
                             1 + ((extract(epoch FROM at) * 1000)::bigint >> 5 * n & 31)::int, 1), '' ORDER BY n DESC)
      FROM generate_series(0, 9) n $$
"""
# What is kept for thirty days.
_EVENTS = """
    INSERT INTO webhooks_event (id, merchant_id, type, object_id, sequence, body, occurred_at, created_at)
    SELECT 'evt_' || pg_temp.made_at(at) || lpad((2 * n + number)::text, 16, '0'), merchant, type, id, number,
           convert_to(jsonb_build_object('type', type, 'data', jsonb_build_object('id', id))::text, 'UTF8'), at, at
      FROM (SELECT n, merchant, id, 0 AS number, coalesce(paid_at, created_at) AS at,
                   CASE status WHEN 'FAILED' THEN 'payment.failed' WHEN 'EXPIRED' THEN 'payment.expired'
                   ELSE 'payment.paid' END AS type
              FROM drawn WHERE status IN ('PAID', 'REFUNDED', 'FAILED', 'EXPIRED')
             UNION ALL
            SELECT n, merchant, id, 1, paid_at + interval '2 hours', 'payment.refunded'
              FROM drawn WHERE status = 'REFUNDED') told
     WHERE at > now() - interval '30 days' ORDER BY at
"""
# Of each the instant, and the lines as `ledger_post` takes them.
_POSTINGS = """
    CREATE TEMP TABLE posting AS
    SELECT row_number() OVER (ORDER BY at, kind, reference) AS number, * FROM (
        SELECT merchant, 'payment.paid' AS kind, id AS reference, paid_at AS at, CASE WHEN rate = 1 THEN
               jsonb_build_array(
                   jsonb_build_array('CLEARING', method, currency, -amount),
                   jsonb_build_array('FEE_INCOME', '', currency, fee),
                   jsonb_build_array(bucket, wallet, currency, amount - fee))
               ELSE jsonb_build_array(
                   jsonb_build_array('CLEARING', method, currency, -amount),
                   jsonb_build_array('FEE_INCOME', '', currency, fee),
                   jsonb_build_array('FX_POSITION', '', currency, amount - fee),
                   jsonb_build_array('FX_POSITION', '', kept_in, -(amount - fee) * rate),
                   jsonb_build_array(bucket, wallet, kept_in, (amount - fee) * rate)) END AS lines
          FROM kept WHERE paid_at IS NOT NULL
        UNION ALL
        SELECT r.merchant_id, 'receivable.released', r.id, r.release_at, jsonb_build_array(
                   jsonb_build_array('RELEASING', wallet, r.currency, -r.amount),
                   jsonb_build_array('AVAILABLE', wallet, r.currency, r.amount))
          FROM ledger_receivable r JOIN kept ON kept.id = r.payment_id WHERE r.state = 'RELEASED'
        UNION ALL
        SELECT r.merchant_id, 'refund.held', r.id, r.created_at, jsonb_build_array(
                   jsonb_build_array('AVAILABLE', wallet, r.wallet_currency, -r.wallet_amount),
                   jsonb_build_array('BLOCKED', wallet, r.wallet_currency, r.wallet_amount))
          FROM gateway_refund r JOIN kept ON kept.id = r.payment_id
        UNION ALL
        SELECT r.merchant_id, 'refund.completed', r.id, r.completed_at, jsonb_build_array(
                   jsonb_build_array('BLOCKED', wallet, r.wallet_currency, -r.wallet_amount),
                   jsonb_build_array('CLEARING', method, r.wallet_currency, r.wallet_amount))
          FROM gateway_refund r JOIN kept ON kept.id = r.payment_id WHERE r.completed_at IS NOT NULL
    ) posted
"""
_KEPT = """
    CREATE TEMP VIEW kept AS
    SELECT *, CASE kept_in WHEN 'BRL' THEN 'PIX' WHEN 'MXN' THEN 'SPEI' ELSE 'MB_WAY' END AS wallet,
           CASE WHEN term > 0 THEN 'RELEASING' ELSE 'AVAILABLE' END AS bucket FROM drawn
"""
_OPENED = """
    INSERT INTO ledger_account (merchant_id, kind, method, currency)
    SELECT DISTINCT p.merchant, l->>0, l->>1, l->>2 FROM posting p, jsonb_array_elements(p.lines) l
    ON CONFLICT DO NOTHING
"""
# Everything is first of all given enough that no refund of a first day falls through the floor.
_FUNDED = """
    SELECT ledger_post(merchant, 'bench.funded', 'bench', jsonb_agg(line ORDER BY line->>0), %(began)s)
      FROM (SELECT DISTINCT merchant, jsonb_build_array(kind, method, currency, sign * 100000000) AS line
              FROM (SELECT DISTINCT merchant, wallet, kept_in AS currency FROM kept) wallets,
           LATERAL (VALUES ('AVAILABLE', wallet, 1), ('CLEARING', wallet, -1)) sides(kind, method, sign)) funded
     GROUP BY merchant
"""
_TRANSFERS = """
    INSERT INTO ledger_transfer (id, merchant_id, kind, reference, entry_count, posted_at, created_at)
    OVERRIDING SYSTEM VALUE
    SELECT number + (SELECT max(id) FROM ledger_transfer), merchant, kind, reference, jsonb_array_length(lines), at, at
      FROM posting ORDER BY number
"""
_ENTRIES = """
    INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
    SELECT t.id, x.line, p.merchant, a.id, a.currency, (x.l->>3)::bigint,
           b.amount + sum((x.l->>3)::bigint) OVER running, b.version + row_number() OVER running
      FROM posting p
      JOIN ledger_transfer t ON (t.merchant_id, t.kind, t.reference) = (p.merchant, p.kind, p.reference)
     CROSS JOIN LATERAL jsonb_array_elements(p.lines) WITH ORDINALITY AS x(l, line)
      JOIN ledger_account a ON a.merchant_id = p.merchant
       AND (a.kind, a.method, a.currency) = (x.l->>0, x.l->>1, x.l->>2)
      JOIN ledger_balance b ON b.account_id = a.id
    WINDOW running AS (PARTITION BY a.id ORDER BY p.number)
     ORDER BY p.number, a.id
"""
_BALANCES = """
    UPDATE ledger_balance b SET amount = e.balance_after, version = e.sequence
      FROM (SELECT DISTINCT ON (account_id) account_id, balance_after, sequence FROM ledger_entry
             ORDER BY account_id, sequence DESC) e
     WHERE e.account_id = b.account_id
"""
_COUNTED_ON = "SELECT setval(pg_get_serial_sequence('ledger_transfer', 'id'), max(id)) FROM ledger_transfer"


def fill(busy: Merchant, neighbours: list[Merchant], payments: int) -> None:
    """So many payments of one merchant, and as many of its neighbours, with customers, refunds, holds, the events that
    are still kept, and what was posted. All invariants hold, once sales are summed up.
    """
    assert len(neighbours) == NEIGHBOURS
    kept_for_weeks()
    values = {
        "merchants": [busy.pk, *(one.pk for one in neighbours)],
        "neighbours": NEIGHBOURS,
        "people": 2 * payments // PAYMENTS_PER_CUSTOMER,
        "count": payments,
        "step": f"{DAYS * 86_400_000 // (2 * payments)} milliseconds",
        "began": utcnow() - timedelta(days=DAYS),
    }
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in (_CHANCE, _MADE_AT, _PEOPLE, _DRAW, _PAYMENTS, _RECEIVABLES, _REFUNDS, _HOLDS, _EVENTS):
            cursor.execute(statement, values)
        for statement in (_KEPT, _POSTINGS, _OPENED):
            cursor.execute(statement, values)
        cursor.execute(_FUNDED, values)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in (_TRANSFERS, _ENTRIES, _BALANCES, _COUNTED_ON):
            cursor.execute(statement)
    stage.settle()
