"""Ten jobs of a finance person, by a robot that reads the pages: three clicks or one search each."""

import io
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from django.db import connection
from django.utils import formats, translation
from openpyxl import load_workbook

from accounts.models import User
from gateway.months import due
from gateway.refunds.models import Refund
from gateway.withdrawals.models import Withdrawal
from ledger.money import to_decimal
from ledger.proofs.services import prove
from ledger.wallets.selectors import holdings
from tests.support.browser import Watched
from tests.support.desks import FINANCE, Desks
from tests.support.pdf import poppler
from tests.support.people import signed_in_twice
from tests.support.robot import Robot, plain


@pytest.fixture
def robot(watched: Watched, desks: Desks, spoken: str) -> Iterator[Robot]:
    """Fina, at the first page of the dashboard."""
    User.objects.filter(email=FINANCE).update(language=spoken)
    watched.enters(signed_in_twice(User.objects.get(email=FINANCE)))
    with Robot(watched, spoken).at_work("/dashboard/") as found:
        yield found


def test_find_a_payment_by_its_amount(robot: Robot) -> None:
    robot.searches("642,17")
    robot.reads(robot.money("642.17"), "Maria Silva")


def test_sales_of_last_month_by_method_against_the_month_before(robot: Robot) -> None:
    robot.clicks("Sales")
    robot.clicks("Last month")
    robot.reads(robot.word("Sales by method"), robot.money("310.40"), robot.money("89.60"), robot.money("400.00"))


def test_give_part_of_a_payment_back(robot: Robot) -> None:
    robot.searches("642,17")
    robot.types("Amount", "42,17")
    robot.clicks("Refund this part")
    robot.clicks("Refund %(amount)s", amount=robot.money("42.17"))
    robot.reads(robot.word("The refund is in progress."), robot.money("42.17"))
    assert Refund.objects.filter(amount=4217, payment__amount=64217).exists()


def test_explain_a_balance(robot: Robot, desks: Desks) -> None:
    available = holdings(desks.shop.sandbox, "BRL").currencies["BRL"].available
    robot.clicks_on(robot.money(str(to_decimal(available, "BRL"))))
    robot.reads(robot.word("Matches the balance to the cent"), robot.word("Withdrawals"))


def test_close_last_month_and_get_its_workbook(robot: Robot, desks: Desks) -> None:
    month = the_month(desks.last_month, robot.language)
    robot.clicks("Months")
    robot.clicks("Close the month", near=month)
    meanwhile(lambda: (prove(), due.run_due()))
    robot.looks_again()
    [workbook] = [name for name in robot.sees().split() if name.endswith(".xlsx")][:1]
    assert load_workbook(io.BytesIO(robot.gets(workbook)), read_only=True).sheetnames


def the_month(label: str, language: str) -> str:
    with translation.override(language):
        return plain(formats.date_format(date.fromisoformat(f"{label}-01"), "YEAR_MONTH_FORMAT"))


def meanwhile(work: Callable[[], object]) -> None:
    """What the background does: in a thread of its own, as the browser's driver has the loop of this one."""

    def done() -> None:
        work()
        connection.close()

    with ThreadPoolExecutor(1) as other:
        other.submit(done).result()


def test_approve_a_withdrawal(robot: Robot) -> None:
    robot.clicks("A withdrawal of %(amount)s waits for approval", amount=robot.money("1250.75"))
    robot.clicks("Approve")
    robot.reads(robot.money("1250.75"), robot.word("Approved"))
    assert Withdrawal.objects.get(amount=125075).approvals_given == 1


def test_answer_a_dispute_with_the_evidence_pack(robot: Robot) -> None:
    robot.clicks("A payer requested a refund of %(amount)s: answer in time", amount=robot.money("77.31"))
    robot.clicks("Add it to the answer")
    robot.reads(robot.word("Evidence pack"), ".pdf", robot.word("Review before sending"))


def test_the_receipt_of_a_withdrawal(robot: Robot) -> None:
    robot.searches("paper-150.25")
    receipt = poppler("pdftotext", "-", "-", pdf=robot.gets("Receipt")).decode()
    assert "R$ 150,25" in plain(receipt)


def test_make_a_payment_link_and_copy_it(robot: Robot) -> None:
    robot.clicks("New payment link")
    robot.types("What is paid", "Consulting in November")
    robot.types("Amount", "80,00")
    robot.clicks("Make the link")
    robot.clicks("Copy")
    robot.reads("Consulting in November", "/pay/", robot.word("Copied"))


def test_the_money_of_the_next_30_days(robot: Robot) -> None:
    robot.clicks("Receivables")
    robot.clicks("Money ahead")
    robot.reads(robot.word("Money ahead"), robot.money("288.03"))
