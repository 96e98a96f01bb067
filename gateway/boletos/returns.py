"""What a bank's returns say of boletos: stored with the file, and then applied line by line."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from decimal import Decimal

import structlog
from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.base.wire import timestamp
from accounts.batches import Later
from accounts.cells import each_cell_in_order, in_cell_of
from gateway.bank_files.shapes import CollectionReturn, Remark, SlipAnswer, SlipEvent
from gateway.boletos.models import SlipLine
from gateway.methods.due_dates import SAO_PAULO
from gateway.methods.rail import Money, PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments.believed import believe
from gateway.payments.calls import Answer
from gateway.payments.models import Payment
from gateway.payments.other_money import Cause
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import agreement_of
from gateway.reconciliation.handlers import DocumentRefused, RefusalCause, register
from gateway.reconciliation.models import BankAccount, CollectionCredit, ImportedFile
from gateway.slips import services as slips
from gateway.slips.agreements import Agreement
from gateway.slips.models import Slip
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem
from ledger.money import to_decimal, to_minor
from ledger.notation import plain_amount

log = structlog.get_logger()
BRL = "BRL"
State = Slip.State
REFUSED = ("REGISTRATION_REFUSED", "The bank did not register the boleto.")
_SAID = {
    SlipEvent.REGISTERED: _("Registered"),
    SlipEvent.REFUSED: _("Refused"),
    SlipEvent.PAID: _("Paid"),
    SlipEvent.WITHDRAWN: _("Withdrawn"),
}


class CollectionHandler:
    """Lets collection returns take effect: see `gateway.reconciliation.handlers.Handler`."""

    def check(self, account: BankAccount, documents: list[CollectionReturn]) -> None:
        """Raises DocumentRefused if the account collects no boletos."""
        if not _agreements(account):
            nobody = Remark(_("No provider account of this bank account collects boletos by files."))
            raise DocumentRefused(RefusalCause.NOTHING_TO_DO, nobody)

    def lines(self, account: BankAccount, documents: list[CollectionReturn]) -> list[tuple[str, str]]:
        found = []
        for one in documents:
            answers = _known(account, one)
            events = Counter(answer.event for answer, slip in answers if slip)
            paid = sum((answer.paid for answer, slip in answers if slip), Decimal(0))
            foreign = sum(slip is None for _, slip in answers)
            said = [f"{translation.gettext(word)}: {events[event]}" for event, word in _SAID.items() if events[event]]
            found += [
                (gettext("Collection return"), one.sequence or gettext("without a number")),
                (gettext("Date"), str(one.made_on)),
                (gettext("Boletos of ours"), ", ".join(said) or gettext("nothing that changes one")),
                (gettext("Paid"), plain_amount(to_minor(paid, BRL), BRL)),
                (gettext("Boletos that are none of ours"), str(foreign)),
            ]
        return found

    def apply(self, file: ImportedFile, documents: list[CollectionReturn]) -> None:
        """Stores the lines; `apply_line` does the rest."""
        account = _agreements(file.account)[0][0]
        for one in documents:
            SlipLine.objects.bulk_create(_lines(file, account, one), batch_size=2000)


register(CollectionReturn, CollectionHandler())


def _agreements(account: BankAccount) -> list[tuple[ProviderAccount, Agreement]]:
    linked = account.provider_accounts.order_by("pk")
    return [(one, agreement) for one in linked if (agreement := agreement_of(one))]


def _known(account: BankAccount, document: CollectionReturn) -> list[tuple[SlipAnswer, Slip | None]]:
    """Each answer with its boleto. None: it is none of ours."""
    slips_of: list[tuple[Agreement, dict[int, Slip]]] = []
    for _account, agreement in _agreements(account):
        told = (agreement.number_in(answer.bank_number, answer.wallet) for answer in document.answers)
        numbers = {number for number in told if number is not None}
        found = Slip.objects.filter(agreement=agreement.series, number__in=numbers)
        slips_of.append((agreement, {slip.number: slip for slip in found}))
    return [(answer, _slip_of(answer, slips_of)) for answer in document.answers]


def _slip_of(answer: SlipAnswer, slips_of: list[tuple[Agreement, dict[int, Slip]]]) -> Slip | None:
    """None also where two agreements have a boleto of the number, and the line does not tell them apart."""
    numbers = ((found, agreement.number_in(answer.bank_number, answer.wallet)) for agreement, found in slips_of)
    named = {found[number].pk: found[number] for found, number in numbers if number is not None and number in found}
    return next(iter(named.values())) if len(named) == 1 else None


def _lines(file: ImportedFile, account: ProviderAccount, document: CollectionReturn) -> Iterator[SlipLine]:
    """Money is named by its boleto, the bank's number of the file, and how many times the file has it: sent again in
    another file of the same number, it is the same money.
    """
    now, times = utcnow(), Counter[str]()
    of_file = document.sequence or f"{document.made_on:%y%m%d}"
    for answer, slip in _known(file.account, document):
        is_paid = answer.event is SlipEvent.PAID
        named = f"{answer.wallet}/{answer.bank_number}" if answer.wallet else answer.bank_number
        times[named] += is_paid
        yield SlipLine(
            id=new_id("sln"),
            file=file,
            account=account,
            slip=slip,
            position=answer.line,
            bank_number=answer.bank_number[:30],
            event=answer.event,
            code=answer.code[:4],
            reasons=" ".join(answer.reasons)[:200],
            reference=f"{named}-{of_file}-{max(1, times[named])}"[:60],
            paid=to_minor(answer.paid, BRL),
            credited=to_minor(answer.credited, BRL),
            fee=to_minor(answer.fee, BRL),
            paid_on=answer.paid_on,
            credited_on=answer.credited_on,
            due_at=now if is_paid or (slip and answer.event in _SAID) else None,
        )


def apply_all(lines: Sequence[SlipLine]) -> Later:
    """Applies lines that are locked, each in the cell of its payment. Payments are locked first, cell after cell, then
    boletos: afterwards only the ledger is.
    """
    ids = [line.slip_id for line in lines if line.slip_id]
    locked = Payment.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=ids).order_by("pk")
    theirs = locked.select_related("merchant__company")
    payments = {one.id: one for _ in each_cell_in_order() for one in theirs.all()}
    named = Slip.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    slips_of = {slip.pk: slip for slip in named}
    for line in lines:
        if line.slip_id is None:
            _hold(line)
        else:
            apply, payment = _APPLIED[SlipEvent(line.event)], payments[line.slip_id]
            with in_cell_of(payment.merchant):
                payments[line.slip_id] = apply(line, slips_of[line.slip_id], payment)
    SlipLine.objects.filter(pk__in=[line.pk for line in lines]).update(due_at=None, applied_at=utcnow())
    return []


def apply_line(line: SlipLine, _at: datetime) -> None:
    """Applies what a line says to its boleto and payment. Call it in a transaction that has locked the line."""
    apply_all([line])


def _registered(line: SlipLine, slip: Slip, payment: Payment) -> Payment:
    if slip.state not in (State.SENT, State.NEW):
        return payment
    slips.turn(slip, State.REGISTERED)
    now = timestamp(utcnow())
    return _tell(payment, PaymentAction.PREPARE, PaymentOutcome(PaymentResult.WAITING, {"payableFrom": now}))


def _refused(line: SlipLine, slip: Slip, payment: Payment) -> Payment:
    """A refusal after it was registered is of something else: an instruction, or a second registration."""
    if slip.state not in (State.SENT, State.NEW):
        return payment
    slips.turn(slip, State.REFUSED)
    log.warning("boleto.refused", payment=payment.id, reasons=line.reasons)
    return _tell(payment, PaymentAction.PREPARE, PaymentOutcome(PaymentResult.DECLINED, failure=REFUSED))


def _paid(line: SlipLine, slip: Slip, payment: Payment) -> Payment:
    slips.turn(slip, State.PAID)
    amount = to_decimal(line.paid, BRL)
    since = {"payableFrom": _since(payment, line)}
    told = PaymentOutcome(PaymentResult.DONE, since, reference=line.reference, amount=amount, currency=BRL)
    payment = _tell(payment, PaymentAction.PAY, told)
    if payment.rail_reference == line.reference:
        _expect_credit(line, payment.id)
    elif item := SuspenseItem.objects.filter(account=payment.account_id, reference=line.reference).first():
        _expect_credit(line, item.pk)
    return payment


def _hold(line: SlipLine) -> None:
    """Money for a boleto that is none of ours."""
    money = Money(line.reference, to_decimal(line.paid, BRL), BRL)
    item = hold(line.account, money, Cause.UNKNOWN_CHARGE, utcnow(), method="BOLETO")
    _expect_credit(line, item.pk)


def _expect_credit(line: SlipLine, object_id: str) -> None:
    """The statement will have it among the boletos of that day."""
    day = line.credited_on or line.paid_on
    if line.credited > 0 and day:
        credit = CollectionCredit(
            account_id=ImportedFile.objects.values_list("account_id", flat=True).get(pk=line.file_id),
            file_id=line.file_id,
            object_id=object_id,
            paid=line.paid,
            credited=line.credited,
            credited_on=day,
        )
        CollectionCredit.objects.bulk_create([credit], ignore_conflicts=True)


def _since(payment: Payment, line: SlipLine) -> str:
    """A boleto whose registration no file told of was payable on the day on which it was paid."""
    known: str | None = payment.details.get("payableFrom")
    if known or line.paid_on is None:
        return known or timestamp(utcnow())
    return timestamp(datetime.combine(line.paid_on, time(), SAO_PAULO).astimezone(UTC))


def _withdrawn(line: SlipLine, slip: Slip, payment: Payment) -> Payment:
    """Nobody can pay it any more, whether we asked for it or its days at the bank were over."""
    if slip.state in (State.PAID, State.REFUSED, State.WITHDRAWN):
        return payment
    slips.turn(slip, State.WITHDRAWN)
    return _tell(payment, PaymentAction.EXPIRE, PaymentOutcome(PaymentResult.DONE))


def _tell(payment: Payment, about: PaymentAction, told: PaymentOutcome) -> Payment:
    assert payment.account_id is not None
    return believe(payment.merchant, payment.id, payment.account_id, Answer(about, told))


_APPLIED = {
    SlipEvent.REGISTERED: _registered,
    SlipEvent.REFUSED: _refused,
    SlipEvent.PAID: _paid,
    SlipEvent.WITHDRAWN: _withdrawn,
}
