"""Staff record what became of a payment that no provider can tell, and up to which amount one person may."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.utils import translation
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.audit import Actor
from accounts.models import Environment, Merchant, User
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.methods.registry import by_currency
from gateway.payments import services as payments
from gateway.payments import single_approvals
from gateway.payments.bank_references import require_unused, take_turns
from gateway.payments.errors import (
    OtherAmountReceived,
    OutcomeNotForStaff,
    PaymentOver,
    PaymentState,
    PaymentUnknown,
)
from gateway.payments.manual import awaits_staff, is_manual
from gateway.payments.models import UNDECIDED, Payment, SingleApprovalLimit, Status
from gateway.payments.provider import lock
from ledger.money import to_decimal, to_minor
from ledger.notation import plain_amount

FAILURES = {
    "NOT_PAID": gettext_noop("The payer did not pay."),
    "PAYER_REJECTED": gettext_noop("The payer refused the payment."),
    "ACQUIRER_REFUSED": gettext_noop("The provider refused the payment."),
}
"""The reasons of a decline that staff can choose. They are stored in English, and translated where they are shown."""


@register
class PaymentOutcomeKind(ProposalKind):
    """Values: `answered`; if it was paid the bank's `reference` and the `amount` received, else the `failure_code`."""

    name = "payment.outcome"
    title = _("Record the outcome of a payment")
    permission = "gateway.change_payment"

    def hold(self, object_id: str) -> Payment:
        """Raises ONP404_PAYMENT."""
        known = Payment.objects.select_related("merchant__company").filter(pk=object_id).first()
        if known is None:
            raise PaymentUnknown
        return lock(known.merchant, known.pk)

    def before(self, record: Payment) -> dict[str, Any]:
        """Proof is about one account: once another provider has the payment, somebody proposes again."""
        return {"status": record.status, "account": record.account_id}

    def company_ids(self, record: Payment) -> Iterable[str]:
        return [record.merchant.company_id]

    def takes_two(self, record: Payment, values: Values) -> bool:
        """Unless the amount is within the company's limit for one person."""
        return not single_approvals.is_within(record.merchant, record.currency, record.amount)

    def allows_alone(self, record: Payment, values: Values, person: User) -> bool:
        """Within the company's limit for all that one person decides alone in 24 hours."""
        return single_approvals.is_left(record.merchant, record.currency, record.amount, person)

    def note_alone(self, record: Payment, values: Values, person: User) -> None:
        single_approvals.note(record.merchant, record.currency, record.amount, person, record.pk)

    def require(self, record: Payment, values: Values) -> None:
        """Raises ONP409_PAYMENT_OVER, ONP409_PAYMENT_OUTCOME, ONP409_PAYMENT_STATE, and for one that was paid
        ONP422_OTHER_AMOUNT_RECEIVED, ONP422_BANK_REFERENCE and ONP409_BANK_REFERENCE.
        """
        is_paid = values["answered"] == PaymentResult.DONE
        if record.merchant.environment != Environment.PRODUCTION:
            raise OutcomeNotForStaff
        if is_paid and record.status in (Status.EXPIRED, Status.FAILED):
            raise PaymentOver
        if record.status not in UNDECIDED:
            raise PaymentState
        if not awaits_staff(record):
            raise OutcomeNotForStaff
        if is_paid:
            _require_exact(record, values["amount"])
            assert record.account is not None
            rail = by_currency(record.method)[record.currency]
            require_unused(values["reference"], rail, record.account, record.merchant, by=record)

    def sentence(self, record: Payment, values: Values) -> str:
        return sentence(record, PaymentResult(values["answered"]))

    def lines(self, record: Payment, values: Values) -> list[tuple[str, str]]:
        if values["answered"] != PaymentResult.DONE:
            return [
                (gettext("Outcome"), gettext("Not paid")),
                (gettext("Reason"), translation.gettext(FAILURES[values["failure_code"]])),
            ]
        received = plain_amount(to_minor(Decimal(values["amount"]), record.currency), record.currency)
        facts = [
            (gettext("Outcome"), gettext("Paid")),
            (gettext("Bank reference"), values["reference"]),
            (gettext("Amount received"), received),
        ]
        return [*facts, *_ends(record)]

    def carry_out(self, record: Payment, values: Values, *, by: Actor, note: str) -> Carried:
        take_turns(record.account_id, record.merchant, values.get("reference", ""))
        self.require(record, values)
        before = {"status": record.status}
        concluded = payments.conclude(record.merchant, record.pk, outcome_of(record, values))
        audit.record(
            by,
            f"payment.{values['answered']}",
            merchant=concluded.merchant,
            object_id=concluded.pk,
            before=before,
            after={"status": concluded.status, "reference": concluded.rail_reference},
            note=note,
            by_staff=True,
        )
        return Carried(
            concluded,
            gettext("%(id)s is %(status)s.") % {"id": concluded.pk, "status": concluded.get_status_display().lower()},
        )


@register
class SingleApprovalLimitKind(ProposalKind):
    """Values: `currency`, and as text `amount` of one payment ("0": always two people) and `amount_in_a_day`, of all
    that one person records in 24 hours. The record is the company's merchant.
    """

    name = "payment.single_approval_limit"
    title = _("Change the limit for one person")
    permission = "gateway.change_singleapprovallimit"

    def hold(self, object_id: str) -> Merchant:
        return Merchant.objects.select_for_update(of=("self",), no_key=True).select_related("company").get(pk=object_id)

    def name_of(self, object_id: str) -> str:
        return Merchant.objects.get(pk=object_id).company_id

    def before(self, record: Merchant) -> dict[str, Any]:
        limits = SingleApprovalLimit.objects.filter(merchant=record).order_by("currency")
        return {"limits": [[one.currency, one.amount, one.amount_in_a_day] for one in limits]}

    def company_ids(self, record: Merchant) -> Iterable[str]:
        return [record.company_id]

    def require(self, record: Merchant, values: Values) -> None:
        """Raises ONP409_PAYMENT_OUTCOME for a sandbox."""
        if record.environment != Environment.PRODUCTION:
            raise OutcomeNotForStaff

    def sentence(self, record: Merchant, values: Values) -> str:
        return gettext(
            "Up to these amounts one person records what became of payments of this company, without a second one: of "
            "one payment, and of all that the person records in 24 hours."
        )

    def lines(self, record: Merchant, values: Values) -> list[tuple[str, str]]:
        currency = values["currency"]
        limits = _limits(values)
        if not all(limits.values()):
            return [(gettext("Limit"), gettext("None in %(currency)s") % {"currency": currency})]
        amount, in_a_day = (plain_amount(limit, currency) for limit in limits.values())
        return [(gettext("Limit"), amount), (gettext("Limit in 24 hours"), in_a_day)]

    def carry_out(self, record: Merchant, values: Values, *, by: Actor, note: str) -> Carried:
        before, currency = self.before(record), values["currency"]
        SingleApprovalLimit.objects.update_or_create(merchant=record, currency=currency, defaults=_limits(values))
        audit.record(
            by,
            "single_approval_limit.changed",
            merchant=record,
            before=before,
            after=self.before(record),
            note=note,
            by_staff=True,
        )
        return Carried(record, gettext("The limit was changed."))


def _limits(values: Values) -> dict[str, int]:
    """Older proposals name no limit for a day: one payment reaches it."""
    given = {"amount": values["amount"], "amount_in_a_day": values.get("amount_in_a_day", values["amount"])}
    return {name: to_minor(Decimal(text), values["currency"]) for name, text in given.items()}


def _ends(payment: Payment) -> list[tuple[str, str]]:
    """When it is too late to confirm: no proposal stops the payer's time, and at a manual account nobody is asked."""
    if payment.account is None or not is_manual(payment.account) or payment.expires_at is None:
        return []
    return [(gettext("Payment expires"), f"{payment.expires_at:%Y-%m-%d %H:%M}Z")]


def values_paid(reference: str, amount: Decimal) -> dict[str, str]:
    """The values of a proposal that a payment was paid."""
    reference = " ".join(reference.split())
    return {"answered": PaymentResult.DONE.value, "reference": reference, "amount": f"{amount:f}"}


def values_declined(failure_code: str) -> dict[str, str]:
    """The values of a proposal that a payment was not paid and will not be."""
    return {"answered": PaymentResult.DECLINED.value, "failure_code": failure_code}


def outcome_of(payment: Payment, values: Values) -> PaymentOutcome:
    """As the method's rail would tell it."""
    if values["answered"] != PaymentResult.DONE:
        code = values["failure_code"]
        return PaymentOutcome(PaymentResult.DECLINED, failure=(code, FAILURES[code]))
    return by_currency(payment.method)[payment.currency].received(values["reference"])


def sentence(payment: Payment, answered: PaymentResult) -> str:
    """The effect of a decision."""
    amount, net = (plain_amount(minor, payment.currency) for minor in (payment.amount, payment.net))
    if answered == PaymentResult.DONE:
        told = gettext("The payer paid %(amount)s. %(net)s is credited to the company. This cannot be undone.")
        return told % {"amount": amount, "net": net}
    told = gettext(
        "The payer did not pay %(amount)s, and the payment fails. Money that arrives later is not credited. "
        "This cannot be undone."
    )
    return told % {"amount": amount}


def _require_exact(payment: Payment, received: str) -> None:
    if Decimal(received) != to_decimal(payment.amount, payment.currency):
        raise OtherAmountReceived
