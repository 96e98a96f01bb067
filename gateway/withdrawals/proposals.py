"""Staff decide the result of a withdrawal; in production, where no provider answers, two people."""

from collections.abc import Iterable
from typing import Any

from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.audit import Actor
from accounts.models import Environment
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.errors import WithdrawalState, WithdrawalUnknown
from gateway.withdrawals.lifecycle import may_be
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.provider import MEANS
from ledger.notation import plain_amount

OUTCOMES = {
    PayoutResult.DONE: _("Completed"),
    PayoutResult.DECLINED: _("Failed"),
    PayoutResult.RETURNED: _("Returned"),
}


@register
class WithdrawalOutcome(ProposalKind):
    """Values: `answered`, and the provider's `reference` or the `failure_code`."""

    name = "withdrawal.outcome"
    title = _("Record the outcome of a withdrawal")
    permission = "gateway.change_withdrawal"

    def hold(self, object_id: str) -> Withdrawal:
        """Raises ONP404_WITHDRAWAL."""
        known = Withdrawal.objects.select_related("merchant__company").filter(pk=object_id).first()
        if known is None:
            raise WithdrawalUnknown
        return withdrawals.lock(known.merchant, known.pk)

    def before(self, record: Withdrawal) -> dict[str, Any]:
        return {"status": record.status}

    def company_ids(self, record: Withdrawal) -> Iterable[str]:
        return [record.merchant.company_id]

    def takes_two(self, record: Withdrawal, values: Values) -> bool:
        """Only in production, where money is real."""
        return record.merchant.environment == Environment.PRODUCTION

    def require(self, record: Withdrawal, values: Values) -> None:
        """Raises ONP409_WITHDRAWAL_STATE."""
        if not may_be(MEANS[PayoutResult(values["answered"])], record):
            raise WithdrawalState

    def sentence(self, record: Withdrawal, values: Values) -> SafeString | str:
        return sentence(record, PayoutResult(values["answered"]))

    def lines(self, record: Withdrawal, values: Values) -> list[tuple[str, str]]:
        outcome = outcome_of(values)
        text = [(gettext("Outcome"), str(OUTCOMES[outcome.answered]))]
        text += [(gettext("Reference"), outcome.reference)] if outcome.reference else []
        return text + ([(gettext("Why"), translation.gettext(outcome.failure[1]))] if outcome.failure else [])

    def carry_out(self, record: Withdrawal, values: Values, *, by: Actor, note: str) -> Carried:
        before, outcome = self.before(record), outcome_of(values)
        decided = withdrawals.decide(record.merchant, record.pk, outcome, note=note)
        audit.record(
            by,
            f"withdrawal.{outcome.answered.value}",
            merchant=decided.merchant,
            object_id=decided.pk,
            before=before,
            after=self.before(decided),
            note=note,
            by_staff=True,
        )
        return Carried(
            decided,
            gettext("%(id)s is %(status)s.") % {"id": decided.pk, "status": decided.get_status_display().lower()},
        )


def values_of(outcome: PayoutOutcome) -> dict[str, str]:
    """The values of a proposal for this outcome."""
    failure_code = outcome.failure[0] if outcome.failure else ""
    return {
        "answered": outcome.answered.value,
        "reference": outcome.reference or "",
        "failure_code": failure_code,
    }


def outcome_of(values: Values) -> PayoutOutcome:
    """The provider's result, as far as known."""
    failure = FailureCode(values["failure_code"]).failure if values["failure_code"] else None
    return PayoutOutcome(PayoutResult(values["answered"]), reference=values["reference"] or None, failure=failure)


SENTENCES = {
    PayoutResult.DONE: _("The beneficiary received %(payout)s. %(total)s leaves the company's wallet permanently."),
    PayoutResult.DECLINED: _(
        "The beneficiary receives nothing. %(total)s becomes available to the company immediately."
    ),
    PayoutResult.RETURNED: _("The beneficiary's bank returned %(payout)s. It is credited to the company immediately."),
}


def sentence(withdrawal: Withdrawal, answered: PayoutResult) -> SafeString | str:
    """The effect of a decision, with a warning if the money may already have been sent."""
    total = plain_amount(withdrawal.total, withdrawal.currency)
    payout = plain_amount(withdrawal.payout_amount, withdrawal.payout_currency)
    effect = SENTENCES[answered] % {"total": total, "payout": payout}
    text = " ".join((effect, gettext("This cannot be undone.")))
    if answered != PayoutResult.DECLINED or withdrawal.merchant.environment != Environment.PRODUCTION:
        return text
    warning = gettext(
        "The money may already have been sent, and would then be paid twice. "
        "Continue only if the provider has confirmed in writing that it did not and will not pay this withdrawal."
    )
    return format_html("{} <b>{}</b>", text, warning)
