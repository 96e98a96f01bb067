"""Making, changing and paying payment links."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from secrets import token_urlsafe

from django.db import transaction
from django.utils.crypto import salted_hmac

from accounts.base import clock
from accounts.base.errors import Fault
from accounts.base.ids import new_id
from accounts.models import Merchant, User
from gateway.methods import selectors as methods
from gateway.methods.errors import MethodNotEnabled
from gateway.methods.registry import AS_PAYERS_CHOOSE, Method
from gateway.payment_links import selectors
from gateway.payment_links.errors import InvalidPaymentLink, PaymentLinkInUse, PaymentLinkState, PaymentLinkUnknown
from gateway.payment_links.models import PaymentLink, State
from gateway.payments import services as payments
from gateway.payments.errors import InvalidAmount
from gateway.payments.models import Payment
from gateway.payments.payable import Payable, payable
from gateway.payments.services import Request
from ledger.money import to_minor

HELD_FOR = timedelta(minutes=30)
"""How long a payer keeps a use of a limited link, with methods whose time can be chosen."""


@dataclass(frozen=True, slots=True)
class LinkDraft:
    """A link to be made. Amounts are exact; no `methods`: all that the company can take in the currency."""

    description: str
    currency: str
    least: Decimal
    most: Decimal
    methods: Sequence[str] = ()
    max_uses: int | None = None
    expires_at: datetime | None = None
    reference_prefix: str = ""
    collects_contact: bool = False


def create(merchant: Merchant, draft: LinkDraft, *, by: User | None = None) -> PaymentLink:
    """Makes an active link.

    Raises ONP403_COMPANY_STATUS, and ONP400_PAYMENT_LINK naming methods that the company cannot take in the currency,
    an amount that none of them takes, or an expiry in the past.
    """
    payments.require_active(merchant)
    now = clock.now(merchant)
    if faults := _faults(merchant, draft, now):
        raise InvalidPaymentLink(faults=faults)
    link = PaymentLink.objects.create(
        id=new_id("plk"),
        merchant=merchant,
        token=token_urlsafe(16),
        description=draft.description,
        currency=draft.currency,
        least=to_minor(draft.least, draft.currency),
        most=to_minor(draft.most, draft.currency),
        methods=list(draft.methods),
        max_uses=draft.max_uses,
        expires_at=draft.expires_at,
        reference_prefix=draft.reference_prefix,
        collects_contact=draft.collects_contact,
        created_by=by,
        created_at=now,
        updated_at=now,
    )
    return selectors.get(merchant, link.id)


def _faults(merchant: Merchant, draft: LinkDraft, now: datetime) -> list[Fault]:
    of_currency = {one.method: one for one in payable(merchant) if one.currency == draft.currency}
    found = [
        Fault(f"methods[{n}]", "NOT_ALLOWED", "The company cannot take this method in this currency.")
        for n, method in enumerate(draft.methods)
        if method not in of_currency
    ]
    least, most = to_minor(draft.least, draft.currency), to_minor(draft.most, draft.currency)
    fitting = [one for name, one in of_currency.items() if not draft.methods or name in draft.methods]
    if not found and not fitting:
        found.append(Fault("currency", "NOT_ALLOWED", "The company can take no payment in this currency."))
    elif not found and not any(one.takes(least, most) for one in fitting):
        name = "amount" if least == most else "minAmount"
        found.append(Fault(name, "OUT_OF_RANGE", "None of the methods takes this amount."))
    if draft.expires_at and draft.expires_at <= now:
        found.append(Fault("expiresAt", "OUT_OF_RANGE", "Must be in the future."))
    return found


def methods_of(link: PaymentLink) -> list[Payable]:
    """The methods that a payer can choose now, in the order of their market."""
    found = [
        one
        for one in payable(link.merchant)
        if one.currency == link.currency
        and (not link.methods or one.method in link.methods)
        and one.takes(link.least, link.most)
    ]
    return sorted(found, key=lambda one: AS_PAYERS_CHOOSE.index(Method(one.method)))


@transaction.atomic
def change(merchant: Merchant, link_id: str, state: State, *, note: str = "") -> PaymentLink:
    """Pauses, resumes or ends a link: no new payment begins, and those that are open can still be paid.

    Setting the state that it has changes nothing. Raises ONP404_PAYMENT_LINK, and ONP409_PAYMENT_LINK_STATE if it has
    ended.
    """
    link = _held(merchant, link_id)
    if link.state != state:
        if link.state == State.ENDED:
            raise PaymentLinkState(status=State.ENDED.value)
        link.state, link.note, link.updated_at = state, note, clock.now(merchant)
        link.save(update_fields=["state", "note", "updated_at"])
    return selectors.get(merchant, link_id)


@transaction.atomic
def pay(link: PaymentLink, order: Request, once: str) -> Payment:
    """Begins a payer's payment; if the provider must be asked it is only stored, as by `payments.create`.

    The order's amount must be the link's. A use is taken from the moment when the payment begins until it fails or
    expires. The same `once` with the same method and amount is the same payment: ONP409_DUPLICATE_REFERENCE names it.

    Raises ONP404_PAYMENT_LINK, ONP409_PAYMENT_LINK_STATE unless it is ACTIVE, ONP409_PAYMENT_LINK_IN_USE if all uses
    that are left are being paid, ONP400_AMOUNT, ONP403_METHOD_NOT_ENABLED, and what `payments.create` raises.
    """
    merchant = link.merchant
    _held(merchant, link.id)  # before it is read: whoever waited sees what the other has begun
    link = selectors.get(merchant, link.id)
    _require_order(link, order)
    reference = _reference(link, order, once)
    is_repeated = Payment.objects.filter(merchant=merchant, reference=reference).exclude(status__in=selectors.FREE)
    if not is_repeated.exists():
        _require_open(link)
    order = replace(order, reference=reference, payment_link_id=link.id)
    return payments.create(merchant, _briefly(link, order) if link.max_uses else order)


def _briefly(link: PaymentLink, order: Request) -> Request:
    """A payer who leaves does not keep a use for longer than the method demands."""
    allowed = methods.terms(link.merchant, order.method, order.currency).expires_in_range_s
    if allowed is None or order.due_date:
        return order
    return replace(order, expires_in_s=max(allowed[0], int(HELD_FOR.total_seconds())))


def _require_order(link: PaymentLink, order: Request) -> None:
    minor = to_minor(order.amount, order.currency) if order.currency == link.currency else 0
    if not link.least <= minor <= link.most:
        raise InvalidAmount(field="amount")
    if link.methods and order.method not in link.methods:
        raise MethodNotEnabled(field="method")


def _require_open(link: PaymentLink) -> None:
    status, taken = link.status, link.taken  # type: ignore[attr-defined]
    if status != State.ACTIVE:
        raise PaymentLinkState(status=status)
    if link.max_uses is not None and taken >= link.max_uses:
        raise PaymentLinkInUse


def _reference(link: PaymentLink, order: Request, once: str) -> str:
    """The same for the same click with the same data. Unguessable, so that nobody is led to another's payment."""
    said = f"{link.id}:{once}:{order.method}:{order.amount}:{order.payer}"
    mark = salted_hmac("payment-link", said, algorithm="sha256").hexdigest()[:16]
    return f"{link.reference_prefix or 'link'}-{mark}"


def _held(merchant: Merchant, link_id: str) -> PaymentLink:
    selectors.get(merchant, link_id)
    held = PaymentLink.objects.select_for_update(no_key=True).filter(merchant=merchant, pk=link_id).first()
    if held is None:
        raise PaymentLinkUnknown
    return held
