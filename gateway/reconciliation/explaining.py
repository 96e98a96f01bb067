"""What two people say that a line in suspense is. What it names is checked as if the bank had named it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext

from accounts.base.clock import utcnow
from accounts.base.errors import Fault
from accounts.cells import in_cell_of
from accounts.models import Environment, Merchant
from accounts.operator import operator
from gateway.payments.models import Payment
from gateway.payments.provider import lock as lock_payment
from gateway.reconciliation import effects, lines, reversals, suspense, transfers
from gateway.reconciliation.errors import BankLineUnknown, DoesNotExplain, LineState
from gateway.reconciliation.matching import Effect, Part, Verdict, named, verdict
from gateway.reconciliation.models import BankAccount, BankLine, LineKind
from gateway.reconciliation.records import records_of
from gateway.refunds.models import Refund
from gateway.refunds.services import lock as lock_refund
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.services import lock as lock_withdrawal
from ledger.chart import WALLET_METHOD, AccountKind


class Meaning(models.TextChoices):
    """What a line is. All but fees and results have a target."""

    OBJECT = "OBJECT", "A withdrawal, a payment or a refund"
    BANK_FEE = "BANK_FEE", "A fee of the bank, or its return"
    TRANSFER = "TRANSFER", "A transfer between our bank accounts"
    COMPANY = "COMPANY", "Credited to or taken from a company"
    SENT_BACK = "SENT_BACK", "Sent back: it and another line cancel each other"
    RESULT = "RESULT", "A gain or loss of ours"


Object = Withdrawal | Payment | Refund
_OBJECTS: dict[str, tuple[Any, Callable[[Merchant, str], Object]]] = {
    "wdr_": (Withdrawal, lock_withdrawal),
    "pay_": (Payment, lock_payment),
    "ref_": (Refund, lock_refund),
}


@dataclass(frozen=True, slots=True)
class Claim:
    """What a line in suspense is said to be. `about` is what its target names: None if there is none."""

    line: BankLine
    item: SuspenseItem | None
    meaning: Meaning
    target: str
    about: Object | BankAccount | Merchant | BankLine | None

    def __str__(self) -> str:
        return str(self.line)

    @property
    def merchant(self) -> Merchant | None:
        """The company that is concerned, besides the owner of the bank account."""
        about = self.about
        return about if isinstance(about, Merchant) else getattr(about, "merchant", None)

    @property
    def standing(self) -> str:
        """What the target is at present."""
        about = self.about
        return str(getattr(about, "status", "") or getattr(about, "state", "") or getattr(about, "pk", ""))


def claim_id(line_id: str, meaning: str, target: str = "") -> str:
    """The id of a `Claim`. The target is the id of a withdrawal, payment, refund, company or line, or the code of a
    bank account.
    """
    return f"{line_id}:{meaning}:{target.strip()}"


def hold(object_id: str) -> Claim:
    """The line, its money in suspense and the target, locked. Raises ONP404_BANK_LINE and ONP422_BANK_LINE."""
    line_id, meaning, target = [*object_id.split(":", 2), "", ""][:3]
    if meaning not in Meaning.values:
        _refuse(gettext("Say what the line is."), "meaning")
    locked = BankLine.objects.select_for_update(no_key=True, of=("self",))
    both = locked.select_related("account__owner__company", "statement").filter(pk__in=(line_id, target))
    found = {one.pk: one for one in both.order_by("pk")}
    if line_id not in found:
        raise BankLineUnknown
    line, said = found[line_id], Meaning(meaning)
    about = found.get(target) if said == Meaning.SENT_BACK else _about(said, target)
    return Claim(line, suspense.held_for(line), said, target, about)


def _about(meaning: Meaning, target: str) -> Object | BankAccount | Merchant | None:
    if meaning == Meaning.OBJECT and target[:4] in _OBJECTS:
        model, lock = _OBJECTS[target[:4]]
        known = model.objects.select_related("merchant__company").filter(pk=target).first()
        with in_cell_of(known.merchant if known else None):
            return lock(known.merchant, target) if known else None
    if meaning == Meaning.TRANSFER:
        return BankAccount.objects.filter(code=target).first()
    if meaning == Meaning.COMPANY:
        books = Merchant.objects.select_related("company").filter(environment=Environment.PRODUCTION)
        return books.filter(company=target, company__is_operator=False).first()
    return None


def require(claim: Claim) -> Verdict:
    """What the line will be. Raises ONP409_BANK_LINE unless it is in suspense, and ONP422_BANK_LINE."""
    if claim.line.state != BankLine.State.SUSPENSE or claim.item is None:
        raise LineState
    line, found = claim.line, _verdict(claim)
    if claim.meaning != Meaning.OBJECT:
        _require_unexplained(claim.line, found)
    if found.effect != Effect.HOLD and (found.cause or found.effect == Effect.ASK):
        _refuse(found.note)
    if found.effect == Effect.PAY and isinstance(found.about, Payment) and not effects.has_reference(line, found.about):
        _refuse(
            "The line does not tell the bank's id of the money. Record the payment as paid on its own page, with the "
            "id that the bank shows: then the line is explained by itself, within the hour."
        )
    return found


def _require_unexplained(line: BankLine, said: Verdict) -> None:
    """What the line names by now is what it is: people cannot book it as something else."""
    found = verdict(line, records_of(line.account, [line]))
    if found.parts and found.parts != said.parts:
        _refuse(found.note or f"It is {found.parts[0].kind.label.lower()} {found.parts[0].object_id}".strip() + ".")


def _verdict(claim: Claim) -> Verdict:
    line, about = claim.line, claim.about
    if claim.meaning == Meaning.BANK_FEE:
        return Verdict((Part(LineKind.BANK_FEE, line.amount, AccountKind.BANK_FEES),))
    if claim.meaning == Meaning.RESULT:
        return Verdict((Part(LineKind.RESULT, line.amount, AccountKind.GAINS_LOSSES, merchant_id=operator().pk),))
    if about is None:
        _refuse(gettext("There is no such record."))
    return _TARGETS.get(type(about), _of_object)(line, about)


def _of_object(line: BankLine, about: Object) -> Verdict:
    found = named(line, about.pk.upper(), records_of(line.account, [line], [about.pk]))
    if found.is_nothing:
        _refuse(gettext("It is not paid from or to this bank account, or in the other direction."))
    return found


def _of_transfer(line: BankLine, about: BankAccount) -> Verdict:
    if about.pk == line.account_id or about.currency != line.currency:
        _refuse(gettext("It must be another bank account of the same currency."))
    return Verdict((transfers.part_of(line),))


def _of_company(line: BankLine, about: Merchant) -> Verdict:
    if line.currency not in WALLET_METHOD:
        _refuse(gettext("Companies have no balance in %(currency)s.") % {"currency": line.currency})
    return Verdict((Part(LineKind.COMPANY, line.amount, AccountKind.AVAILABLE, "", about.company_id, about.pk),))


def _of_other_line(line: BankLine, about: BankLine) -> Verdict:
    if about.account_id != line.account_id or about.amount != -line.amount:
        _refuse(gettext("It must be a line of the same bank account with the opposite amount."))
    if about.state != BankLine.State.SUSPENSE:
        _refuse(gettext("The other line is not in suspense."))
    return Verdict()


_TARGETS: dict[type[models.Model], Callable[[BankLine, Any], Verdict]] = {
    BankAccount: _of_transfer,
    Merchant: _of_company,
    BankLine: _of_other_line,
}


def _refuse(why: str, field: str = "target") -> NoReturn:
    raise DoesNotExplain(faults=[Fault(field, "INVALID", why)])


def explain(claim: Claim, note: str) -> BankLine:
    """The line is that from now on: its money leaves suspense and is booked as what it is. The decision of two
    people: see `proposals`.

    Raises what `require` does, and ONP422_INSUFFICIENT_BALANCE if the company's balance does not cover it.
    """
    found, line, now = require(claim), claim.line, utcnow()
    assert claim.item is not None
    if isinstance(claim.about, BankLine):
        other = suspense.held_for(claim.about)
        assert other is not None
        reversals.pair(*_in_order(claim.about, line), now)
        suspense.let_go(other, note, now)
        suspense.let_go(claim.item, note, now)
        return line
    if found.effect:
        found = effects.carry_out(line, found)
        if not found.parts:
            _refuse(found.note)
    suspense.let_go(claim.item, note, now)
    try:
        with transaction.atomic():
            lines.settle(line, Verdict(found.parts, about=found.about), now)
    except IntegrityError as error:
        if "explained_once" not in str(error):
            raise
        _refuse(gettext("Another line explains it."))
    return line


def _in_order(one: BankLine, other: BankLine) -> tuple[BankLine, BankLine]:
    """The later line, and the one that it sends back."""
    earlier, later = sorted((one, other), key=lambda line: (line.statement.position, line.position))
    return later, earlier
