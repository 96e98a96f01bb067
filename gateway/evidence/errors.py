"""Refusals of evidence packs."""

from accounts.base.errors import Refusal


class TooMuchEvidence(Refusal):
    code = "ONP422_EVIDENCE"
    message = "The answer already has ten pieces of evidence."
    advice = "Remove one, then add the pack."
