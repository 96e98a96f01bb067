"""What the vault refuses. The codes are the SDK's own, shown beside the field (contract §6.2)."""


class CardError(Exception):
    """Something typed is wrong: the session stays open and the payer corrects it."""

    def __init__(self, code: str, field: str, message: str) -> None:
        super().__init__(message)
        self.code, self.field, self.message = code, field, message


class CardTokenInvalid(Exception):
    """A card token that was never given for this payment, was used, or is too old."""


class TooManyCards(Exception):
    """More cards were typed into one session than a person would."""
