"""Months: closed in one click, proved by the books, and verified without us."""

import io
import json
import subprocess
import sys
import zipfile
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from ofxparse import OfxParser
from openpyxl import load_workbook

from accounts.base import clock
from accounts.emails.models import Email
from accounts.models import Company, Membership
from gateway.months import calendar, closing, due, selectors
from gateway.months.closing import SCRIPT
from gateway.months.models import Month, MonthFile, MonthPiece
from gateway.simulations.services import advance
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import AccountKind
from ledger.proofs.services import prove
from ledger.wallets.selectors import holdings
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.pages import Page, text_of, words
from tests.support.payments import a_payment
from tests.support.withdrawals import decide, withdrawn


def the_month(shop: Shop) -> str:
    return f"{calendar.first_day(shop.sandbox, clock.now(shop.sandbox)):%Y-%m}"


def next_month(shop: Shop, days: int = 0) -> None:
    """The clock stands on the first of the next month, half a day after its begin."""
    first = calendar.following(calendar.first_day(shop.sandbox, clock.now(shop.sandbox)))
    advance(shop.sandbox, to=calendar.begin(shop.sandbox, first) + timedelta(hours=12, days=days))
    shop.sandbox.refresh_from_db()


def closed(shop: Shop, client: Client, page: Page, label: str) -> Month:
    assert client.post(page("close_month", label)).status_code == 302
    prove()
    mine = Month.objects.filter(merchant=shop.sandbox, first=date.fromisoformat(f"{label}-01"))
    assert any(closing.proceed(mine.get(), most=3) for _ in range(20))  # as if each process ended after its slice
    assert not MonthPiece.objects.exists()
    return mine.get()


def folder_of(month: Month, path: Path) -> Path:
    for one in MonthFile.objects.filter(month=month):
        (path / one.name).write_bytes(b"".join(selectors.content(one)))
    (path / "manifest.json").write_text(month.manifest, encoding="utf-8")
    return path


def verified(*arguments: object) -> tuple[int, str]:
    run = subprocess.run([sys.executable, "-I", SCRIPT, *map(str, arguments)], capture_output=True, text=True)
    return run.returncode, run.stdout


@pytest.fixture
def acme(acme: Shop) -> Shop:
    """On the first of a month, so that all she does in days to come is in the same one, whatever day it is today."""
    next_month(acme)
    return acme


@pytest.fixture
def sealed(busy: Shop, api: Api, finance: Client, page: Page) -> Month:
    decide(api, withdrawn(api, busy, amount=50), "COMPLETED")
    label = the_month(busy)
    next_month(busy)
    return closed(busy, finance, page, label)


def test_a_month_is_sealed_as_the_books_end(
    sealed: Month, busy: Shop, viewer: Client, page: Page, tmp_path: Path
) -> None:
    wallets = selectors.sealed(sealed)["wallets"]
    assert set(wallets) == set(holdings(busy.sandbox).used)
    for currency, known in wallets.items():
        assert known["opening"]["TOTAL"] == 0
        assert sum(one["minor"] for one in known["movements"].values()) == known["ending"]["TOTAL"]
        assert known["ending"]["TOTAL"] == selectors.so_far(busy.sandbox, sealed.first)[currency].ending
    moved = wallets["BRL"]["movements"]
    assert (moved["sales"]["count"], moved["conversions"]["count"], moved["payouts"]["count"]) == (5, 1, 1)

    folder = folder_of(sealed, tmp_path)
    book = load_workbook(folder / f"onpay-{sealed.label}.xlsx")
    sales = list(book.worksheets[1].iter_rows(min_row=2, values_only=True))
    assert sum(row[5] for row in sales if row[4] == "BRL") * 100 == moved["sales"]["minor"]
    assert all(isinstance(row[0], datetime) and isinstance(row[8], datetime) for row in sales)
    assert all(Decimal(str(row[5])) - Decimal(str(row[6])) == Decimal(str(row[7])) for row in sales)
    conversions = list(book["Conversões"].iter_rows(min_row=2, values_only=True))
    assert len(conversions) == 2 and conversions[0][2:6] == (*conversions[1][4:6], *conversions[1][2:4])
    assert "America/Sao_Paulo" in book.worksheets[1]["A1"].value
    with (folder / f"onpay-{sealed.label}-BRL.ofx").open("rb") as file:
        account = OfxParser.parse(file).account
    ending = Decimal(wallets["BRL"]["ending"]["AVAILABLE"]) / 100
    assert account.statement.balance == ending == sum(one.amount for one in account.statement.transactions)
    assert len({one.id for one in account.statement.transactions}) == len(account.statement.transactions)
    assert (folder / f"onpay-{sealed.label}.pdf").read_bytes().startswith(b"%PDF-")

    shown = viewer.get(page("month", sealed.label))
    assert "Proved by the books" in words(shown) and sealed.seal in words(shown)
    archive = zipfile.ZipFile(io.BytesIO(viewer.get(page("month_files", sealed.label)).getvalue()))  # type: ignore[attr-defined]
    assert archive.testzip() is None and f"onpay-{sealed.label}/verify_month.py" in archive.namelist()


def test_a_changed_byte_is_found_offline(sealed: Month, tmp_path: Path) -> None:
    folder = folder_of(sealed, tmp_path)
    merchant = sealed.merchant
    whose = f"Month {sealed.label}, {merchant.environment}, tax ID {merchant.company.tax_id}\n"
    assert verified(folder, sealed.seal) == (0, f"{whose}All files are as they were sealed.\n")
    (folder / "more.xlsx").write_bytes(b"")
    assert verified(folder)[1].endswith(f":\n{sealed.seal}\nNot part of the sealed month: more.xlsx\n")

    book = folder / f"onpay-{sealed.label}.xlsx"
    changed = bytearray(book.read_bytes())
    changed[100] ^= 1
    book.write_bytes(changed)
    (folder / f"onpay-{sealed.label}-BRL.ofx").unlink()
    assert verified(folder, sealed.seal) == (
        1, f"WRONG: onpay-{sealed.label}-BRL.ofx is missing\nWRONG: onpay-{sealed.label}.xlsx was changed\n",
    )  # fmt: skip
    manifest = json.loads(sealed.manifest)
    manifest["files"] = []
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert verified(folder, sealed.seal) == verified(folder, "") == (1, "WRONG: manifest.json is not what was sealed\n")
    for unreadable in ("[" * 200_000, json.dumps(manifest | {"company": {}})):
        (folder / "manifest.json").write_text(unreadable)
        assert verified(folder) == (1, "WRONG: manifest.json cannot be read\n")
    (folder / "manifest.json").write_text(json.dumps(manifest | {"month": "1\nAll files are as they were sealed."}))
    assert "\nAll files are as they were sealed." not in verified(folder)[1]


def test_what_is_written_late_is_in_the_next_month(acme: Shop, finance: Client, page: Page) -> None:
    a_payment(acme.sandbox, "PAID", "100.00")
    label = the_month(acme)
    paid_at = clock.now(acme.sandbox)
    next_month(acme)
    first = closed(acme, finance, page, label)
    after = the_month(acme)
    moves = [Move(700, debit=Side(AccountKind.OWN_FUNDS, "", "BRL"), credit=wallet(AccountKind.AVAILABLE, "BRL"))]
    post(acme.sandbox, "correction", "late", moves, paid_at)
    Company.objects.filter(pk=acme.company.pk).update(country="MX")  # its months begin three hours later from then on
    acme.sandbox.company.refresh_from_db()
    next_month(acme)
    second = closed(acme, finance, page, after)

    one, two = (selectors.sealed(month)["wallets"]["BRL"] for month in (first, second))
    assert one["ending"] == two["opening"] and one["movements"]["sales"] == {"count": 1, "minor": 10000}
    assert two["earlier"] == {"count": 1, "minor": 700}
    assert second.begins == first.ends and second.ends == calendar.begin(acme.sandbox, calendar.following(second.first))
    assert two["ending"]["TOTAL"] == one["ending"]["TOTAL"] + 700
    assert selectors.sealed(second)["previous"] == {"month": first.label, "seal": first.seal}


def test_nothing_is_sealed_that_is_not_over_or_not_proved(acme: Shop, finance: Client, page: Page) -> None:
    a_payment(acme.sandbox, "PAID", "100.00")
    label = the_month(acme)
    assert finance.post(page("close_month", label)).status_code == 409
    assert "nothing is sealed" in text_of(finance.get(page("month", label)))
    next_month(acme)

    finance.post(page("close_month", label))
    due.run_due()  # the books were not proved since

    month = Month.objects.get()
    assert (month.state, month.waits_for, month.seal, MonthFile.objects.count()) == ("CLOSING", "PROOF", "", 0)
    assert "waits for the next proof" in text_of(finance.get(page("month", label)))
    assert finance.get(page("month_file", label, "manifest.json")).status_code == 404
    assert finance.post(page("close_month", label)).status_code == 409

    prove()
    assert not closing.proceed(month, most=1)
    assert "1 of 1 movement is written" in text_of(finance.get(page("month", label)))
    assert MonthFile.objects.count() == 0


def test_on_the_first_it_closes_by_itself_and_is_sent(
    acme: Shop, owner: Client, viewer: Client, page: Page, settings: Any
) -> None:
    settings.SANDBOX_NOTICES = True
    a_payment(acme.sandbox, "PAID", "100.00")
    label = the_month(acme)
    reader = Membership.objects.get(company=acme.company, role="VIEWER").user
    assert viewer.post(page("month_readers"), {"reader": [reader.pk]}).status_code == 403
    assert owner.post(page("month_readers"), {"reader": [reader.pk]}).status_code == 302
    assert selectors.readers(acme.sandbox) == [reader]
    next_month(acme)
    prove()
    due.run_due()

    assert Month.objects.get().label == label
    email = Email.objects.get(kind="month_sealed")
    assert email.recipient == reader.email
    assert Month.objects.get().seal in email.text and f"/months/{label}/" in email.text


def test_another_company_has_no_part_in_it(sealed: Month, stranger: Client, support: Client, page: Page) -> None:
    for name in ("month", "month_files"):
        assert stranger.get(page(name, sealed.label)).status_code == 404
        assert support.get(page(name, sealed.label)).status_code == 403
