"""Refusals of rules, and of withdrawals that they do not allow."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class InvalidRules(Refusal):
    code = "ONP400_WITHDRAWAL_RULES"
    message = _("These rules cannot work: they need more people, roles or amounts than were given.")
    advice = _("Correct the field named in error.field.")


class RulesNotYours(Refusal):
    code = "ONP403_WITHDRAWAL_RULES"
    message = _("Another owner must agree, who has been an owner for 48 hours or since before the rules.")
    advice = _("Ask such an owner, or wait until the change takes effect.")


class RulesState(Refusal):
    code = "ONP409_WITHDRAWAL_RULES"
    message = _("The proposed rules have been replaced, stopped or put in force.")
    advice = _("Reload the rules.")


class BeneficiaryUnknown(Refusal):
    code = "ONP403_BENEFICIARY_UNKNOWN"
    message = _("The company's rules allow withdrawals to its beneficiaries only, and this account is none of them.")
    advice = _("Add the account to the beneficiaries; it can be used after its cooling-off time.")


class BeneficiaryCoolingOff(Refusal):
    code = "ONP403_BENEFICIARY_COOLING_OFF"
    message = _("The beneficiary is new, and the company's rules allow withdrawals only after its cooling-off time.")
    advice = _("Wait until usableFrom of the beneficiary.")


class DayLimit(Refusal):
    code = "ONP422_WITHDRAWAL_DAY_LIMIT"
    message = _("The company's own limit for withdrawals of this currency in 24 hours would be exceeded.")
    advice = _("Withdraw less, or later; owners set the limit in the dashboard.")


class BeneficiaryLimit(Refusal):
    code = "ONP422_WITHDRAWAL_BENEFICIARY_LIMIT"
    message = _("The company's own limit for withdrawals to one beneficiary in 24 hours would be exceeded.")
    advice = _("Withdraw less, or later; owners set the limit in the dashboard.")
