"""The preflight as shown: every check with its result in words, and the price."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from accounts.base.errors import InvalidRequest
from accounts.models import Merchant
from gateway.dashboard.refusals import in_words
from gateway.dashboard.withdrawals.forms import WithdrawalForm
from gateway.dashboard.withdrawals.words import GATE, Said
from gateway.payouts.selectors import PayoutTerms
from gateway.withdrawals.gates import Price
from gateway.withdrawals.preflight import Gate, PreflightDraft, preflight
from ledger.wallets.selectors import holdings


@dataclass(frozen=True, slots=True)
class Check:
    """One check: whether it passes (None: unknown yet), and what to do if it does not."""

    title: Said
    holds: bool | None
    advice: str


@dataclass(frozen=True, slots=True)
class Checks:
    """All checks, and the amounts in minor units: of the wallet, the payout and the payout limits."""

    checks: list[Check]
    passes: bool
    currency: str | None
    paid_out: str | None
    available: int
    price: Price | None
    terms: PayoutTerms | None
    approvals: int | None

    @property
    def total(self) -> int | None:
        return self.price.amount + self.price.fee if self.price else None

    @property
    def after(self) -> int | None:
        """The available balance afterwards; None if it is insufficient or unknown."""
        left = self.available - self.total if self.total is not None else -1
        return left if left >= 0 else None

    @property
    def received(self) -> int | None:
        """What the beneficiary receives; never below zero."""
        return max(self.price.payout, 0) if self.price else None

    @property
    def is_converted(self) -> bool:
        return self.paid_out is not None and self.paid_out != self.currency


def checks_of(merchant: Merchant, form: WithdrawalForm) -> Checks:
    """The preflight of a form that may be incomplete."""
    is_right = form.is_valid()
    given = form.given
    found = preflight(
        merchant,
        PreflightDraft(
            rail=form.rail,
            origin=None,
            body=None if is_right else InvalidRequest(),
            company_id=merchant.company_id,
            amount=given.get("amount"),
            currency=form.taken_from,
            payout_currency=form.paid_out,
            reference=form.own_reference or None,
            minimum_payout=given.get("minimum_asset_amount"),
            destination=form.members() if is_right else None,
            may_read_balance=True,
            is_from_backend=False,
        ),
    )
    currency = form.taken_from
    held = holdings(merchant, currency).currencies.get(currency) if currency else None
    return Checks(
        checks=[_check(gate, form) for gate in found.gates if gate.name in _shown(form)],
        passes=found.passes,
        currency=currency,
        paid_out=form.paid_out,
        available=held.available if held else 0,
        price=found.price,
        terms=found.terms,
        approvals=found.approvals,
    )


def _shown(form: WithdrawalForm) -> set[str]:
    return set(GATE) if form.rail == "CRYPTO" else set(GATE) - {"RATE"}


def _check(gate: Gate, form: WithdrawalForm) -> Check:
    if gate.name == "BODY" and not form.is_bound:
        return Check(GATE[gate.name], None, "")
    if gate.name == "BODY" and not gate.holds:
        return Check(GATE[gate.name], False, _faulty_fields(form))
    return Check(GATE[gate.name], gate.holds, in_words(gate.refusal) if gate.refusal else "")


def _faulty_fields(form: WithdrawalForm) -> str:
    fields: list[Any] = [form.fields[name].label for name in form.errors if name in form.fields]
    return _("Check: %(fields)s.") % {"fields": ", ".join(map(str, fields))}
