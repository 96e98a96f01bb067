"""The rules in force, and those that are proposed."""

from datetime import datetime, timedelta
from typing import NamedTuple

from accounts.base.rows import columns, first, load, table
from accounts.models import Merchant
from gateway.withdrawals.rules.content import Rules
from gateway.withdrawals.rules.models import RulesState, WithdrawalRules

SETTLES = timedelta(hours=48)
"""How long weaker rules wait, and how long a new approver does."""
_IN_FORCE = f"""
    SELECT {columns(WithdrawalRules)} FROM {table(WithdrawalRules)}
     WHERE merchant_id = %s AND state = '{RulesState.IN_FORCE}'
"""


class RulesInForce(NamedTuple):
    """The rules, and since when rules have applied without a break (None: they have no effect)."""

    rules: Rules
    protected_since: datetime | None

    def trusts(self, since: datetime, now: datetime) -> bool:
        """Whether a role or key that exists since then counts: what is newer than the rules waits."""
        return since <= max(now - SETTLES, self.protected_since or now)


NO_RULES = RulesInForce(Rules(), None)


def in_force(merchant: Merchant) -> RulesInForce:
    return _read(merchant, _IN_FORCE)


def held(merchant: Merchant) -> RulesInForce:
    """The rules in force. If they limit amounts, withdrawals are accepted one after the other from here on."""
    found = in_force(merchant)
    if found.rules.per_day or found.rules.per_beneficiary:
        found = _read(merchant, f"{_IN_FORCE} FOR NO KEY UPDATE")
    return found


def _read(merchant: Merchant, sql: str) -> RulesInForce:
    row = first(sql, [merchant.pk])
    if row is None:
        return NO_RULES
    version = load(WithdrawalRules, row)
    return RulesInForce(Rules.of_json(version.content), version.protected_since)


def proposed(merchant: Merchant) -> WithdrawalRules | None:
    rows = WithdrawalRules.objects.filter(merchant=merchant, state=RulesState.PROPOSED)
    return rows.select_related("proposed_by").first()
