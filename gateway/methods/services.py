"""Changes of prices and limits of methods: all staff changes, by page or command, use these services."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Fault
from accounts.models import Environment, Merchant
from gateway.methods import changes
from gateway.methods.errors import InvalidTerms, TermsInForce
from gateway.methods.models import MethodRule, PriceRule
from gateway.methods.registry import markets


def draft_price(
    merchant: Merchant | None, method: str, currency: str, effective_from: datetime | None = None
) -> PriceRule:
    """A new, unsaved version with the terms at that time, of the merchant or general; None: from now.

    No other change of the method is saved before the caller's transaction ends.
    Raises ONP400_TERMS for a method that does not exist in the currency.
    """
    changes.hold(PriceRule(method=method, currency=currency))
    theirs = Q(merchant=merchant) | Q(merchant=None)
    versions = PriceRule.objects.filter(theirs, method=method, currency=currency)
    begun = versions.filter(effective_from__lte=effective_from or utcnow())
    found = begun.order_by(changes.OWN_FIRST, "-effective_from").first()
    if found is None:
        raise InvalidTerms(faults=[_no_market(method, currency)])
    draft = changes.copied(found, merchant)
    draft.effective_from = effective_from  # type: ignore[assignment]
    return draft


@transaction.atomic
def set_price(by: Actor, price: PriceRule, note: str = "") -> PriceRule:
    """Saves a version of a price for payments created from `effective_from` on; None: from now.

    Existing payments keep their price. Raises ONP400_TERMS for an invalid price, and ONP409_TERMS for changing a
    version that is already effective.
    """
    changes.hold(price)
    _require_open(price)
    faults = faults_of_price(price)
    price.effective_from = price.effective_from or utcnow()
    return changes.save(by, price, faults, note)


def next_version(price: PriceRule) -> PriceRule | None:
    """The version that replaces this one at its time, if there is one already."""
    same = PriceRule.objects.filter(merchant=price.merchant, method=price.method, currency=price.currency)
    return same.filter(effective_from__gt=price.effective_from).order_by("effective_from").first()


@transaction.atomic
def withdraw_price(by: Actor, price: PriceRule, note: str = "") -> None:
    """Withdraws a future version; the one before stays in force. Raises ONP409_TERMS if it is already effective."""
    changes.hold(price)
    _require_open(price)
    changes.remove(by, price, note)


def faults_of_price(price: PriceRule) -> list[Fault]:
    """The faults that `set_price` would raise. `effective_from` may be None."""
    begins, price.effective_from = price.effective_from, price.effective_from or utcnow()
    faults = changes.invalid(price)
    price.effective_from = begins
    if not faults and (price.method, price.currency) not in markets():
        faults.append(_no_market(price.method, price.currency))
    if begins is None:
        return faults
    if begins < utcnow():
        faults.append(
            Fault("effective_from", "OUT_OF_RANGE", gettext("Must not be in the past: payments keep their price."))
        )
    same = {"merchant": price.merchant, "method": price.method, "currency": price.currency, "effective_from": begins}
    if PriceRule.objects.filter(**same).exclude(pk=price.pk).exists():
        faults.append(Fault("effective_from", "INVALID", gettext("Another version begins at this time.")))
    return faults


def limits(merchant: Merchant | None, environment: Environment, method: str, currency: str) -> MethodRule:
    """The rule of the merchant, or the general one; an unsaved copy of the general one if the merchant has none.

    No other change of the method is saved before the caller's transaction ends.
    Raises ONP400_TERMS for a method that does not exist in the currency.
    """
    changes.hold(MethodRule(method=method, currency=currency))
    rules = MethodRule.objects.filter(environment=environment, method=method, currency=currency)
    found = changes.own_or_copy(rules, merchant)
    if found is None:
        raise InvalidTerms(faults=[_no_market(method, currency)])
    return found


@transaction.atomic
def set_limits(by: Actor, rule: MethodRule, note: str = "") -> MethodRule:
    """Enables or disables a method and sets its limits and times, for new payments, immediately. Raises
    ONP400_TERMS.
    """
    changes.hold(rule)
    return changes.save(by, rule, faults_of_limits(rule), note)


@transaction.atomic
def remove_limits(by: Actor, rule: MethodRule, note: str = "") -> None:
    """Makes the general rule apply to the merchant again. Raises ONP409_TERMS for the general rule itself."""
    if rule.merchant is None:
        raise TermsInForce
    changes.hold(rule)
    changes.remove(by, rule, note)


def faults_of_limits(rule: MethodRule) -> list[Fault]:
    """The faults that `set_limits` would raise."""
    faults = changes.invalid(rule)
    if not faults and (rule.method, rule.currency) not in markets():
        faults.append(_no_market(rule.method, rule.currency))
    owner = changes.faults_of_owner(rule, "environment", "method", "currency")
    return faults or [*owner, *changes.faults_of_range(rule), *_faults_of_times(rule)]


def _faults_of_times(rule: MethodRule) -> list[Fault]:
    shortest, usual, longest = rule.expires_in_min_s, rule.expires_in_s, rule.expires_in_max_s
    if (shortest is None) != (longest is None):
        return [
            Fault("expires_in_max_s", "INVALID", gettext("Give both the shortest and the longest time, or neither."))
        ]
    ascending = [seconds for seconds in (shortest, usual, longest) if seconds is not None]
    if ascending != sorted(ascending):
        return [Fault("expires_in_s", "OUT_OF_RANGE", gettext("Must be between the shortest and the longest."))]
    return []


def _no_market(method: str, currency: str) -> Fault:
    return Fault(
        "currency",
        "UNKNOWN_VALUE",
        gettext("%(method)s does not exist in %(currency)s.") % {"method": method, "currency": currency},
    )


def _require_open(price: PriceRule) -> None:
    """Locks the version until the transaction ends. Raises ONP409_TERMS if it is already effective."""
    stored = PriceRule.objects.select_for_update(no_key=True).filter(pk=price.pk).first() if price.pk else None
    if stored and stored.effective_from <= utcnow():
        raise TermsInForce
