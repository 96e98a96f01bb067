"""Staff try the columns of a bank's CSV on a sample, and see which rates are in use."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from playwright.sync_api import expect

from accounts.base.clock import utcnow
from accounts.models import User
from ledger.rates import services as rates
from tests.support.bank_accounts import a_bank_account
from tests.support.browser import Watched
from tests.support.people import browser_of
from tests.support.proposals import action

CSV = "Data;Histórico;Valor;Saldo\n05/10/2026;PIX RECEBIDO;1.012,50;1.112,50\n06/10/2026;TARIFA;-0,50;1.112,00\n"


def signed_in(watched: Watched) -> User:
    staff = User.objects.create_superuser("staff@onpay.example", "correct horse battery staple")
    cookies = [{"name": name, "value": one.value} for name, one in browser_of(staff).cookies.items()]
    watched.page.context.add_cookies([one | {"url": watched.origin} for one in cookies])  # type: ignore[arg-type]
    return staff


def test_the_columns_of_a_csv_are_tried_on_a_sample(watched: Watched, transactional_db: None, tmp_path: Path) -> None:
    signed_in(watched)
    sample = tmp_path / "extrato.csv"
    sample.write_text(CSV)

    page = watched.go(action(a_bank_account(), "columns"))
    for name, text in {"booked_on": "Data", "amount": "Valor", "balance": "Saldo", "text": "Histórico"}.items():
        page.locator(f"[name={name}]").fill(text)
    page.get_by_label("Note").fill("The file of Monday")
    page.locator("input[type=file]").set_input_files(sample)
    page.get_by_role("button", name="Preview or propose").click()
    expect(page.get_by_text("2 movements of 1012.00 BRL; balances: 100.00 to 1112.00.")).to_be_visible()
    assert watched.overflow() == 0
    page.get_by_label("The preview says what the bank's own page says: propose it").check()
    page.get_by_role("button", name="Preview or propose").click()
    expect(page.get_by_text("A second staff member must confirm this").first).to_be_visible()
    assert watched.overflow() == 0


def test_the_list_of_rates_begins_with_those_in_use(watched: Watched, transactional_db: None) -> None:
    staff = signed_in(watched)
    rates.record({"BRL": Decimal(1), "USD": Decimal("0.18"), "MXN": Decimal("3.2")}, utcnow())
    rates.enter("USD", Decimal("0.19"), timedelta(hours=1), staff, "The provider is away", confirmed=True)

    page = watched.go("/admin/ledger/rate/")

    expect(page.get_by_text("Rates in use")).to_be_visible()
    expect(page.get_by_text("in place of the market's").first).to_be_visible()
    assert watched.overflow() == 0
