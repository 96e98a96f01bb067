"""The sums of a period are those of what everybody can read payment by payment, whatever happened to it later."""

import os
import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from zoneinfo import ZoneInfo

from django.db import connection

from accounts.base import clock
from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.payments import services as payments
from gateway.payments.models import Payment
from gateway.refunds import services as refunds
from gateway.refunds.models import Refund
from gateway.refunds.selectors import listed
from gateway.sales.acceptance import Accepted, accepted, accepted_by_step
from gateway.sales.currencies import in_order
from gateway.sales.models import Kind, SalesChange, SalesDay, SalesSum
from gateway.sales.reporting import converted
from gateway.sales.selectors import Sales, Total, sales
from gateway.sales.services import sum_up
from ledger.rates.models import Rate
from ledger.rates.services import forget_old, worth_then
from ledger.verify import verify
from tests.support.companies import Shop
from tests.support.ledger import bent, numbers
from tests.support.sales import APPROVED, OF_DEBIT, REFUSED, card, later, order, sale

SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
SAO_PAULO, TOKYO, KATHMANDU, LISBON = (
    ZoneInfo(name) for name in ("America/Sao_Paulo", "Asia/Tokyo", "Asia/Kathmandu", "Europe/Lisbon")
)


def until(merchant: Merchant, moment: datetime) -> None:
    """The merchant's clock shows this."""
    later(merchant, seconds=(moment - clock.now(merchant)).total_seconds())


def told(merchant: Merchant, first: date, last: date, zone: ZoneInfo = SAO_PAULO) -> Sales:
    period = Period.of_days(first, last, zone)
    return sales(merchant, period, period.before)


def lately(merchant: Merchant, days: int = 1) -> Sales:
    period = Period.last_days(merchant, days, SAO_PAULO)
    return sales(merchant, period, period.before)


def test_a_month_ends_at_midnight_where_the_reader_lives(acme: Shop, globex: Shop) -> None:
    january, february = (date(2027, 1, 1), date(2027, 1, 31)), (date(2027, 2, 1), date(2027, 2, 28))
    for day, hour, minute in ((31, 18, 20), (31, 23, 0), (1, 2, 59), (1, 3, 0)):
        until(acme.sandbox, datetime(2027, 2 if day == 1 else 1, day, hour, minute, tzinfo=UTC))
        sale(acme.sandbox, "100.00")
    sale(globex.sandbox)
    sum_up()

    def counts(zone: ZoneInfo) -> tuple[int, int, int]:
        found = told(acme.sandbox, *february, zone)
        now, before = found.total(Kind.PAID), found.total(Kind.PAID, before=True)
        assert told(acme.sandbox, *january, zone).total(Kind.PAID) == before
        return before.count, now.count, found.by("step", kind=Kind.PAID)[0].count

    assert counts(SAO_PAULO) == (3, 1, 1)
    assert counts(TOKYO) == (0, 4, 4)
    assert counts(KATHMANDU) == (0, 4, 4)  # whose midnight is at 18:15 UTC
    assert told(globex.sandbox, *february).parts == []


def test_it_counts_on_the_day_it_was_paid_and_is_accepted_on_the_day_it_was_created(acme: Shop) -> None:
    until(acme.sandbox, datetime(2027, 2, 1, 2, 50, tzinfo=UTC))  # ten minutes before midnight
    code, _unpaid = (order(acme.sandbox, "100.00") for _ in range(2))
    later(acme.sandbox, minutes=12)
    payments.simulate(acme.sandbox, code.pk, "PAID")
    later(acme.sandbox, days=1)
    created, paid = date(2027, 1, 31), date(2027, 2, 1)

    assert told(acme.sandbox, created, created).total(Kind.PAID) == Total()
    assert told(acme.sandbox, paid, paid).total(Kind.PAID).count == 1
    assert accepted(told(acme.sandbox, created, created)) == {"PIX": Accepted(paid=1, expired=1)}
    assert accepted(told(acme.sandbox, paid, paid)) == {}


def test_a_refund_counts_when_it_was_given_and_leaves_the_sale_where_it_was(acme: Shop) -> None:
    until(acme.sandbox, datetime(2027, 1, 30, 12, tzinfo=UTC))
    sold = sale(acme.sandbox, "100.00")
    sale(acme.sandbox, "50.00")
    later(acme.sandbox, days=3)
    refunds.create(acme.sandbox, sold.pk)
    refunds.simulate(acme.sandbox, listed(acme.sandbox).get().pk, "COMPLETED")

    found = told(acme.sandbox, date(2027, 2, 1), date(2027, 2, 28))

    assert (found.total(Kind.PAID), found.total(Kind.RETURNED)) == (Total(), Total(1, 10_000, 0))
    assert found.total(Kind.PAID, before=True) == Total(2, 15_000, 151)
    assert found.by("method", kind=Kind.RETURNED) == {"PIX": Total(1, 10_000, 0)}


def test_a_day_that_the_clocks_make_shorter_is_as_exact_as_any_other(acme: Shop) -> None:
    for moment in (datetime(2027, 3, 27, 23, 55), datetime(2027, 3, 28, 1, 5), datetime(2027, 3, 28, 23, 5)):
        until(acme.sandbox, moment.replace(tzinfo=UTC))  # Lisbon turns to summer time on the 28th
        sale(acme.sandbox, "100.00")
    sum_up()

    found = told(acme.sandbox, date(2027, 3, 27), date(2027, 3, 29), LISBON)

    assert [found.by("step", kind=Kind.PAID)[step].count for step in range(3)] == [1, 1, 1]


def test_declines_are_counted_by_reason_and_what_nobody_paid_apart(acme: Shop, globex: Shop) -> None:
    assert lately(acme.sandbox).parts == []
    card(acme.sandbox)
    card(acme.sandbox, token=REFUSED)
    sale(acme.sandbox)
    sale(acme.sandbox, status="EXPIRED")
    order(acme.sandbox)
    sale(globex.sandbox, status="FAILED")

    found = lately(acme.sandbox)

    assert accepted(found) == {"CREDIT_CARD": Accepted(1, declined=1), "PIX": Accepted(1, expired=1)}
    pix = accepted(found)["PIX"]
    assert (pix.rate, pix.paid_rate) == (Decimal(100), Decimal(50))
    assert accepted_by_step(found) == [Accepted(2, 1, 1)]
    [(method, reason)] = found.by("method", "reason", kind=Kind.DECLINED)
    assert (method, reason) == ("CREDIT_CARD", Payment.objects.get(status="FAILED", method="CREDIT_CARD").failure_code)


def test_disputes_are_won_or_lost_with_those_that_began_with_them(acme: Shop) -> None:
    accepted, contested, _open = (refunds.dispute(acme.sandbox, sale(acme.sandbox).pk) for _ in range(3))
    refunds.respond(acme.sandbox, accepted.pk, "ACCEPT")
    refunds.simulate(acme.sandbox, accepted.pk, "COMPLETED")
    refunds.respond(acme.sandbox, contested.pk, "CONTEST", message="It was delivered.")
    refunds.simulate(acme.sandbox, contested.pk, "REJECTED")

    found = lately(acme.sandbox)

    kinds = (Kind.DISPUTED, Kind.DISPUTE_WON, Kind.DISPUTE_LOST, Kind.RETURNED)
    assert [found.total(kind).count for kind in kinds] == [3, 1, 1, 1]


def test_currencies_come_in_the_order_of_what_is_sold_at_todays_rates(acme: Shop, globex: Shop) -> None:
    assert in_order(acme.sandbox, ["USD", "BRL", "ARS"]) == ["BRL", "ARS", "USD"]  # the country's, then by code
    card(acme.sandbox, "300.00")
    card(acme.sandbox, "100.00", currency="USD")

    assert in_order(acme.sandbox, ["ARS", "BRL", "USD"]) == ["USD", "BRL", "ARS"]
    assert in_order(globex.sandbox, ["ARS", "BRL", "USD"]) == in_order(globex.sandbox, ["USD", "BRL", "ARS"])


ONE = "WHERE id = (SELECT min(id) FROM gateway_salessum WHERE kind = 'PAID')"
OTHER = "WHERE id = (SELECT max(id) FROM gateway_salessum WHERE kind = 'PAID')"
SAME = "method, currency, count, amount, fee FROM gateway_salessum"
PLANTED = {
    "missing": f"DELETE FROM gateway_salessum {ONE}",
    "extra": "INSERT INTO gateway_salessum (merchant_id, kind, quarter, reason, method, currency, count, amount, fee)"
    f" SELECT merchant_id, kind, '1969-01-01', reason, {SAME} {ONE}",
    "none": "DELETE FROM gateway_salessum",
    "another quarter": f"UPDATE gateway_salessum SET quarter = quarter + interval '15 minutes' {ONE}",
    "another merchant": f"UPDATE gateway_salessum SET merchant_id = (SELECT max(id) FROM accounts_merchant) {ONE}",
    "another method": f"UPDATE gateway_salessum SET method = 'SPEI' {ONE}",
    "two keys that make up for each other": f"UPDATE gateway_salessum SET amount = amount + 1 {ONE};"
    f"UPDATE gateway_salessum SET amount = amount - 1 {OTHER}",
    "two columns that do": f"UPDATE gateway_salessum SET amount = amount + 1, fee = fee - 1 {ONE}",
    "no sale with an amount": f"UPDATE gateway_salessum SET count = 0 {ONE}",
    "the least amount there is": f"UPDATE gateway_salessum SET amount = -9223372036854775808 {ONE}",
}


def test_sums_that_a_superuser_changes_are_found_in_parts_and_at_once(acme: Shop, globex: Shop) -> None:
    for shop in (acme, globex):
        sale(shop.sandbox)
    sum_up()
    for what, statement in PLANTED.items():
        with bent(statement):
            for found in (verify(), verify(at_once=1), verify(at_once=2)):
                assert "I46" in numbers(found), what
    assert verify() == []


def test_sums_that_were_touched_are_found(acme: Shop) -> None:
    sale(acme.sandbox)
    assert sum_up() == 2 and not SalesChange.objects.exists()
    assert verify() == []

    SalesSum.objects.filter(kind=Kind.PAID).update(amount=1)

    assert [violation.invariant.number for violation in verify()] == ["I46"]
    SalesDay.objects.filter(kind=Kind.ACCEPTED, hour=3).update(count=2)
    assert [violation.invariant.number for violation in verify()] == ["I46", "I47"]
    SalesSum.objects.filter(kind=Kind.PAID).update(amount=15_000)
    SalesDay.objects.filter(kind=Kind.ACCEPTED, hour=3).update(count=1)


def anything(merchant: Merchant, chance: random.Random) -> Payment:
    """A payment that chance made, and what became of it."""
    amount = str(Decimal(chance.randint(100, 500_000)) / 100)
    kind = chance.choice(("open", "card", "paid", "paid", "ended"))
    if kind == "open":
        return order(merchant, amount)
    if kind == "card":
        return card(merchant, amount, token=chance.choice((APPROVED, OF_DEBIT, REFUSED)))
    made = sale(merchant, amount, status="PAID" if kind == "paid" else chance.choice(("FAILED", "EXPIRED")))
    if kind == "paid" and chance.random() < 0.5:
        refunds.create(merchant, made.pk, amount=chance.randint(1, made.amount))
    return made


def test_whatever_happened_the_sums_are_those_of_the_rows(acme: Shop, globex: Shop) -> None:
    print(f"SEED={SEED}")
    chance, merchant = random.Random(SEED), acme.sandbox
    sale(merchant, "9000.00")  # so that there is enough for every refund and its fee
    for _ in range(25):
        anything(merchant, chance)
        later(merchant, seconds=chance.randint(1, 40_000))
        if chance.random() < 0.2:
            sum_up()

    for zone in (SAO_PAULO, KATHMANDU, LISBON):
        _compare(merchant, Period.last_days(merchant, 20, zone))
        _compare(merchant, Period.last_days(merchant, chance.randint(1, 9), zone))
    assert lately(globex.sandbox, 20).parts == []


def _compare(merchant: Merchant, period: Period) -> None:
    found, rows = sales(merchant, period, period.before), list(Payment.objects.all())
    paid = [row for row in rows if row.paid_at and period.begins <= row.paid_at < period.ends]
    by_day: Counter[date] = Counter()
    for row in paid:
        assert row.paid_at
        by_day[row.paid_at.astimezone(period.zone).date()] += row.amount
    assert found.total(Kind.PAID) == Total(len(paid), by_day.total(), sum(row.fee for row in paid))
    days = found.by("step", kind=Kind.PAID)
    assert {period.days[step]: total.amount for step, total in days.items()} == by_day

    created = [row for row in rows if period.begins <= row.created_at < period.ends]
    states = Counter("PAID" if row.paid_at else row.status for row in created)
    ended = Accepted(states["PAID"], states["FAILED"], states["EXPIRED"])
    assert sum(accepted(found).values(), Accepted()) == ended

    back = [one for one in Refund.objects.all() if one.completed_at and period.begins <= one.completed_at < period.ends]
    assert found.total(Kind.RETURNED) == Total(len(back), sum(one.amount for one in back))


def test_sales_of_before_the_triggers_are_summed_up_by_the_migration(acme: Shop) -> None:
    sale(acme.sandbox)
    refunds.dispute(acme.sandbox, sale(acme.sandbox).pk)
    past = import_module("gateway.migrations.0049_sales_of_the_past")
    SalesChange.objects.filter(kind=Kind.PAID).delete()  # as if one had been paid before

    with connection.cursor() as cursor:
        cursor.execute(past.SUM_UP)
        SalesDay.objects.all().delete()
        cursor.execute(import_module("gateway.migrations.0058_sales_of_days").SUM_UP)

    assert verify() == []
    assert lately(acme.sandbox).total(Kind.PAID).count == 2


def test_all_currencies_are_added_up_at_the_rates_of_each_day(acme: Shop) -> None:
    sale(acme.sandbox, "100.00")
    card(acme.sandbox, "18.34", currency="USD")
    period = Period.last_days(acme.sandbox, 2, SAO_PAULO)

    assert converted(acme.sandbox, period, "BRL").paid == 20_000  # the sandbox says: one real is 0.1834 dollars
    assert converted(acme.sandbox, period, "USD").paid == 3668
    assert converted(acme.sandbox, period.before, "USD").net == 0


def test_the_rate_of_then_is_the_last_one_of_that_time_else_the_first_known(acme: Shop) -> None:
    now = clock.utcnow()
    for days, per_real in ((60, "0.10"), (59, "0.20"), (1, "0.40")):
        for minutes in (90, 0):
            at = now - timedelta(days=days, minutes=minutes)
            Rate.objects.create(currency="USD", per_real=per_real, source="FETCHED", quoted_at=at, holds_until=at,
                                created_at=at)  # fmt: skip
    asked = [now - timedelta(days=days) + timedelta(minutes=5) for days in (70, 59, 3, 0)]

    forget_old()
    known = worth_then(acme.production, {"USD", "BRL", "MXN"}, asked)

    assert [known["USD", then] for then in asked] == [Decimal(text) for text in ("0.10", "0.20", "0.20", "0.40")]
    assert known["BRL", now - timedelta(days=3) + timedelta(minutes=5)] == 1 and ("MXN", asked[0]) not in known
    assert Rate.objects.filter(quoted_at__lt=now - timedelta(days=30)).count() < 4 + 1
