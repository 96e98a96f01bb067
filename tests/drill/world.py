"""The outside: companies that repeat what was not done, their payers, STP, a bank that is told by files, and staff."""

import random
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import F
from psycopg import Error
from psycopg_pool import PoolTimeout

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.methods.spei.clabe import clabe
from gateway.payments import due as payments_due
from gateway.payments.models import Payment
from gateway.payout_batches.errors import NothingToGather, NotPaidByFile
from gateway.payout_batches.models import PayoutBatch
from gateway.providers.models import ProviderAccount
from gateway.providers.routes import Place
from gateway.refunds import due as refunds_due
from gateway.refunds.models import Refund
from gateway.withdrawals import due as withdrawals_due
from gateway.withdrawals.models import Withdrawal
from tests.support import batches
from tests.support import withdrawals as w
from tests.support.api import Api, another_address
from tests.support.companies import Shop, a_shop
from tests.support.payments import a_reference
from tests.support.production import live
from tests.support.providers import connected, paid_out_by
from tests.support.receiver import Receiver
from tests.support.stp.books import deposit_message
from tests.support.stp.service import Stp
from tests.support.stp.telling import tell
from webhooks.dispatch import deliver_due

AWAY = (DatabaseError, Error, PoolTimeout, OSError, AssertionError, KeyError)
"""What somebody meets whose database dies under them."""
PAYER = {"name": "Maria Silva", "taxId": "52998224725"}
BY_FILE_FROM = 100_000
TIMES = ("sent_at", "ask_at", "leased_until", "unclear_since", "certain_by")


@dataclass
class Wish:
    """What a company wants once. It repeats it with the same key and reference until it is done."""

    kind: str
    number: int
    path: str
    body: dict[str, Any]
    key: str = field(default_factory=lambda: str(uuid.uuid4()))
    id: str = ""
    acknowledged_at: datetime | None = None
    deposit: dict[str, Any] | None = None
    """The money that the payer has sent."""

    @property
    def paid_to(self) -> str:
        return str(self.body.get("clabe", ""))


class Company:
    """Its backend, and what it wanted."""

    def __init__(self, name: str, seed: int) -> None:
        self.shop: Shop = a_shop(name)
        self.chance = random.Random(f"{seed} {name}")
        self.numbers = count(1)
        self.wishes: list[Wish] = []
        address = another_address()
        w.register(self.shop, address)
        Merchant.objects.filter(pk=self.shop.production.pk).update(withdrawal_enabled=True)
        self.api, self.sandbox = Api(self.shop.production_key, address), Api(self.shop.sandbox_key, address)
        self.bank_code = "072" if name == "Acme" else "014"

    def wish(self, kind: str, path: str, **body: Any) -> Wish:
        number = next(self.numbers)
        made = Wish(kind, number, path, body | {"reference": f"{kind}-{number}"})
        self.wishes.append(made)
        return made

    def pays_out(self) -> Wish:
        cents = self.chance.choice((self.chance.randrange(100, 9_900), self.chance.randrange(BY_FILE_FROM, 120_000)))
        to = clabe(bank=self.bank_code, city="691", account=len(self.wishes) + 1)
        about = {"companyId": self.shop.company.pk, "beneficiaryName": "José Núñez", "currency": "MXN"}
        return self.wish("withdrawal", "/withdrawals/spei", clabe=to, amount=cents / 100, **about)

    def sells(self, amount: float = 150.00) -> Wish:
        about = {"method": "SPEI", "currency": "MXN", "payer": {"name": "María Silva"}}
        return self.wish("payment", "/payments", amount=amount, **about)

    def refunds(self, sale: Wish) -> Wish:
        return self.wish("refund", f"/payments/{sale.id}/refunds", amount=sale.number % 90 + 10)

    def tries(self) -> None:
        """A payment in the sandbox, whose webhooks may go to a receiver on this machine."""
        with suppress(*AWAY):
            order = {"method": "PIX", "amount": 10, "currency": "BRL", "reference": a_reference(), "payer": PAYER}
            made = self.sandbox.post("/payments", order).json()["data"]["id"]
            self.sandbox.post(f"/simulations/payments/{made}", {"status": "PAID"})

    def ask(self, wish: Wish) -> dict[str, Any] | None:
        """None: no answer, or one to try again later."""
        with suppress(*AWAY):
            answer = self.api.post(wish.path, wish.body, key=wish.key)
            if answer.status_code == 201:
                data: dict[str, Any] = answer.json()["data"]
                wish.id, wish.acknowledged_at = data["id"], utcnow()
                return data
        return None

    def knows(self, wish: Wish) -> bool:
        """Whether the gateway still has what it acknowledged."""
        kind = {"withdrawal": "withdrawals", "payment": "payments", "refund": "refunds"}[wish.kind]
        return bool(wish.id) and self.api.get(f"/{kind}/{wish.id}").status_code == 200


class World:
    """`files` are those that the bank was handed."""

    def __init__(self, stp: Stp, receiver: Receiver, seed: int) -> None:
        self.stp, self.receiver = stp, receiver
        self.files: dict[str, str] = {}
        self.companies = [Company(name, seed) for name in ("Acme", "Globex")]
        live(self.companies[0].shop)
        live(self.companies[1].shop)
        self.account = connected("stp", stp.credentials(), "SPEI", currency="MXN")
        self.by_file = batches.bank_account(batches.BY_PAIN)
        places = [Place(self.account, largest=BY_FILE_FROM - 1), Place(self.by_file, smallest=BY_FILE_FROM)]
        paid_out_by(*places, rail="SPEI", currency="MXN")
        for company in self.companies:
            answer = company.sandbox.post("/webhooks", {"url": receiver.url, "events": ["*"]})
            assert answer.status_code == 201, answer.content
            for _ in range(3):
                self.sell(company, 100_000.00)

    def sell(self, company: Company, amount: float = 150.00) -> Wish:
        """The payer pays at once, and STP tells."""
        sale = company.sells(amount)
        if made := company.ask(sale):
            sale.deposit = self.stp.books.deposit(made["bankDetails"]["clabe"], f"{amount:.2f}")
            with suppress(*AWAY):
                tell(self.account, deposit_message(sale.deposit))
        return sale

    def trade(self, company: Company) -> None:
        company.tries()
        company.ask(company.pays_out())
        sale = self.sell(company)
        if sale.id and company.chance.random() < 0.5:
            company.ask(company.refunds(sale))

    def work(self) -> None:
        """A turn of the workers and the dispatcher."""
        with suppress(*AWAY):
            payments_due.run_due()
            withdrawals_due.run_due()
            refunds_due.run_due()
            deliver_due()
        self.stp.books.settle()

    def hand_files_over(self) -> None:
        """A turn of the staff."""
        with suppress(NothingToGather, NotPaidByFile, *AWAY):
            batch = batches.released(self.by_file, "MXN")
            self.files[batch.file_name] = batches.handed_over(batch).decode()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Everybody is at work until the block ends."""
        over = threading.Event()
        acts: list[Callable[[], None]] = [lambda one=one: self.trade(one) for one in self.companies]  # type: ignore[misc]
        threads = [
            threading.Thread(target=_again, args=(act, over, pause))
            for act, pause in (*((act, 0.02) for act in acts), (self.work, 0.1), (self.hand_files_over, 0.7))
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join(60)

    def wishes(self) -> Iterator[tuple[Company, Wish]]:
        return ((company, wish) for company in self.companies for wish in company.wishes)

    def orders(self, wish: Wish) -> int:
        """How often somebody was told to pay this: STP, or the bank by a file."""
        return self._ordered(wish.paid_to)

    def _ordered(self, paid_to: str) -> int:
        by_call = sum(one["cuentaBeneficiario"] == paid_to for one in self.stp.books.sent)
        return by_call + sum(content.count(paid_to) for content in self.files.values())

    def returns(self, sale: Wish) -> int:
        """How often STP was told to send money of a sale back."""
        assert sale.deposit
        words = f"Devolucion {sale.deposit['claveRastreo']}"
        return sum(one["conceptoPago"] == words for one in self.stp.books.sent)

    def let_time_pass(self, minutes: int) -> None:
        """Everything that waits has waited so much longer; then the workers have a turn."""
        by = timedelta(minutes=minutes)
        for model in (Withdrawal, Refund, Payment):
            names = [name for name in TIMES if name in {one.name for one in model._meta.concrete_fields}]
            model.objects.filter(account__isnull=False).update(**{name: F(name) - by for name in names})
        ProviderAccount.objects.filter(restored_at__isnull=False).update(restored_at=F("restored_at") - by)
        self.work()

    def compare_files(self) -> None:
        """Staff compare what waits here with the files that the bank has: what it has is not paid again."""
        for batch in PayoutBatch.objects.filter(account=self.by_file, state="OPEN"):
            batches.cancel(batch)
        for batch in PayoutBatch.objects.filter(account=self.by_file, state="RELEASED"):
            if batch.file_name not in self.files:
                batches.cancel(batch)
        waiting = Withdrawal.objects.filter(account=self.by_file, status="PROCESSING", sent_at=None)
        for one in waiting.select_related("merchant__company"):
            paid_to = next(wish.paid_to for _, wish in self.wishes() if wish.id == one.pk)
            if self._ordered(paid_to):
                batches.found_paid(one)


def _again(act: Callable[[], None], over: threading.Event, pause_s: float) -> None:
    while not over.wait(pause_s):
        act()
    connection.close()
