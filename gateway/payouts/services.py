"""Changes of limits and prices of payout rails: all staff changes, by page or command, use these services."""

from django.db import transaction
from django.utils.translation import gettext

from accounts.audit import Actor
from accounts.base.errors import Fault
from accounts.models import Environment, Merchant
from gateway.methods import changes
from gateway.methods.errors import InvalidTerms, TermsInForce
from gateway.payouts.models import PayoutRule
from gateway.payouts.registry import RailName, markets


def payout_terms(merchant: Merchant | None, environment: Environment, rail: str, currency: str) -> PayoutRule:
    """The rule of the merchant, or the general one; an unsaved copy of the general one if the merchant has none.

    No other change of the rail is saved before the caller's transaction ends.
    Raises ONP400_TERMS for a rail that does not pay out the currency.
    """
    changes.hold(PayoutRule(rail=rail, currency=currency))
    rules = PayoutRule.objects.filter(environment=environment, rail=rail, currency=currency)
    found = changes.own_or_copy(rules, merchant)
    if found is None:
        raise InvalidTerms(faults=[_no_market(rail, currency)])
    return found


@transaction.atomic
def set_payout_terms(by: Actor, rule: PayoutRule, note: str = "") -> PayoutRule:
    """Enables or disables a rail and sets its limits and fees, for new withdrawals, immediately. Raises
    ONP400_TERMS.
    """
    changes.hold(rule)
    return changes.save(by, rule, faults_of_payout_terms(rule), note)


@transaction.atomic
def remove_payout_terms(by: Actor, rule: PayoutRule, note: str = "") -> None:
    """Makes the general rule apply to the merchant again. Raises ONP409_TERMS for the general rule itself."""
    if rule.merchant is None:
        raise TermsInForce
    changes.hold(rule)
    changes.remove(by, rule, note)


def faults_of_payout_terms(rule: PayoutRule) -> list[Fault]:
    """The faults that `set_payout_terms` would raise."""
    if faults := changes.invalid(rule):
        return faults
    if (rule.rail, rule.currency) not in markets():
        return [_no_market(rule.rail, rule.currency)]
    owner = changes.faults_of_owner(rule, "environment", "rail", "currency")
    return [*owner, *changes.faults_of_range(rule), *_faults_of_fees(rule)]


def _faults_of_fees(rule: PayoutRule) -> list[Fault]:
    if rule.rail == RailName.CRYPTO and rule.fee_fixed:
        return [
            Fault("fee_fixed", "NOT_ALLOWED", gettext("The wallet can be of any currency, so crypto has no fixed fee."))
        ]
    if rule.rail != RailName.CRYPTO and rule.network_fee:
        return [Fault("network_fee", "NOT_ALLOWED", gettext("Only crypto has a network fee."))]
    return []


def _no_market(rail: str, currency: str) -> Fault:
    return Fault(
        "currency",
        "UNKNOWN_VALUE",
        gettext("%(rail)s does not pay out %(currency)s.") % {"rail": rail, "currency": currency},
    )
