"""Lines that name nothing, and what no other line explains: matched by exact amounts that fit in one way only."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import combinations, product
from typing import TypeVar

from django.db.models import Count, Exists, OuterRef, QuerySet

from accounts.base.lookups import by_index
from gateway.payments.models import Payment
from gateway.reconciliation import payouts, transfers
from gateway.reconciliation.matching import NOTHING, PAID, Part, Verdict, payment_part, received_part, withdrawal_part
from gateway.reconciliation.models import ONCE, BankAccount, BankLine, CollectionCredit, LineKind, LinePart
from gateway.reconciliation.records import linked_to, spelled_in
from gateway.refunds.models import Refund
from gateway.refunds.models import Status as RefundStatus
from gateway.suspense.models import LineCause, SuspenseItem
from gateway.withdrawals.models import Status, Withdrawal
from ledger.chart import AccountKind

BEFORE, AFTER = timedelta(days=5), timedelta(days=1)
"""How long before the line a withdrawal may have been completed, and how long after it by our clock."""
CREDITED_WITHIN = timedelta(days=4)
MOST = 2000
"""Withdrawals of the same days of which sums of several are looked for. Of more, none is certain."""

One = TypeVar("One", Withdrawal, Refund)


class Leftovers:
    """What is left for these lines of an account. A sum that `explain` has found is taken: no other line gets it."""

    def __init__(self, account: BankAccount, lines: Sequence[BankLine]) -> None:
        self.account = account
        self.linked = linked_to(account)
        sent = [line for line in lines if line.amount < 0]
        self.are_too_many = False
        with by_index():
            self.withdrawals = self._unexplained(sent) if sent and self.linked else []
        self.refunds = self._refunds(sent)
        self._near: dict[date, _Near] = {}
        received = [line for line in lines if line.amount > 0] if self.linked else []
        self.payouts = payouts.known(self.linked, account.currency) if received else ((), ())
        self.credited = self._credits(received) if received else set()
        self.lines = self._alike(lines) if lines else Counter()
        self.transfers = transfers.awaited(account, lines) if lines else []

    def _unexplained(self, sent: Sequence[BankLine]) -> list[Withdrawal]:
        """All of these days, or those of the amounts of lines where they are too many."""
        near = _not_explained(
            LineKind.WITHDRAWAL,
            Withdrawal.objects.filter(
                account__in=self.linked,
                status__in=(Status.COMPLETED, Status.RETURNED),
                payout_currency=self.account.currency,
                completed_at__range=_completed_near(sent),
            ),
        ).order_by("pk")
        found = list(near[: MOST + 1])
        self.are_too_many = len(found) > MOST
        return list(near.filter(payout_amount__in={-line.amount for line in sent})) if self.are_too_many else found

    def _refunds(self, sent: Sequence[BankLine]) -> list[Refund]:
        """Refunds that lines may be as well as withdrawals."""
        amounts = {-line.amount for line in sent} & {one.payout_amount for one in self.withdrawals}
        if not amounts:
            return []
        theirs = Refund.objects.only("amount", "completed_at").filter(
            payment__account__in=self.linked,
            status=RefundStatus.COMPLETED,
            currency=self.account.currency,
            amount__in=amounts,
            completed_at__range=_completed_near(sent),
        )
        return list(_not_explained(LineKind.REFUND, theirs))

    def _alike(self, lines: Sequence[BankLine]) -> Counter[int]:
        """How many lines of each amount wait, also those in suspense of about the same days."""
        days, states = [line.booked_on for line in lines], (BankLine.State.UNNAMED, BankLine.State.SUSPENSE)
        waiting = BankLine.objects.filter(
            account=self.account,
            state__in=states,
            amount__in={line.amount for line in lines},
            booked_on__range=(min(days) - BEFORE, max(days) + BEFORE),
        )
        return Counter(dict(waiting.values_list("amount").annotate(Count("pk")).order_by()))

    def _credits(self, received: Sequence[BankLine]) -> set[int]:
        """Amounts that are a boleto's or those of a day: other lines are none."""
        days = [line.booked_on for line in received]
        near = CollectionCredit.objects.filter(
            account=self.account, line=None, credited_on__range=(min(days) - CREDITED_WITHIN, max(days))
        )
        single, totals = set(), Counter[date]()
        for day, credited in near.values_list("credited_on", "credited"):
            single.add(credited)
            totals[day] += credited
        return single | set(totals.values())

    def explain(self, line: BankLine) -> Verdict:
        """What the line is, if that is certain. One that names something else is never matched by its amount."""
        if moved := transfers.answer_to(self.transfers, line):
            return moved
        if not self.linked:
            return NOTHING
        if line.amount > 0:
            return self._received(line)
        if line.order_number or line.end_to_end_id:
            return NOTHING
        near = self._near_to(line.booked_on)
        same = near.of_amount.get(-line.amount, [])
        if len(same) == 1 and self.lines[line.amount] == 1 and not self._is_refund(line):
            return self._taken(same)
        return NOTHING if same else self._merged(line, near)

    def _is_refund(self, line: BankLine) -> bool:
        """Whether the line may be a refund: then it is not certain that it is a withdrawal."""
        return any(one.amount == -line.amount and _is_near(one, line.booked_on) for one in self.refunds)

    def _received(self, line: BankLine) -> Verdict:
        ids, amounts = self.payouts
        names = [name for name in spelled_in(line) if name in ids]
        found = payouts.named(self.linked, names, line) if names else NOTHING
        if found.is_nothing and line.amount in self.credited:
            found = self._collection(line)
        if found.is_nothing and line.amount in amounts:
            found = payouts.of_amount(self.linked, line)
        return found

    def _near_to(self, day: date) -> "_Near":
        if day not in self._near:
            self._near[day] = _Near.of([one for one in self.withdrawals if _is_near(one, day)])
        return self._near[day]

    def _taken(self, found: Sequence[Withdrawal]) -> Verdict:
        self.withdrawals = [one for one in self.withdrawals if one not in found]
        self._near.clear()
        return Verdict(tuple(withdrawal_part(one) for one in found))

    def _merged(self, line: BankLine, near: "_Near") -> Verdict:
        """Several withdrawals in one sum: certain only if all go to one destination, and in one way only."""
        if self.are_too_many:
            return NOTHING
        together = near.together.get(-line.amount, [])
        if len(together) == 1:
            return self._taken(together[0])
        found = together or near.pairs(-line.amount)
        if not found:
            return NOTHING
        ids = " or ".join(" + ".join(one.pk for one in sum_) for sum_ in found[:2])
        return Verdict(cause=LineCause.MERGED, note=f"It may be {ids}.")

    def _collection(self, line: BankLine) -> Verdict:
        """All boletos that the bank credits on one day, or a single one; what it kept of them is its fee."""
        credits_ = CollectionCredit.objects.select_for_update(no_key=True).filter(account=self.account, line=None)
        days: defaultdict[object, list[CollectionCredit]] = defaultdict(list)
        for one in credits_.filter(credited_on__range=(line.booked_on - CREDITED_WITHIN, line.booked_on)):
            days[one.credited_on].append(one)
        fitting = [same for same in days.values() if sum(one.credited for one in same) == line.amount]
        if not fitting:
            fitting = [[one] for same in days.values() for one in same if one.credited == line.amount]
        if len(fitting) != 1:
            return NOTHING
        return _of_boletos(line, fitting[0])


def _of_boletos(line: BankLine, credited: Sequence[CollectionCredit]) -> Verdict:
    """Also of money that is held: the bank credits it in the same sum."""
    ids = [one.object_id for one in credited]
    payments = Payment.objects.in_bulk(ids)
    held = SuspenseItem.objects.in_bulk([one for one in ids if one not in payments])
    parts = []
    for one in credited:
        payment, item = payments.get(one.object_id), held.get(one.object_id)
        if item:
            parts.append(received_part(item))
        elif payment and payment.status in PAID and payment.amount == one.paid:
            parts.append(payment_part(payment))
        else:
            return Verdict(cause=LineCause.UNEXPECTED, note=f"{one.object_id} is not paid with its amount.")
    known = LinePart.objects.filter(kind__in=ONCE, object_id__in=[part.object_id for part in parts], undone_by="")
    if known.filter(amount__gt=0).exists():
        return Verdict(cause="PAID_TWICE", note="Another line explains some of these boletos.")
    kept = sum(one.paid - one.credited for one in credited)
    fees = [Part(LineKind.BANK_FEE, -kept, AccountKind.BANK_FEES)] if kept else []
    CollectionCredit.objects.filter(pk__in=[one.pk for one in credited]).update(line=line)
    return Verdict((*parts, *fees))


def _completed_near(lines: Sequence[BankLine]) -> tuple[datetime, datetime]:
    days = [line.booked_on for line in lines]
    return (
        datetime.combine(min(days) - BEFORE, time(), UTC),
        datetime.combine(max(days) + AFTER, time.max, UTC),
    )


def _not_explained(kind: LineKind, found: QuerySet[One]) -> QuerySet[One]:
    explained = LinePart.objects.filter(kind=kind, object_id=OuterRef("pk"), undone_by="")
    return found.filter(~Exists(explained))


def _is_near(one: Withdrawal | Refund, day: date) -> bool:
    assert one.completed_at is not None
    return -AFTER <= day - one.completed_at.astimezone(UTC).date() <= BEFORE


_Sums = dict[int, list[tuple[Withdrawal, ...]]]


@dataclass(frozen=True, slots=True)
class _Near:
    """The withdrawals that lines of one day may be, and sums of two or three that went to one destination."""

    of_amount: dict[int, list[Withdrawal]]
    together: _Sums

    @classmethod
    def of(cls, near: Sequence[Withdrawal]) -> "_Near":
        of_amount: defaultdict[int, list[Withdrawal]] = defaultdict(list)
        for one in near:
            of_amount[one.payout_amount].append(one)
        together: _Sums = defaultdict(list)
        for same in _by_destination(near):
            for found in (found for number in (2, 3) for found in combinations(same, number)):
                together[sum(one.payout_amount for one in found)].append(found)
        return cls(dict(of_amount), dict(together))

    def pairs(self, total: int) -> list[tuple[Withdrawal, ...]]:
        """Two whose amounts sum up to it, whoever gets them: at most two such pairs."""
        found: list[tuple[Withdrawal, ...]] = []
        for amount, same in self.of_amount.items():
            if 2 * amount == total:
                found += combinations(same, 2)
            elif 2 * amount < total:
                found += product(same, self.of_amount.get(total - amount, ()))
            if len(found) > 1:
                break
        return found[:2]


def _by_destination(near: Sequence[Withdrawal]) -> list[list[Withdrawal]]:
    found: defaultdict[bytes, list[Withdrawal]] = defaultdict(list)
    for one in near:
        print_ = one.account_fingerprint or one.fingerprint
        if print_:
            found[bytes(print_)].append(one)
    return [same for same in found.values() if 1 < len(same) <= 12]
