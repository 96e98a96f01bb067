"""Other people's double-entry books: one transfer after the other, as the manual of each has it.

It is run by an environment of its own (`requirements.txt` beside it), in which nothing of ours is installed:
`books.py prepare`, then `books.py hordak SECONDS` or `books.py django_ledger SECONDS`, which prints transfers a second.
"""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

import dj_database_url
import django
from django.conf import settings
from django.core.management import call_command

Transfer = Callable[[], object]
WARM_UP = 10


def set_up() -> None:
    settings.configure(
        DATABASES={"default": dj_database_url.config() | {"CONN_MAX_AGE": None}},
        # The tables as the models have them: the migrations of django-ledger take long. Those of hordak make triggers.
        MIGRATION_MODULES={"django_ledger": None},
        DJANGO_LEDGER_USE_DEPRECATED_BEHAVIOR=False,
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "mptt",
            "hordak",
            "django_ledger",
        ],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        DEFAULT_CURRENCY="BRL",
        CURRENCIES=["BRL"],
        USE_TZ=True,
    )
    django.setup()


def hordak() -> Transfer:
    from django.db import transaction
    from hordak.models import Account, AccountType
    from moneyed import Money

    assets, income = (
        Account.objects.get_or_create(name=name, code=code, defaults={"type": kind, "currencies": ["BRL"]})[0]
        for name, code, kind in (("Bank", "1", AccountType.asset), ("Sales", "2", AccountType.income))
    )

    def transfer() -> None:
        with transaction.atomic():
            income.transfer_to(assets, Money("150.00", "BRL"))

    return transfer


def django_ledger() -> Transfer:
    from decimal import Decimal

    from django.contrib.auth.models import User
    from django_ledger.models import EntityModel

    admin, is_new = User.objects.get_or_create(username="admin")
    if is_new:
        made = EntityModel.create_entity("Shop", use_accrual_method=True, admin=admin, fy_start_month=1)
        made.create_chart_of_accounts(assign_as_default=True, commit=True)
        made.populate_default_coa(activate_accounts=True)
        made.create_ledger("Sales", posted=True)
    entity = EntityModel.objects.get(admin=admin)
    ledger = entity.ledgermodel_set.get()
    accounts = entity.get_default_coa_accounts()
    cash, sales = accounts.get(code="1010"), accounts.get(code="4010")
    amount = Decimal("150.00")
    lines = [
        {"account": cash, "amount": amount, "tx_type": "debit", "description": ""},
        {"account": sales, "amount": amount, "tx_type": "credit", "description": ""},
    ]
    told = {"je_txs": lines, "je_posted": True, "je_ledger_model": ledger}
    return lambda: entity.commit_txs(je_timestamp=datetime.now(UTC), **told)


def rate(transfer: Transfer, seconds: float) -> float:
    for _ in range(WARM_UP):
        transfer()
    count, began = 0, time.perf_counter()
    while time.perf_counter() < began + seconds:
        transfer()
        count += 1
    return count / (time.perf_counter() - began)


def main() -> None:
    set_up()
    if sys.argv[1] == "prepare":
        for app in ("auth", "hordak"):
            call_command("migrate", app, verbosity=0)
        call_command("migrate", run_syncdb=True, verbosity=0)
        return
    transfer = {"hordak": hordak, "django_ledger": django_ledger}[sys.argv[1]]()
    print(rate(transfer, float(sys.argv[2])))


if __name__ == "__main__":
    main()
