"""A company goes live: its methods, payout rails and features in production as one decision of two people."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts import audit, notices, standing
from accounts.audit import Actor
from accounts.base.errors import Fault
from accounts.errors import CompanyState
from accounts.models import Company, Environment, Merchant
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.methods import services as methods
from gateway.methods.errors import InvalidTerms
from gateway.methods.models import MethodRule, PriceRule
from gateway.methods.selectors import known as methods_known
from gateway.payouts import services as payouts
from gateway.payouts.models import PayoutRule
from gateway.payouts.selectors import known as rails_known
from ledger.money import to_decimal, to_minor

FEATURES = {
    "withdrawal_enabled": _("Withdrawal"),
    "conversion_enabled": _("Conversion"),
    "advance_enabled": _("Advance"),
    "card_tokens_enabled": _("Card tokens"),
}
LIMITS, PRICE = ("enabled", "minimum", "maximum"), ("percentage", "fixed", "settlement_days")
PAYOUT = ("enabled", "minimum", "maximum", "fee_percentage", "fee_fixed")
AMOUNTS = ("minimum", "maximum", "fixed", "fee_fixed")


def terms_now(production: Merchant) -> dict[str, dict[str, Any]]:
    """What applies to the company: `methods` and `rails` by "PIX BRL", and `features`. Amounts and shares as text."""
    return {
        "methods": {
            f"{one.rule.method} {one.rule.currency}": _plain(one.rule, LIMITS) | _plain(one.price, PRICE)
            for one in methods_known(production)
        },
        "rails": {f"{rule.rail} {rule.currency}": _plain(rule, PAYOUT) for rule in rails_known(production)},
        "features": {name: getattr(production, name) for name in FEATURES},
    }


def changed_terms(production: Merchant, wanted: Values) -> dict[str, dict[str, Any]]:
    """The part of the wanted terms that differs from what applies."""
    now = terms_now(production)
    return {part: {name: given for name, given in wanted[part].items() if now[part].get(name) != given} for part in now}


def _plain(rule: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: _text(rule, name) for name in names}


def _text(rule: Any, name: str) -> Any:
    value = getattr(rule, name)
    if name in AMOUNTS:
        return f"{to_decimal(value, rule.currency).normalize():f}"
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


@register
class GoLive(ProposalKind):
    """Values: as `terms_now`, only what changes. The record is the company's production."""

    name = "company.go_live"
    title = _("Take a company live")
    permission = "accounts.take_live"

    def hold(self, object_id: str) -> Merchant:
        company = standing.hold(object_id)
        held = Merchant.objects.select_for_update(no_key=True, of=("self",)).select_related("company")
        return held.get(company=company, environment=Environment.PRODUCTION)

    def before(self, record: Merchant) -> dict[str, Any]:
        """All terms: whatever is changed meanwhile, somebody looks again."""
        return {"status": record.company.status, **terms_now(record)}

    def company_ids(self, record: Merchant) -> Iterable[str]:
        return [record.company_id]

    def require(self, record: Merchant, values: Values) -> None:
        """Raises ONP409_COMPANY_STATE for a company that is not verified, and ONP400_TERMS."""
        if record.company.status != Company.Status.ACTIVE:
            raise CompanyState
        if faults := faults_of(record, values):
            raise InvalidTerms(faults=faults)

    def sentence(self, record: Merchant, values: Values) -> str:
        return gettext("These terms apply in production from then on, all at once. Owners are notified by e-mail.")

    def lines(self, record: Merchant, values: Values) -> list[tuple[str, str]]:
        now = terms_now(record)
        rules = [
            (
                name,
                gettext("%(terms)s (now: %(before)s)")
                % {"terms": _in_words(given), "before": _in_words(now[part].get(name, {}))},
            )
            for part in ("methods", "rails")
            for name, given in values[part].items()
        ]
        features = [
            (str(FEATURES[name]), gettext("on") if on else gettext("off")) for name, on in values["features"].items()
        ]
        return [*rules, *features]

    def carry_out(self, record: Merchant, values: Values, *, by: Actor, note: str) -> Carried:
        """Each part through its own service, in the transaction of the confirmation: all of it or nothing."""
        for rule in _rules(record, values):
            if isinstance(rule, MethodRule):
                methods.set_limits(by, rule, note)
            elif isinstance(rule, PriceRule):
                methods.set_price(by, rule, note)
            else:
                payouts.set_payout_terms(by, rule, note)
        _switch(record, values["features"], by, note)
        return Carried(record.company, gettext("%(company)s is live with these terms.") % {"company": record.company})


def faults_of(production: Merchant, values: Values) -> list[Fault]:
    """What is wrong with the terms, each named by its method or rail."""
    found = []
    for rule in _rules(production, values):
        if isinstance(rule, MethodRule):
            pair, faults = f"{rule.method} {rule.currency}", methods.faults_of_limits(rule)
        elif isinstance(rule, PriceRule):
            pair, faults = f"{rule.method} {rule.currency}", methods.faults_of_price(rule)
        else:
            pair, faults = f"{rule.rail} {rule.currency}", payouts.faults_of_payout_terms(rule)
        for fault in faults:
            told = f"{pair}: {fault.in_words()}"
            found.append(Fault(f"{pair} {fault.field}", fault.code, told))
    return found


def _rules(production: Merchant, values: Values) -> Iterator[MethodRule | PriceRule | PayoutRule]:
    """The rules to save, with the wanted terms; prices only where they differ."""
    now = terms_now(production)["methods"]
    for pair, given in values["methods"].items():
        method, currency = pair.split(" ")
        yield _filled(methods.limits(production, Environment.PRODUCTION, method, currency), given, LIMITS)
        if any(now[pair][name] != given[name] for name in PRICE):
            yield _filled(methods.draft_price(production, method, currency), given, PRICE)
    for pair, given in values["rails"].items():
        rail, currency = pair.split(" ")
        yield _filled(payouts.payout_terms(production, Environment.PRODUCTION, rail, currency), given, PAYOUT)


def _filled(rule: Any, given: Values, names: Iterable[str]) -> Any:
    for name in names:
        value = given[name]
        if name in AMOUNTS:
            value = to_minor(Decimal(value), rule.currency)
        setattr(rule, name, Decimal(value) if isinstance(value, str) else value)
    return rule


def _switch(production: Merchant, features: Values, by: Actor, note: str) -> None:
    if not features:
        return
    before = {name: getattr(production, name) for name in features}
    for name, is_on in features.items():
        setattr(production, name, is_on)
    production.save()
    audit.record(
        by, "merchant.changed", merchant=production, before=before, after=dict(features), note=note, by_staff=True
    )
    subject, about = _("support changed your settings"), f"{production}: {', '.join(features)}"
    notices.notify_owners(production.company, subject, "by_support", "settings", what="settings", about=about)


def _in_words(given: Values) -> str:
    if not given:
        return gettext("none")
    on = gettext("on") if given["enabled"] else gettext("off")
    fixed, share = given.get("fixed", given.get("fee_fixed")), given.get("percentage", given.get("fee_percentage"))
    text = gettext("%(on)s, %(least)s to %(most)s, %(share)s + %(fixed)s") % {
        "on": on,
        "least": given["minimum"],
        "most": given["maximum"],
        "share": f"{share} %",
        "fixed": fixed,
    }
    if "settlement_days" not in given:
        return text
    days = int(given["settlement_days"])
    in_days = ngettext("%(n)s day", "%(n)s days", days) % {"n": days}
    return f"{text}, {in_days}"
