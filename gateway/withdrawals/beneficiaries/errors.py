"""Refusals of the book of beneficiaries."""

from accounts.base.errors import Refusal


class BeneficiaryNotFound(Refusal):
    code = "ONP404_BENEFICIARY"
    message = "Beneficiary not found."
    advice = "Check the id, and the environment of your key; it may have been removed."


class BeneficiaryExists(Refusal):
    code = "ONP409_BENEFICIARY"
    message = "The book already has a beneficiary with this account."
    advice = "Use that one, or remove it first."


class TooManyBeneficiaries(Refusal):
    code = "ONP422_BENEFICIARY_LIMIT"
    message = "The book has 5,000 beneficiaries, the maximum."
    advice = "Remove some that are no longer needed."
