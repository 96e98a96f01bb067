"""Refusals of withdrawals."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class UnregisteredOrigin(Refusal):
    code = "ONP403_IP"
    message = _("Withdrawals are accepted only from the registered IP address, and this request came from another one.")
    advice = _("Register the public address of your backend; a preflight (dryRun=true) shows the address that we see.")


class OtherCompany(Refusal):
    code = "ONP403_COMPANY"
    message = _("companyId does not match the company of the API key.")
    advice = _("Send the companyId that GET /companies/{companyId} returns for this key.")


class WithdrawalUnknown(Refusal):
    code = "ONP404_WITHDRAWAL"
    message = _("Withdrawal not found.")
    advice = _("Check the id, and the environment of your key.")


class WithdrawalState(Refusal):
    code = "ONP409_WITHDRAWAL_STATE"
    message = _("The withdrawal's status does not allow this.")
    advice = _("Look the withdrawal up: its status shows what can still be done.")


class RateChanged(Refusal):
    code = "ONP409_RATE_CHANGED"
    message = _("At the current rate the beneficiary would receive less than minimumAssetAmount.")
    advice = _("Lower minimumAssetAmount or wait for a better rate, and use a new idempotency key.")
