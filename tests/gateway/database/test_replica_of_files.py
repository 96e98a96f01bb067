"""Files are read from a replica a piece at a time, and are whole whatever becomes of it on the way."""

import csv
import io
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.test import Client

from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.models import ApiKey, AuditEntry, Merchant, User
from gateway.database.replica import REPLICA
from gateway.months import calendar, closing, due, selectors, services
from gateway.months.models import Month, MonthFile, MonthPiece
from gateway.requests.models import ApiRequest
from ledger.proofs.services import prove
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import PASSWORD, a_member, browser_of, signed_in
from tests.support.standby import Standby, counted, dying_at, on_standby

pytestmark = [pytest.mark.a_third_a_day, pytest.mark.django_db(transaction=True)]

REQUESTS = 1200
"""Three pieces of a file."""


def asked(shop: Shop, number: int, path: str = "/payments") -> list[str]:
    """The ids of so many requests of the company, newest first."""
    key, now = ApiKey.objects.filter(merchant=shop.sandbox).earliest("created_at"), utcnow()
    made = ApiRequest.objects.bulk_create(
        ApiRequest(
            merchant=shop.sandbox,
            api_key=key,
            method="GET",
            path=path,
            status=200,
            elapsed_ms=1,
            created_at=now - timedelta(seconds=n),
        )
        for n in range(number)
    )
    return [one.pk for one in made]


def read_since(before: dict[str, float]) -> dict[str, float]:
    return {who: count - before[who] for who, count in counted().items()}


def in_file(content: bytes) -> list[str]:
    """The last column of each row."""
    return [row[-1] for row in csv.reader(io.StringIO(content.decode()))][1:]


@pytest.fixture
def file(standby: Standby, acme: Shop) -> Iterator[bytes]:
    """The requests of acme as a file, as it is sent."""
    browser = signed_in(a_member(acme.company))
    stream: Iterator[bytes] = browser.get(
        f"/dashboard/{acme.company.pk}/sandbox/requests/", {"format": "csv"}
    ).streaming_content  # type: ignore[attr-defined]
    return _begun(stream)


def _begun(stream: Iterator[bytes]) -> Iterator[bytes]:
    """Its titles and the first piece, then the others."""
    yield next(stream) + next(stream)
    yield from stream


def test_a_file_is_read_there_and_has_what_was_done_meanwhile(
    standby: Standby, acme: Shop, file: Iterator[bytes]
) -> None:
    ids, before = asked(acme, REQUESTS), counted()
    begun = next(file)
    ApiRequest.objects.filter(pk=ids[700]).update(path="/seen")

    rows = in_file(content := begun + b"".join(file))

    assert rows == ids and content.count(b"/seen") == 1
    assert read_since(before) == {"replica": 3, "primary": 0}


def test_a_file_goes_on_from_the_primary_where_the_replica_lags(
    standby: Standby, acme: Shop, file: Iterator[bytes], settings: object
) -> None:
    ids, before = asked(acme, REQUESTS), counted()
    begun = next(file)
    on_standby("SELECT pg_wal_replay_pause()")
    settings.REPLICA_PATIENCE_MS = 30  # type: ignore[attr-defined]
    ApiRequest.objects.filter(pk=ids[700]).update(path="/seen")

    try:
        rows = in_file(content := begun + b"".join(file))
    finally:
        on_standby("SELECT pg_wal_replay_resume()")

    assert rows == ids and content.count(b"/seen") == 1
    assert read_since(before) == {"replica": 1, "primary": 2}


def test_a_file_is_whole_though_the_replica_dies_in_the_middle(
    standby: Standby, acme: Shop, file: Iterator[bytes]
) -> None:
    ids, before = asked(acme, REQUESTS), counted()
    begun = next(file)

    with dying_at(standby, "gateway_apirequest") as died:
        rows = in_file(begun + b"".join(file))

    assert rows == ids and len(died) == 1
    assert read_since(before) == {"replica": 1, "primary": 2}


def test_a_file_of_staff_is_whole_and_in_the_audit_log_once(standby: Standby, acme: Shop) -> None:
    ids = asked(acme, REQUESTS)
    staff = browser_of(User.objects.create_superuser("root@onpay.example", PASSWORD))
    before = counted()
    stream = staff.get("/admin/gateway/apirequest/export/").streaming_content  # type: ignore[attr-defined]
    assert read_since(before) == {"replica": 2, "primary": 0}, "the list, and whether it is too long"
    assert AuditEntry.objects.filter(action="api_request.exported").count() == 1

    begun = next(stream) + next(stream)
    assert read_since(before) == {"replica": 3, "primary": 0}
    with dying_at(standby, "gateway_apirequest") as died:
        content = begun + b"".join(stream)

    assert [row[0] for row in csv.reader(io.StringIO(content.decode()))][1:] == sorted(ids, reverse=True)
    assert len(died) == 1 and AuditEntry.objects.filter(action="api_request.exported").count() == 1


def test_nothing_is_tried_on_the_replica_that_it_would_refuse(standby: Standby, acme: Shop) -> None:
    """A page that writes begins on the primary: nothing of it is read, or done, twice."""
    asked(acme, 1)
    staff = browser_of(User.objects.create_superuser("root@onpay.example", PASSWORD))
    statements: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append(sql)
        return execute(sql, params, many, context)

    with connections[REPLICA].execute_wrapper(note):
        content = b"".join(staff.get("/admin/gateway/apirequest/export/").streaming_content)  # type: ignore[attr-defined]

    assert content.count(b"\n") == 2 and any("gateway_apirequest" in sql for sql in statements)
    assert not [sql for sql in statements if not sql.lstrip().startswith(("SELECT", "SET"))]
    assert AuditEntry.objects.filter(action="api_request.exported").count() == 1


def a_month_to_close(shop: Shop) -> Month:
    for _ in range(7):
        a_payment(shop.sandbox, "PAID", "100.00")
    month = calendar.first_day(shop.sandbox, clock.now(shop.sandbox))
    ends = calendar.begin(shop.sandbox, calendar.following(month))
    offset = ends - utcnow() + timedelta(hours=12)
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=offset)
    shop.sandbox.refresh_from_db()
    return services.close(shop.sandbox, month, by=None)


def sales_of(month: Month) -> dict[str, int]:
    sales: dict[str, int] = selectors.sealed(month)["wallets"]["BRL"]["movements"]["sales"]
    return sales


def test_a_month_is_read_there_and_sealed_by_the_primary(standby: Standby, acme: Shop) -> None:
    month = a_month_to_close(acme)
    prove()
    before = counted()

    assert due.run_due()

    month.refresh_from_db()
    assert month.state == "SEALED" and sales_of(month) == {"count": 7, "minor": 70_000}
    read = read_since(before)
    assert read["replica"] >= 3 and read["primary"] == 0


def test_a_month_goes_on_and_is_whole_though_the_replica_dies(standby: Standby, acme: Shop, globex: Shop) -> None:
    month, other = a_month_to_close(acme), a_month_to_close(globex)
    prove()
    assert not closing.proceed(month, most=3)
    month.refresh_from_db()
    before = counted()

    with dying_at(standby, "ledger_entry") as died:
        assert not closing.proceed(month, most=3)
    month.refresh_from_db()
    assert len(died) == 1 and month.done == 6
    assert any(closing.proceed(Month.objects.get(pk=month.pk), most=3) for _ in range(5))
    assert closing.proceed(other)

    month, other = Month.objects.get(pk=month.pk), Month.objects.get(pk=other.pk)
    assert read_since(before)["primary"] >= 2
    assert sales_of(month) == sales_of(other) == {"count": 7, "minor": 70_000}
    assert selectors.sealed(month)["books"]["transfers"] == selectors.sealed(other)["books"]["transfers"] == 7
    assert not MonthPiece.objects.exists()


def test_the_files_of_a_month_are_whole_though_the_replica_dies(standby: Standby, acme: Shop) -> None:
    month = a_month_to_close(acme)
    prove()
    assert closing.proceed(month)
    month.refresh_from_db()
    browser = signed_in(a_member(acme.company))
    page = f"/dashboard/{acme.company.pk}/sandbox/months/{month.label}/"

    def archive(client: Client) -> zipfile.ZipFile:
        return zipfile.ZipFile(io.BytesIO(client.get(f"{page}all").getvalue()))  # type: ignore[attr-defined]

    with dying_at(standby, "gateway_monthfilepart") as died:
        found = archive(browser)

    assert found.testzip() is None and died
    for one in MonthFile.objects.filter(month=month):
        assert found.read(f"onpay-{month.label}/{one.name}") == b"".join(selectors.content(one))
