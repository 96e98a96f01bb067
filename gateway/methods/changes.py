"""Changes of rules: validated, kept in history and audit, and reported to the company's owners."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import BigIntegerField, F, ForeignKey, Model, Q, QuerySet
from django.utils.functional import Promise
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit, notices
from accounts.base.errors import Fault
from accounts.base.rows import execute, table
from accounts.models import Environment, Merchant
from gateway.methods.errors import InvalidTerms
from ledger.notation import plain_amount

R = TypeVar("R", bound=Model)
OWN_FIRST = F("merchant").asc(nulls_last=True)


def hold(rule: Any) -> None:
    """Serializes changes of the rules of a method or rail until the transaction ends, so that none is lost.

    Raises ONP400_TERMS if the rule was deleted in the meantime.
    """
    market = f"{table(type(rule))} {getattr(rule, 'method', None) or rule.rail} {rule.currency}"
    execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [market])
    if rule.pk and not type(rule)._base_manager.filter(pk=rule.pk).exists():
        raise InvalidTerms(faults=[Fault("id", "UNKNOWN_VALUE", gettext("It was deleted meanwhile."))])


def own_or_copy(rules: QuerySet[R], merchant: Merchant | None) -> R | None:
    """The merchant's own rule, or an unsaved copy of the general one; None if there is neither."""
    found = rules.filter(Q(merchant=merchant) | Q(merchant=None)).order_by(OWN_FIRST).first()
    if found is None or found.merchant == merchant:  # type: ignore[attr-defined]
        return found
    return copied(found, merchant)


def copied(rule: R, merchant: Merchant | None) -> R:
    """A copy of the rule for the merchant."""
    names = [field.attname for field in rule._meta.concrete_fields if not field.primary_key]
    copy = type(rule)(**{name: getattr(rule, name) for name in names})
    copy.merchant = merchant  # type: ignore[attr-defined]
    return copy


def invalid(rule: Model) -> list[Fault]:
    """Validation errors of the rule, by field."""
    try:
        rule.clean_fields()
    except ValidationError as refused:
        told = {name: " ".join(messages) for name, messages in refused.message_dict.items()}
        return [Fault(name, "INVALID", sentences) for name, sentences in told.items()]
    return []


def faults_of_range(rule: Any) -> list[Fault]:
    """Faults of the amount range of a rule, in one environment."""
    faults = []
    if rule.maximum < rule.minimum:
        faults.append(Fault("maximum", "OUT_OF_RANGE", gettext("The maximum is below the minimum.")))
    if rule.merchant and rule.merchant.environment != rule.environment:
        facts = {"merchant": rule.merchant, "environment": rule.environment}
        faults.append(Fault("environment", "INVALID", "%(merchant)s is not in %(environment)s.", facts))
    return faults


def faults_of_owner(rule: Any, *same: str) -> list[Fault]:
    """Updates the existing rule, if any: there is one per company, or general one, with equal `same` fields."""
    named = {name: getattr(rule, name) for name in ("merchant", *same)}
    if type(rule)._base_manager.filter(**named).exclude(pk=rule.pk).exists():
        return [Fault("merchant", "INVALID", "There are terms of %(rule)s already: change those.", {"rule": rule})]
    return []


def save(by: audit.Actor, rule: R, faults: Sequence[Fault], note: str) -> R:
    """Saves the rule, in the caller's transaction. Raises ONP400_TERMS if there are faults."""
    if faults:
        raise InvalidTerms(faults=faults)
    before = _facts(rule, is_held=True) if rule.pk else None
    rule._change_reason = note[:100] or None  # type: ignore[attr-defined]
    rule.save()
    after = _facts(rule)
    changed = [name for name in after if before is None or before[name] != after[name]]
    if before is None:
        _write_down(by, rule, "added", None, after, note)
        _notify_owners(rule, [rule._meta.verbose_name or ""])
    elif changed:
        was = {name: before[name] for name in changed}
        _write_down(by, rule, "changed", was, {name: after[name] for name in changed}, note)
        _notify_owners(rule, [_label(rule, name) for name in changed])
    return rule


def remove(by: audit.Actor, rule: Model, note: str) -> None:
    """Deletes the rule, in the caller's transaction: the general rule, or the version before, applies again."""
    _write_down(by, rule, "deleted", _facts(rule, is_held=True), None, note)
    rule._change_reason = note[:100] or None  # type: ignore[attr-defined]
    _notify_owners(rule, [rule._meta.verbose_name or ""])
    rule.delete()


def _facts(rule: Model, *, is_held: bool = False) -> dict[str, Any]:
    """The rule as stored, as JSON, with its amounts as money."""
    rows = type(rule)._base_manager.all()
    stored = (rows.select_for_update(no_key=True) if is_held else rows).get(pk=rule.pk)
    return {field.name: _plain(field, stored) for field in stored._meta.concrete_fields if not field.primary_key}


def _label(rule: Model, name: str) -> str | Promise:
    label: str | Promise = capfirst(rule._meta.get_field(name).verbose_name)  # type: ignore[union-attr]
    return label


def _plain(field: Any, rule: Any) -> Any:
    value = getattr(rule, field.attname)
    if isinstance(field, BigIntegerField) and not isinstance(field, ForeignKey):
        return plain_amount(value, rule.currency)
    return value if value is None or isinstance(value, bool | int) else str(value)


def _write_down(by: audit.Actor, rule: Any, what: str, before: Any, after: Any, note: str) -> None:
    action = f"{rule._meta.verbose_name_raw.replace(' ', '_')}.{what}"
    facts = {"object_id": str(rule.pk), "before": before, "after": after}
    audit.record(by, action, merchant=rule.merchant, note=note, by_staff=True, **facts)


def _notify_owners(rule: Any, changed: Sequence[str | Promise]) -> None:
    """Notifies the owners of a company with its own rule, unless it applies to the sandbox only."""
    if rule.merchant is None or rule.merchant.environment == Environment.SANDBOX:
        return
    subject, about = (
        _("support changed your settings"),
        format_lazy(f"{{}}: {', '.join(['{}'] * len(changed))}", rule, *changed),
    )
    notices.notify_owners(rule.merchant.company, subject, "by_support", "settings", what="settings", about=about)
