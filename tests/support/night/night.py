"""The night: what is ordered, what the bank makes of it with its mistakes, and what we find in its files."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.payments.models import Payment
from gateway.payout_batches.models import BatchOrder
from gateway.reconciliation.models import BankAccount, BankStatement, LineKind, LinePart
from gateway.suspense.models import SuspenseItem
from tests.support.bank_accounts import booked
from tests.support.batches import gathered
from tests.support.night import paper
from tests.support.night.bank import Account, Movement, Order, Slip, orders_of, slips_of
from tests.support.night.ours import COLLECTS, FIRST_NUMBER, PAYS, order_boletos, prepared, withdraw
from tests.support.night.paper import Event
from tests.support.night.planted import Planted, answer_about, line_of, of_last_week

T = TypeVar("T")
REGISTERED, REFUSED, PAID, WITHDRAWN, PROTESTED = "02", "03", "06", "09", "23"
KEPT = 210
"""What the bank keeps of each boleto, in cents."""
FEE, UNKNOWN_CODE = "TAR", "XYZ"
NOBODYS = "NOBODYS0ORDER0000001"
DIRECT_DEBIT = "PMNT-RDDT-ESDD"


class Night:
    """`figures` are what was done, how many, and the seconds. `truth` is what each debit pays, by its reference."""

    def __init__(self, merchants: Sequence[Merchant], boletos: int, withdrawals: int) -> None:
        self.merchants, self.boletos, self.withdrawals = merchants, boletos, withdrawals
        self.figures: list[tuple[str, int, float]] = []
        self.planted: list[Planted] = []
        self.truth: dict[str, set[str]] = {}
        self.today = utcnow().date()
        self.collects, self.pays = Account(COLLECTS, 0), Account(PAYS, 90_000_000_00)

    def pass_(self) -> None:
        self.ours = prepared(self.merchants)
        self.pays.move(1_00, text="DEPOSITO INICIAL")
        self.collects.move(1_00, text="DEPOSITO INICIAL")
        yesterday = self.today - timedelta(1)
        before = [(self.ours.collects, paper.statement_240, self.collects), (self.ours.pays, paper.camt053, self.pays)]
        self.before = [(account, write, bank.close(yesterday)) for account, write, bank in before]
        for account, write, told in self.before:
            assert self.gets("statements of the day before", 1, account, write(told)) == "TAKEN"
        self.collect()
        self.pay()
        self.state()

    # ── Boletos ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def collect(self) -> None:
        order_boletos(self.ours, self.boletos)
        file = self.timed("boletos written to be registered", self.boletos, self.ours.registration)
        slips = slips_of(file)
        assert len(slips) == len({one.number for one in slips}) == self.boletos
        refused, twice, late, other, protested, *plain = slips
        unpaid, paid = plain[0], plain[1:]
        says = [Event(one, REFUSED if one is refused else REGISTERED) for one in slips]
        account = self.ours.collects
        self.gets("boletos registered by a return", len(says), account, self.returned(1, says))
        self.gets("boletos withdrawn by a return", 1, account, self.returned(2, [Event(late, WITHDRAWN)]))
        foreign = Slip("77", 55_00)
        money = [Event(one, PAID, one.cents, KEPT) for one in (*paid, protested, twice, twice, late, foreign)]
        says = [*money, Event(other, PAID, other.cents - 1, KEPT), Event(protested, PROTESTED)]
        content = self.returned(3, says)
        self.file("collection return that is cut off", "UNREADABLE", account, content[: -2 * 242])
        assert self.gets("boletos paid by a return", len(says), account, content) == "TAKEN"
        held = SuspenseItem.objects.filter(line_id="").count()
        again = self.returned(3, [*says[-9:], Event(unpaid, REGISTERED)])
        self.file("collection return made anew", "TAKEN", account, again)
        self.plant("money that is told twice", str(held), lambda: str(SuspenseItem.objects.filter(line_id="").count()))
        self.plant("boleto refused", "FAILED", lambda: self.payment(refused).status)
        self.plant("unknown event of a boleto", "PAID", lambda: self.payment(protested).status)
        for name, slip, status, cause in (
            ("boleto paid twice", twice, "PAID", "PAID_TWICE"),
            ("boleto paid late", late, "EXPIRED", "LATE"),
            ("boleto paid with another amount", other, "PENDING", "OTHER_AMOUNT"),
        ):
            self.plant(name, f"{status} {cause}", lambda slip=slip: self.held(slip))  # type: ignore[misc]
        self.plant(
            "boleto of somebody else", "UNKNOWN_CHARGE", lambda: SuspenseItem.objects.get(amount=foreign.cents).cause
        )
        credited = sum(one.paid - one.fee for one in says)
        self.line("charges kept of the credit of a day", "EXPLAINED", self.collects.move(credited, text="COBRANCA"))

    def returned(self, sequence: int, says: Sequence[Event]) -> bytes:
        return paper.collection_return(COLLECTS, self.today, sequence, says)

    def payment(self, slip: Slip) -> Payment:
        return Payment.objects.get(pk=f"pay_{int(slip.number) - FIRST_NUMBER:026d}")

    def held(self, slip: Slip) -> str:
        payment = self.payment(slip)
        return " ".join([payment.status, *SuspenseItem.objects.filter(payment=payment).values_list("cause", flat=True)])

    # ── Withdrawals ─────────────────────────────────────────────────────────────────────────────────────────────────
    def pay(self) -> None:
        withdraw(self.ours, self.withdrawals)
        file = self.timed("withdrawals written into a file", self.withdrawals, self.ours.payment_file)
        orders = {one.number: one for one in orders_of(file)}
        ours = BatchOrder.objects.filter(withdrawal__reference__startswith="night-").order_by("withdrawal_id")
        known = [(orders[one.number], one.withdrawal.rail) for one in ours.select_related("withdrawal")]
        assert len(known) == len(orders) == self.withdrawals
        pix, teds = ([order for order, rail in known if rail == wanted] for wanted in ("PIX", "BANK_TRANSFER"))
        self.answer(file, pix, teds)
        self.debit(pix, teds)

    def answer(self, file: bytes, pix: Sequence[Order], teds: Sequence[Order]) -> None:
        """The bank's returns, before its statement."""
        review, unknown, other, rejected, paid = pix[7:12]
        codes = {one.number: "00" for one in (*pix, *teds)}
        codes |= {review.number: "BS", unknown.number: "ZZ", rejected.number: "AG", teds[0].number: "00DV"}
        first = paper.payment_return(file, codes, {other.number: other.cents - 1})
        lines = first.decode().splitlines()
        short = "\r\n".join([*lines[:-1], lines[-1][:23] + f"{len(lines) - 1:06d}" + lines[-1][29:]]).encode()
        account = self.ours.pays
        self.file("trailer that counts a line too few", "INCOMPLETE", account, short)
        assert self.gets("orders answered by a return", len(codes), account, first) == "TAKEN"
        self.file("return sent twice", "known", account, first)
        self.gets("", 1, account, paper.payment_return(file, {pix[15].number: "00"}, {}))
        self.gets("", 2, account, paper.payment_return(file, {rejected.number: "00", paid.number: "AG"}, {}))
        foreign = file.replace(pix[14].number.encode(), NOBODYS.encode())
        self.gets("", 1, account, paper.payment_return(foreign, {NOBODYS: "00"}, {}))
        for name, order, wanted in (
            ("BS, under review", review, "NOTED"),
            ("unknown code", unknown, "NOTED"),
            ("another amount in the answer", other, "OTHER_AMOUNT"),
            ("paid after it was rejected", rejected, "CONTRADICTS"),
            ("rejected after it was paid", paid, "CONTRADICTS"),
            ("the same answer in a new file", pix[15], "REPEATED"),
            ("an order that nobody gave", Order(NOBODYS, 0), "UNKNOWN_ORDER"),
        ):
            self.plant(name, wanted, lambda order=order: answer_about(order.number))  # type: ignore[misc]
        self.status("BS promises nothing", review, "PROCESSING")

    def debit(self, pix: Sequence[Order], teds: Sequence[Order]) -> None:
        """What the bank books."""
        merged, cent, twice, split, reversed_, part = pix[:2], *pix[2:7]
        review, unknown, other, rejected, _, collected, unnamed, later = pix[7:15]
        special = {one.number for one in (*merged, cent, split, review, unnamed, later)}
        for one in (*pix, *teds):
            if one.number not in special and one is not rejected:
                self.debits(one)
        move, line, out = self.pays.move, self.line, "PIX ENVIADO"
        line("one cent off", "SUSPENSE AMOUNT_DIFFERS", move(1 - cent.cents, text=out, number=cent.number))
        line("a line twice", "SUSPENSE PAID_TWICE", move(-twice.cents, text=out, number=twice.number))
        for cents in (100, split.cents - 100):
            line("a payment in two lines", "SUSPENSE AMOUNT_DIFFERS", move(-cents, text=out, number=split.number))
        both = move(-sum(one.cents for one in merged), text="PIX ENVIADO 2")
        self.truth[both.reference] = {one.number for one in merged}
        line("merged transfers", "EXPLAINED WITHDRAWAL", both)
        back = move(reversed_.cents, text="ESTORNO", number=reversed_.number, is_reversed=True)
        line("a reversed line", "SUSPENSE REVERSED", back)
        line(
            "PIX returned in part",
            "SUSPENSE AMOUNT_DIFFERS",
            move(part.cents - 1, text="DEVOLUCAO", number=part.number),
        )
        line("paid after it failed", "SUSPENSE PAID_AFTER_FAILED", self.debits(rejected))
        line("collected by somebody else", "SUSPENSE UNKNOWN", move(-1234, number=collected.number, code=DIRECT_DEBIT))
        alone = move(-unnamed.cents, text=out)
        self.truth[alone.reference] = {unnamed.number}
        line("a debit that names nothing", "EXPLAINED WITHDRAWAL", alone)
        line("another value date", "EXPLAINED WITHDRAWAL", self.debits(later, value_on=self.today + timedelta(1)))
        self.status("an unknown code, and then the debit", unknown, "COMPLETED")
        self.status("another amount answered, and then the debit", other, "COMPLETED")
        for index, name in enumerate(("TED returned by the return file", "TED returned by the statement")):
            credit = move(teds[index].cents, text="TED DEVOLVIDA", number=teds[index].number, is_reversed=not index)
            line(name, "EXPLAINED WITHDRAWAL_BACK", credit)
            self.status(name, teds[index], "RETURNED")
        self.never_handed_over()
        line("charges", "EXPLAINED BANK_FEE", move(-990, text="TARIFA", code=FEE))
        line("an unknown fee", "SUSPENSE UNKNOWN", move(-1990, text="CESTA", code=UNKNOWN_CODE))
        fee = move(-150, text="TARIFA", code=FEE)
        line("a charge that is taken back", "REVERSED", fee)
        move(150, text="ESTORNO", code=FEE, same_as=fee, is_reversed=True)
        mistake = move(700, text="CREDITO")
        line("a credit that is taken back", "REVERSED", mistake)
        move(-700, text="ESTORNO", same_as=mistake, is_reversed=True)
        line("money of somebody", "SUSPENSE UNKNOWN", move(4321, text="PIX RECEBIDO"))
        line("a transfer of ours arrives", "EXPLAINED TRANSFER", move(50_000, text="TRANSF", other=COLLECTS))
        line("a transfer of ours leaves", "EXPLAINED TRANSFER", self.collects.move(-50_000, text="TRANSF"))

    def debits(self, order: Order, **said: Any) -> Movement:
        made = self.pays.move(-order.cents, text="PAGAMENTO", number=order.number, **said)
        self.truth[made.reference] = {order.number}
        return made

    def never_handed_over(self) -> None:
        """An order that waits in a batch; somebody has told the bank."""
        withdraw(self.ours, 1, first=self.withdrawals)
        (order,) = BatchOrder.objects.filter(batch=gathered(self.ours.payer))
        line = self.pays.move(-order.amount, text="PAGAMENTO", number=order.number)
        self.line("an order that was not handed over", "SUSPENSE UNEXPECTED", line)

    # ── Statements ──────────────────────────────────────────────────────────────────────────────────────────────────
    def state(self) -> None:
        """Those of the night, and all that are none."""
        tomorrow = self.today + timedelta(1)
        told, of_boletos = self.pays.close(self.today), self.collects.close(self.today)
        self.pays.move(-7, text="AJUSTE")
        early = self.pays.close(tomorrow)
        (collects, write_240, old), (pays, write_camt, _) = self.before
        wrong: list[tuple[str, str, BankAccount, bytes]] = [
            ("yesterday's statement", "KNOWN", collects, write_240(old) + b"\r\n"),
            (
                "yesterday's number with other lines",
                "ALTERED",
                collects,
                write_240(old.changed(opening=5, closing=105)),
            ),
            ("a statement of last week", "OLD", collects, write_240(of_last_week(old))),
            ("a statement before the one that is missing", "GAP", pays, write_camt(early)),
            ("another branch", "OTHER_ACCOUNT", pays, write_camt(told.changed(numbers=PAYS | {"branch": "9999"}))),
            ("another currency", "OTHER_CURRENCY", pays, write_camt(told.changed(currency="USD"))),
            (
                "a closing balance that is one cent off",
                "UNREADABLE",
                pays,
                write_camt(told.changed(closing=told.closing + 1)),
            ),
        ]
        for name, cause, account, content in wrong:
            self.file(name, cause, account, content)
        assert self.gets("lines of a statement, camt.053", len(told.movements), pays, write_camt(told)) == "TAKEN"
        counted = len(of_boletos.movements)
        assert self.gets("lines of a statement, CNAB 240", counted, collects, write_240(of_boletos)) == "TAKEN"
        self.file("the one that had come too early, again", "TAKEN", pays, write_camt(early))

    # ── What is found ───────────────────────────────────────────────────────────────────────────────────────────────
    def plant(self, name: str, wanted: str, found: Callable[[], str]) -> None:
        self.planted.append(Planted(name, wanted, found))

    def line(self, name: str, wanted: str, movement: Movement) -> None:
        self.plant(name, wanted, lambda: line_of(movement.reference, wanted))

    def status(self, name: str, order: Order, wanted: str) -> None:
        self.plant(name, wanted, lambda: BatchOrder.objects.get(number=order.number).withdrawal.status)

    def file(self, name: str, wanted: str, account: BankAccount, content: bytes) -> None:
        found = self.gets("", 1, account, content)
        self.plant(name, wanted, lambda: found)

    def amiss(self) -> list[str]:
        """Deviations that ended otherwise than they should, wrong matches, and money that was paid twice."""
        found = [f"{one.name}: {said}, not {one.wanted}" for one in self.planted if (said := one.found()) != one.wanted]
        numbers = dict(BatchOrder.objects.values_list("withdrawal_id", "number"))
        parts = LinePart.objects.filter(kind=LineKind.WITHDRAWAL, undone_by="").select_related("line")
        paid: dict[str, set[str]] = {}
        for part in parts:
            assert part.line is not None
            paid.setdefault(part.line.reference, set()).add(numbers[part.object_id])
        found += [f"{one}: {what}" for one, what in paid.items() if what != self.truth.get(one)]
        if len(parts) != len({part.object_id for part in parts}):
            found.append("a withdrawal has two debits")
        for account, bank in ((self.ours.collects, self.collects), (self.ours.pays, self.pays)):
            last = BankStatement.objects.filter(account=account).latest("position")
            if not bank.balance == last.closing == booked(account):
                found.append(f"{account}: {bank.balance} at the bank, {booked(account)} in the books")
        return found

    def gets(self, what: str, count: int, account: BankAccount, content: bytes) -> str:
        """What becomes of a file: its state, or why it was refused."""
        file = self.timed(what, count, lambda: self.ours.gets(account, "file", content))
        return (file.cause or file.state) if file else "known"

    def timed(self, what: str, count: int, act: Callable[[], T]) -> T:
        began = time.perf_counter()
        done = act()
        self.figures.append((what, count, time.perf_counter() - began))
        return done
