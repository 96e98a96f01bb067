"""How limits and prices of payout rails change: whatever staff change, by a page or a command, comes through here."""

from django.db import transaction
from django.db.models import F, Q

from accounts.audit import Actor
from accounts.base.errors import Fault
from accounts.models import Environment, Merchant
from gateway.methods import changes
from gateway.methods.errors import InvalidTerms, TermsInForce
from gateway.payouts.models import PayoutRule
from gateway.payouts.registry import RailName, markets


def payout_terms(merchant: Merchant | None, environment: Environment, rail: str, currency: str) -> PayoutRule:
    """The rule of the merchant, or of everybody; unsaved where the merchant has none, and then as everybody's.

    Refuses with ONP400_TERMS a rail that does not pay out the currency.
    """
    theirs = Q(merchant=merchant) | Q(merchant=None)
    rules = PayoutRule.objects.filter(theirs, environment=environment, rail=rail, currency=currency)
    found = rules.order_by(F("merchant").asc(nulls_last=True)).first()
    if found is None:
        raise InvalidTerms(faults=[_no_market(rail, currency)])
    return found if found.merchant == merchant else changes.copied(found, merchant)


@transaction.atomic
def set_payout_terms(by: Actor, rule: PayoutRule, note: str = "") -> PayoutRule:
    """Whether a rail is on, its limits and its fees: for new withdrawals, at once. Refuses with ONP400_TERMS."""
    return changes.save(by, rule, faults_of_payout_terms(rule), note)


@transaction.atomic
def remove_payout_terms(by: Actor, rule: PayoutRule, note: str = "") -> None:
    """Everybody's rule holds for the merchant again. Refuses with ONP409_TERMS to remove that one."""
    if rule.merchant is None:
        raise TermsInForce
    changes.remove(by, rule, note)


def faults_of_payout_terms(rule: PayoutRule) -> list[Fault]:
    """What `set_payout_terms` would refuse."""
    if faults := changes.invalid(rule):
        return faults
    if (rule.rail, rule.currency) not in markets():
        return [_no_market(rule.rail, rule.currency)]
    return [*changes.faults_of_range(rule), *_faults_of_fees(rule)]


def _faults_of_fees(rule: PayoutRule) -> list[Fault]:
    if rule.rail == RailName.CRYPTO and rule.fee_fixed:
        return [Fault("fee_fixed", "NOT_ALLOWED", "The wallet can be of any currency, so crypto has no fixed fee.")]
    if rule.rail != RailName.CRYPTO and rule.network_fee:
        return [Fault("network_fee", "NOT_ALLOWED", "Only crypto has a network fee.")]
    return []


def _no_market(rail: str, currency: str) -> Fault:
    return Fault("currency", "UNKNOWN_VALUE", f"{rail} does not pay out {currency}.")
