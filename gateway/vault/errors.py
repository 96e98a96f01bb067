"""Refusals of the vault. The codes are the SDK's own, shown at the field (contract §6.2)."""


class CardError(Exception):
    """An entered value is wrong: the session stays open and the payer corrects it."""

    def __init__(self, code: str, field: str, message: str) -> None:
        super().__init__(message)
        self.code, self.field, self.message = code, field, message
