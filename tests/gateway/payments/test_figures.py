"""The figures of a period are the sums of what everybody can read payment by payment."""

import os
import random
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from accounts.base import clock
from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.payments.figures import Accepted, Paid, acceptance, volumes
from gateway.payments.models import Payment
from gateway.refunds import services as refunds
from gateway.refunds.models import Refund
from gateway.refunds.selectors import GivenBack, given_back
from tests.support.companies import Shop
from tests.support.sales import APPROVED, OF_DEBIT, REFUSED, card, later, order, sale

SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
SAO_PAULO, TOKYO = ZoneInfo("America/Sao_Paulo"), ZoneInfo("Asia/Tokyo")


def until(merchant: Merchant, moment: datetime) -> None:
    """The merchant's clock shows this."""
    later(merchant, seconds=(moment - clock.now(merchant)).total_seconds())


def test_a_day_ends_at_midnight_where_the_viewer_lives(acme: Shop, globex: Shop) -> None:
    for hour in (2, 4, 16):
        until(acme.sandbox, datetime(2027, 1, 10, hour, tzinfo=UTC))
        sale(acme.sandbox, "100.00")
    sale(globex.sandbox)

    def counted(zone: ZoneInfo) -> list[int]:
        found = volumes(acme.sandbox, Period.of_days(date(2027, 1, 8), date(2027, 1, 11), zone))["BRL"]
        assert list(found.days) == [date(2027, 1, day) for day in (8, 9, 10, 11)]
        return [day.count for day in found.days.values()]

    assert counted(SAO_PAULO) == [0, 1, 2, 0]
    assert counted(TOKYO) == [0, 0, 2, 1]


def test_volumes_are_told_by_currency_with_their_fees(acme: Shop) -> None:
    today = Period.last_days(acme.sandbox, 1, SAO_PAULO)
    sale(acme.sandbox, "100.00")
    card(acme.sandbox, "200.00")
    card(acme.sandbox, "300.00", currency="USD")
    order(acme.sandbox)

    found = volumes(acme.sandbox, today)

    assert list(found) == ["BRL", "USD"]
    assert found["BRL"].total == Paid(count=2, gross=30_000, fees=100 + 798)
    assert found["USD"].total.net == 30_000 - found["USD"].total.fees


def test_acceptance_is_what_was_paid_of_what_has_ended(acme: Shop, globex: Shop) -> None:
    today = Period.last_days(acme.sandbox, 1, SAO_PAULO)
    assert acceptance(acme.sandbox, today).total.rate is None
    for _ in range(2):
        sale(acme.sandbox)
    sale(acme.sandbox, status="EXPIRED")
    card(acme.sandbox)
    card(acme.sandbox, token=REFUSED)
    order(acme.sandbox)
    sale(globex.sandbox, status="FAILED")

    found = acceptance(acme.sandbox, today)

    assert found.methods == {"CREDIT_CARD": Accepted(1, 2), "PIX": Accepted(2, 3)}
    assert found.methods["PIX"].rate == Decimal("66.7")
    assert (found.total, found.days[today.days[0]].rate) == (Accepted(3, 5), Decimal("60.0"))


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


def test_whatever_happened_the_figures_are_the_sums(acme: Shop, globex: Shop) -> None:
    print(f"SEED={SEED}")
    chance, merchant = random.Random(SEED), acme.sandbox
    sale(merchant, "9000.00")  # so that there is enough for every refund and its fee
    for _ in range(40):
        anything(merchant, chance)
        later(merchant, seconds=chance.randint(1, 40_000))

    now = clock.now(merchant)
    for zone in (SAO_PAULO, TOKYO):
        everything = Period.last_days(merchant, 20, zone)
        some = Period(*sorted(everything.begins + (now - everything.begins) * chance.random() for _ in "ab"), zone)
        for period in (everything, some):
            _compare(merchant, period)
            assert (volumes(globex.sandbox, period), given_back(globex.sandbox, period)) == ({}, {})


def _compare(merchant: Merchant, period: Period) -> None:
    rows = list(Payment.objects.all())
    paid = [row for row in rows if row.paid_at and period.begins <= row.paid_at < period.ends]
    by_day: Counter[date] = Counter()
    for row in paid:
        assert row.paid_at
        by_day[row.paid_at.astimezone(period.zone).date()] += row.amount
    found = volumes(merchant, period).get("BRL")
    assert (found.total if found else Paid()) == Paid(len(paid), sum(by_day.values()), sum(row.fee for row in paid))
    assert {day: paid.gross for day, paid in (found.days if found else {}).items() if paid.gross} == by_day

    created = [row for row in rows if period.begins <= row.created_at < period.ends]
    ended = [row for row in created if row.status in ("PAID", "REFUNDED", "FAILED", "EXPIRED")]
    accepted = acceptance(merchant, period)
    assert accepted.total == Accepted(sum(row.paid_at is not None for row in ended), len(ended))
    assert sum(day.ended for day in accepted.methods.values()) == len(ended)

    back = [one for one in Refund.objects.all() if one.completed_at and period.begins <= one.completed_at < period.ends]
    told = given_back(merchant, period).get("BRL", GivenBack())
    assert told == GivenBack(len(back), sum(one.amount for one in back))
