"""Creating and changing withdrawals. The sequence is `create`, `due` submits it, `provider.take`."""

import json
from datetime import datetime, timedelta

from django.db import transaction

from accounts.base import clock
from accounts.base.ids import is_well_formed
from accounts.base.rows import columns, execute, first, insert_into, load, table, values
from accounts.base.sealing import seal
from accounts.models import Environment, Merchant
from gateway.payments.errors import DuplicateReference, SandboxOnly
from gateway.payments.services import require_active
from gateway.payouts.errors import PayoutUnavailable
from gateway.payouts.rail import FailureCode, PayoutOrder, PayoutOutcome, PayoutRail, PayoutResult
from gateway.payouts.registry import rail_of
from gateway.providers.asking import is_leased
from gateway.providers.models import ProviderAccount
from gateway.providers.restored import id_for
from gateway.withdrawals import gates, notices
from gateway.withdrawals.approvals import asking
from gateway.withdrawals.approvals.errors import Unapproved
from gateway.withdrawals.approvals.standing import is_still_approved
from gateway.withdrawals.errors import WithdrawalState, WithdrawalUnknown
from gateway.withdrawals.gates import Price, WithdrawalDraft
from gateway.withdrawals.lifecycle import WITHDRAWAL_LIFE, WithdrawalAction
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal
from gateway.withdrawals.provider import order_to, post_books, simulator_of, turn
from gateway.withdrawals.routing import hold_account, rail_at
from gateway.withdrawals.rules.checks import under_own_rules
from ledger.holds import services as holds
from ledger.holds.models import Reason

RETURNS_WITHIN = timedelta(days=30)
# A concurrent one of the same reference: of the same millisecond it has the same id, too.
_INSERT = f"{insert_into(Withdrawal)} ON CONFLICT DO NOTHING"
_LOCK = f"SELECT {columns(Withdrawal)} FROM {table(Withdrawal)} WHERE id = %s AND merchant_id = %s FOR NO KEY UPDATE"


@transaction.atomic(savepoint=False)
def begin(merchant: Merchant, draft: WithdrawalDraft, withdrawal_id: str | None = None) -> Withdrawal | PayoutOrder:
    """Like `create`, unless the provider must be asked first: then nothing is stored, and the order to `admit` is
    returned.

    Raises what `create` raises.
    """
    withdrawal, order, rail = _drafted(merchant, draft, withdrawal_id)
    return order if rail.is_asked_first(order) else _accept(withdrawal)


@transaction.atomic(savepoint=False)
def create(merchant: Merchant, draft: WithdrawalDraft, withdrawal_id: str | None = None) -> Withdrawal:
    """Accepts a withdrawal: amount and fee are held, and the worker sends the order after the commit.

    Raises ONP403_IP, ONP403_COMPANY_STATUS, ONP403_WITHDRAWAL_DISABLED, ONP403_WITHDRAWALS_WAIT, ONP403_COMPANY,
    ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL / _TOO_LARGE, ONP409_RATE_CHANGED, the refusals of the company's own rules
    (`under_own_rules`), ONP409_DUPLICATE_REFERENCE, ONP422_INSUFFICIENT_BALANCE,
    ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE and, in production, ONP403_WITHDRAWAL_NOT_CONNECTED. If the rules ask for
    approvals, it waits for them first.
    """
    withdrawal, _, _ = _drafted(merchant, draft, withdrawal_id)
    return _accept(withdrawal)


def admit(merchant: Merchant, order: PayoutOrder, *, tries: int) -> None:
    """Asks the simulator. Raises ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE; nothing moves."""
    rail = rail_of(order.rail, order.payout_currency, merchant.environment)
    if rail is None:
        raise PayoutUnavailable
    rail.admit(order, tries=tries)


def _accept(withdrawal: Withdrawal) -> Withdrawal:
    merchant, at = withdrawal.merchant, withdrawal.created_at
    taken = WITHDRAWAL_LIFE.transition(WithdrawalAction.REQUEST, withdrawal.status)
    withdrawal.status = taken.target
    if not execute(_INSERT, values(withdrawal)):
        raise DuplicateReference(field="reference")
    notices.accepted(withdrawal)
    holds.begin(
        merchant,
        Reason.WITHDRAWAL_PROCESSING,
        withdrawal.currency,
        withdrawal.total,
        at=at,
        withdrawal_id=withdrawal.id,
    )
    if withdrawal.approval == ApprovalState.PENDING:
        asking.announce(withdrawal, at, is_told=not withdrawal.is_told_together)
    post_books(withdrawal, taken, at)
    return withdrawal


def _admitted(merchant: Merchant, draft: WithdrawalDraft) -> tuple[Price, ProviderAccount | None]:
    gates.require_admission(merchant, draft.origin, is_from_backend=draft.is_from_backend)
    gates.require_own(merchant, draft.company_id)
    terms = gates.require_rail(merchant, draft.rail, draft.payout_currency)
    price = gates.priced(merchant, draft, terms)
    account = gates.require_limits(merchant, draft, terms, price)
    if account is not None:
        hold_account(account)
    return price, account


def _drafted(
    merchant: Merchant, draft: WithdrawalDraft, withdrawal_id: str | None
) -> tuple[Withdrawal, PayoutOrder, PayoutRail]:
    """The new withdrawal, and its order for the rail. Nothing is stored."""
    price, account = _admitted(merchant, draft)
    now = clock.now(merchant)
    rail = rail_at(account, merchant, draft.rail, draft.payout_currency)
    assert rail is not None
    destination = rail.destination(draft.destination)
    own = under_own_rules(merchant, draft, price.amount)
    withdrawal = Withdrawal(
        id=withdrawal_id or id_for("wdr", merchant, draft.reference),
        account=account,
        rail=draft.rail,
        reference=draft.reference,
        status="",
        amount=price.amount,
        fee=price.fee,
        currency=draft.currency,
        payout_amount=price.payout,
        payout_currency=draft.payout_currency,
        network_fee=price.network_fee,
        market_amount=price.market,
        gross_amount=price.gross,
        market_rate=price.market_rate,
        applied_rate=price.applied_rate,
        spread_percentage=price.spread_percentage,
        destination=rail.shown(destination),
        sealed_destination=seal(json.dumps(destination).encode()),
        fingerprint=notices.fingerprint(merchant, destination),
        account_fingerprint=own.account,
        details={"pixKeyType": destination["pixKeyType"]} if "pixKeyType" in destination else {},
        origin=str(draft.origin) if draft.origin else None,
        is_told_together=draft.is_told_together,
        ask_at=now,
        created_at=now,
        updated_at=now,
    )
    withdrawal.merchant = merchant
    if own.approvals:
        asking.require(withdrawal, own.approvals, draft.requester, until=now + own.rules.valid_for)
    return withdrawal, order_to(withdrawal, destination), rail


def lock(merchant: Merchant, withdrawal_id: str) -> Withdrawal:
    """The merchant's withdrawal, locked until the transaction ends. Raises ONP404_WITHDRAWAL."""
    row = first(_LOCK, [withdrawal_id, merchant.pk]) if is_well_formed(withdrawal_id) else None
    if row is None:
        raise WithdrawalUnknown
    withdrawal = load(Withdrawal, row)
    withdrawal.merchant = merchant
    return withdrawal


@transaction.atomic(savepoint=False)
def decide(merchant: Merchant, withdrawal_id: str, outcome: PayoutOutcome, *, note: str = "") -> Withdrawal:
    """The provider's result as support knows it: DONE, DECLINED or RETURNED. In production it takes two people: see
    `proposals`.

    Raises ONP404_WITHDRAWAL and ONP409_WITHDRAWAL_STATE, also while the order may be in flight: money returned
    now could still arrive.
    """
    withdrawal = lock(merchant, withdrawal_id)
    if is_leased(withdrawal):
        raise WithdrawalState
    withdrawal.note = note or withdrawal.note
    return turn(withdrawal, outcome, clock.now(merchant))


@transaction.atomic(savepoint=False)
def simulate(merchant: Merchant, withdrawal_id: str, wanted: str, failure_code: str | None = None) -> Withdrawal:
    """Sets the outcome COMPLETED, FAILED or RETURNED of a sandbox withdrawal (contract §14.4).

    Raises ONP403_SANDBOX_ONLY, ONP403_COMPANY_STATUS, ONP404_WITHDRAWAL, ONP409_WITHDRAWAL_UNAPPROVED (approvals are
    missing, or do not count any more), and ONP409_WITHDRAWAL_STATE: it has ended, crypto cannot be returned, or the
    return is more than thirty days late.
    """
    if merchant.environment != Environment.SANDBOX:
        raise SandboxOnly
    require_active(merchant)
    withdrawal = lock(merchant, withdrawal_id)
    rail = simulator_of(withdrawal)
    now = clock.now(merchant)
    if wanted != Status.FAILED and withdrawal.sent_at is None and not is_still_approved(withdrawal, now):
        raise Unapproved
    if wanted == Status.COMPLETED:
        outcome = PayoutOutcome(PayoutResult.DONE, reference=rail.paid(now))
    elif wanted == Status.FAILED:
        code = FailureCode(failure_code or (FailureCode.BANK_REJECTED if rail.returns else FailureCode.NETWORK_ERROR))
        outcome = PayoutOutcome(PayoutResult.DECLINED, failure=code.failure)
    else:
        _require_returnable(withdrawal, now)
        outcome = PayoutOutcome(PayoutResult.RETURNED, failure=FailureCode.RETURNED_BY_BANK.failure)
    return turn(withdrawal, outcome, now)


def _require_returnable(withdrawal: Withdrawal, now: datetime) -> None:
    if withdrawal.completed_at is None or now > withdrawal.completed_at + RETURNS_WITHIN:
        raise WithdrawalState
