"""Files to a bank: new boletos to register, and those to withdraw that nobody shall pay any more."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.db.models import Max, Q

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.sealing import seal, unseal
from accounts.models import User
from gateway.bank_files.cnab.registration_files import MAX_SLIPS, Instruction, SlipOrder, write
from gateway.bank_files.cnab.registration_files import RegistrationFile as Contents
from gateway.bank_files.shapes import Party
from gateway.boletos.models import RegistrationFile, SlipInstruction
from gateway.methods.due_dates import SAO_PAULO
from gateway.payments.models import UNDECIDED, Payment
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import agreement_of, folder_of
from gateway.slips import services as slips
from gateway.slips.agreements import Agreement
from gateway.slips.models import Slip
from ledger.money import to_decimal

log = structlog.get_logger()
State, Kind = Slip.State, SlipInstruction.Kind
_NO_DIGITS = re.compile(r"[^0-9]")
_TO_REGISTER = Q(state=State.NEW)
_TO_WITHDRAW = Q(is_withdrawal_asked=True, state__in=(State.SENT, State.REGISTERED))


def write_due() -> int:
    """Writes a file for each agreement that has something to tell its bank; returns how many. One that fails delays no
    other.
    """
    accounts = ProviderAccount.objects.filter(status=ProviderAccount.Status.ACTIVE).order_by("pk")
    collecting: dict[str, ProviderAccount] = {}
    for one in accounts:
        with _failing_alone(one):
            if agreement := agreement_of(one):
                collecting[agreement.series] = one
    written = 0
    for one in collecting.values():
        with _failing_alone(one):
            written += write_file(one) is not None
    return written


@contextmanager
def _failing_alone(account: ProviderAccount) -> Iterator[None]:
    try:
        yield
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        log.exception("registration_file.not_written", account=account.pk)


@transaction.atomic
def write_file(account: ProviderAccount) -> RegistrationFile | None:
    """The next file of the account's agreement, or None if there is nothing to tell the bank.

    In the same transaction its boletos are marked as sent: none is ever in two files for the same.
    """
    agreement = agreement_of(account)
    assert agreement is not None
    slips.take_turns(agreement)
    orders = _orders(agreement)
    if not orders:
        return None
    file = _stored(account, agreement, [order for _, _, order in orders])
    SlipInstruction.objects.bulk_create(SlipInstruction(file=file, slip=slip, kind=kind) for slip, kind, _ in orders)
    new = [slip.pk for slip, kind, _ in orders if kind == Kind.REGISTER]
    Slip.objects.filter(pk__in=new).update(state=State.SENT, updated_at=utcnow())
    return file


def _orders(agreement: Agreement) -> list[tuple[Slip, SlipInstruction.Kind, SlipOrder]]:
    ours = Slip.objects.select_for_update(no_key=True).filter(agreement=agreement.series)
    told = SlipInstruction.objects.filter(kind=Kind.WITHDRAW).values("slip")
    withdrawn = ours.filter(_TO_WITHDRAW).exclude(pk__in=told)
    found = [(slip, Kind.REGISTER) for slip in ours.filter(_TO_REGISTER).order_by("number")[:MAX_SLIPS]]
    found += [(slip, Kind.WITHDRAW) for slip in withdrawn.order_by("number")[: MAX_SLIPS - len(found)]]
    payments = Payment.objects.in_bulk([slip.pk for slip, _ in found])
    orders = []
    for slip, kind in found:
        payment = payments[slip.pk]
        if kind == Kind.REGISTER and payment.status not in UNDECIDED:
            slips.turn(slip, State.WITHDRAWN)  # it ended before the bank heard of it
        else:
            orders.append((slip, kind, _order(agreement, slip, kind, payment)))
    return orders


def _order(agreement: Agreement, slip: Slip, kind: SlipInstruction.Kind, payment: Payment) -> SlipOrder:
    payer, address = payment.payer, payment.payer.get("address") or {}
    assert payment.due_date is not None
    assert payment.expires_at is not None
    last_day = payment.expires_at.astimezone(SAO_PAULO).date()
    return SlipOrder(
        instruction=Instruction(kind),
        number=slip.number,
        check=agreement.check_digit(slip.number),
        control=agreement.digits(slip.number),
        amount=to_decimal(payment.amount, payment.currency),
        due_on=payment.due_date,
        issued_on=payment.created_at.astimezone(SAO_PAULO).date(),
        withdrawn_after=max(1, (last_day - payment.due_date).days),
        payer=Party(name=payer["name"] or "", tax_id=payer["taxId"] or ""),
        address={
            **address,
            "street": f"{address.get('street', '')} {address.get('number', '')}".strip(),
            "postalCode": _NO_DIGITS.sub("", address.get("postalCode", "")),
        },
    )


def _stored(account: ProviderAccount, agreement: Agreement, orders: list[SlipOrder]) -> RegistrationFile:
    files = RegistrationFile.objects.filter(agreement=agreement.series)
    sequence = (files.aggregate(Max("sequence"))["sequence__max"] or 0) + 1
    now = utcnow()
    content = write(
        Contents(
            sequence=sequence,
            made_at=now,
            beneficiary=agreement.beneficiary,
            agreement=agreement.number,
            wallet=agreement.wallet,
            slips=orders,
        )
    )
    registered = sum(order.instruction == Instruction.REGISTER for order in orders)
    return RegistrationFile.objects.create(
        account=account,
        agreement=agreement.series,
        sequence=sequence,
        registered=registered,
        withdrawn=len(orders) - registered,
        digest=sha256(content).hexdigest(),
        sealed_content=seal(content),
        created_at=now,
        drop_at=now if folder_of(account) else None,
    )


@transaction.atomic
def download(by: Actor, file_id: str) -> tuple[RegistrationFile, bytes]:
    """The file as it was written. Who has it first is kept, and every download is in the audit log."""
    assert isinstance(by.user, User)
    file = RegistrationFile.objects.select_for_update(no_key=True).get(pk=file_id)
    is_first = file.downloaded_at is None
    if is_first:
        file.downloaded_at, file.downloaded_by = utcnow(), by.user
        file.save(update_fields=["downloaded_at", "downloaded_by"])
    audit.record(
        by,
        "registration_file.downloaded",
        object_id=file.pk,
        after={"file": str(file), "first": is_first},
        by_staff=True,
    )
    return file, unseal(bytes(file.sealed_content))
