"""Refusals of the book of beneficiaries."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class BeneficiaryNotFound(Refusal):
    code = "ONP404_BENEFICIARY"
    message = _("Beneficiary not found.")
    advice = _("Check the id, and the environment of your key; it may have been removed.")


class BeneficiaryExists(Refusal):
    code = "ONP409_BENEFICIARY"
    message = _("The book already has a beneficiary with this account.")
    advice = _("Use that one, or remove it first.")


class TooManyBeneficiaries(Refusal):
    code = "ONP422_BENEFICIARY_LIMIT"
    message = _("The book has 5,000 beneficiaries, the maximum.")
    advice = _("Remove some that are no longer needed.")
