"""Reports that are slow, hostile or told by several people at once."""

import time
from typing import Any

import pytest
from django.db import connection
from structlog.testing import capture_logs

from accounts.audit import Actor
from gateway.providers.models import ProviderAccount
from gateway.settlements.errors import ReportKnown
from gateway.settlements.models import SettlementDay, SettlementLine, SettlementReport
from gateway.settlements.reports import upload
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import Payment as Money
from tests.support.adyen.books import psp
from tests.support.adyen.settlements import Batch
from tests.support.providers import enters
from tests.support.settlements import read, sweep
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def a_batch(**about: Any) -> Batch:
    batch = Batch(**about)
    batch.settled(Money(psp(), "till-7", {"value": 9900, "currency": "BRL"}, "pix", {}), "1.00")
    return batch


class Slow(dict[str, bytes]):
    def get(self, name: str, default: Any = None) -> Any:
        time.sleep(0.3)
        return super().get(name, default)


def test_a_slow_download_keeps_no_transaction_open(account: ProviderAccount, acquirer: Acquirer) -> None:
    acquirer.reports = Slow()
    with connection.cursor() as cursor:
        cursor.execute("SET idle_in_transaction_session_timeout = 100")
    try:
        assert read(account, acquirer, a_batch()).state == "READ"
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET idle_in_transaction_session_timeout")


def test_an_amount_beyond_all_bounds_is_unreadable(account: ProviderAccount, acquirer: Acquirer) -> None:
    batch = a_batch(currency="BTC")
    batch.rows[0] |= {"Gross Credit (GC)": "999999999999.99999999", "Net Credit (NC)": "999999999999.99999999"}
    batch.rows[0] |= {"Markup (NC)": "", "Scheme Fees (NC)": ""}

    with capture_logs() as logs:
        report = read(account, acquirer, batch)

    assert (report.state, "too large" in report.failure, report.due_at) == ("UNREADABLE", True, None)
    assert [one["event"] for one in logs if one["log_level"] == "critical"] == ["settlement.unreadable"]
    assert not SettlementLine.objects.exists() and not SettlementDay.objects.exists()


def test_one_file_uploaded_by_two_people_at_once_is_one_report(account: ProviderAccount) -> None:
    batch, person = a_batch(), enters()

    def uploaded() -> Any:
        try:
            return upload(Actor(person), account, batch.name, batch.file(), "From the Customer Area")
        except ReportKnown as known:
            return known

    answers = at_once(uploaded, uploaded)
    sweep()

    assert {type(one) for one in answers} == {SettlementReport, ReportKnown}
    assert SettlementLine.objects.count() == 1
