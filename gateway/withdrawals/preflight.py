"""All checks of a withdrawal at once, so that a first integration sees every problem together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeVar

from accounts.base.errors import Refusal
from accounts.models import Merchant
from gateway.payments.services import require_active
from gateway.payouts.selectors import PayoutTerms
from gateway.withdrawals import gates
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import Price, WithdrawalDraft
from gateway.withdrawals.origin import Address
from gateway.withdrawals.rules import checks
from gateway.withdrawals.rules.selectors import in_force

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class PreflightDraft:
    """A possibly incomplete order: None where a value is missing or invalid.

    `permission` and `body` are the errors about key and body, if any. `may_read_balance`: the requester could read the
    balance. Orders that do not come from a backend have no registered address.
    """

    rail: str
    origin: Address | None
    permission: Refusal | None = None
    body: Refusal | None = None
    company_id: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    payout_currency: str | None = None
    reference: str | None = None
    minimum_payout: Decimal | None = None
    destination: Mapping[str, str] | None = None
    may_read_balance: bool = False
    is_from_backend: bool = True


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a check passes, or its error; None if the result cannot be disclosed or depends on another check."""

    name: str
    holds: bool | None
    refusal: Refusal | None = None


@dataclass(slots=True)
class Preflight:
    """The checks in the order of a real withdrawal, with terms, price and the approvals needed, as far as known."""

    gates: list[Gate] = field(default_factory=list)
    terms: PayoutTerms | None = None
    price: Price | None = None
    approvals: int | None = None

    @property
    def passes(self) -> bool:
        return all(gate.holds for gate in self.gates)

    def try_gate(self, name: str, check: Callable[[], R], *, when: object = True) -> R | None:
        """Runs the check and returns its result; None if it fails, or if `when` is False and it cannot be run."""
        if not when:
            self.gates.append(Gate(name, None))
            return None
        try:
            result = check()
        except Refusal as refusal:
            self.gates.append(Gate(name, False, refusal))
            return None
        self.gates.append(Gate(name, True))
        return result


def preflight(merchant: Merchant, draft: PreflightDraft) -> Preflight:
    """Runs all checks. Without permission, by key or by address, nothing is disclosed that the requester could not
    read.
    """
    found = Preflight()
    found.try_gate("PERMISSION", lambda: _raise_if(draft.permission))
    if draft.is_from_backend:
        found.try_gate("REGISTERED_IP", lambda: gates.require_origin(merchant, draft.origin))
    may_withdraw = found.passes
    found.try_gate("COMPANY_ACTIVE", lambda: require_active(merchant))
    found.try_gate("WITHDRAWAL_ENABLED", lambda: gates.require_enabled(merchant))
    found.try_gate("NO_WAIT", lambda: gates.require_no_wait(merchant))
    found.try_gate("BODY", lambda: _raise_if(draft.body))
    found.try_gate("OWN_COMPANY", lambda: gates.require_own(merchant, draft.company_id or ""), when=draft.company_id)
    currency = draft.payout_currency or ""
    terms = found.try_gate("RAIL", lambda: gates.require_rail(merchant, draft.rail, currency), when=currency)
    priceable = _priceable(draft)
    price = found.try_gate(
        "RATE", lambda: gates.priced(merchant, _known(priceable), _known(terms)), when=priceable and terms
    )
    found.try_gate(
        "LIMITS", lambda: gates.require_limits(merchant, _known(priceable), _known(terms), _known(price)), when=price
    )
    own = _under_own_rules(found, merchant, draft, price, may_read=may_withdraw)
    reference = draft.reference or ""
    found.try_gate("REFERENCE", lambda: gates.require_reference(merchant, reference), when=reference and may_withdraw)
    found.try_gate(
        "BALANCE",
        lambda: gates.require_balance(merchant, draft.currency or "", _known(price)),
        when=price and (may_withdraw or draft.may_read_balance),
    )
    if draft.permission is None:
        found.terms, found.price, found.approvals = terms, price, own
    return found


def _under_own_rules(
    found: Preflight, merchant: Merchant, draft: PreflightDraft, price: Price | None, *, may_read: bool
) -> int | None:
    """Runs the checks of the company's own rules, and returns how many people would have to approve."""
    rules, currency = in_force(merchant).rules, draft.currency or ""
    accounts = []
    if draft.destination is not None and draft.payout_currency and may_read:
        accounts = checks.accounts(merchant, draft.rail, draft.payout_currency, draft.destination)
    is_known = found.try_gate(
        "BENEFICIARY", lambda: checks.require_beneficiary(rules, merchant, accounts), when=accounts
    )
    amount = price.amount if price else 0
    found.try_gate(
        "OWN_LIMITS",
        lambda: checks.require_limits(rules, merchant, currency, amount, accounts),
        when=price and may_read,
    )
    return rules.approvals_for(currency, amount, is_known=is_known) if price and is_known is not None else None


def _known(value: R | None) -> R:
    assert value is not None
    return value


def _raise_if(refusal: Refusal | None) -> None:
    if refusal:
        raise refusal


def _priceable(draft: PreflightDraft) -> WithdrawalDraft | None:
    """The order as far as its price needs it."""
    if draft.amount is None or draft.currency is None or draft.payout_currency is None:
        return None
    return WithdrawalDraft(
        company_id="",
        rail=draft.rail,
        amount=draft.amount,
        currency=draft.currency,
        payout_currency=draft.payout_currency,
        reference="",
        destination={},
        requester=Requester(),
        minimum_payout=draft.minimum_payout,
    )
