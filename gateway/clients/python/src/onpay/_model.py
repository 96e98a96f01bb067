"""What every answer has in common."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import Self

SECRETS = frozenset(
    (
        "secret",
        "client_secret",
        "session_token",
        "checkout_url",
        "redirect_url",
        "removal_url",
        "pdf_url",
        "quote_token",
        "payment_method_token",
    )
)
"""Members with which whoever reads them can act, or read more: they stay out of logs."""


def camel(name: str) -> str:
    """`paidAt` of `paid_at`, and `from` of `from_`."""
    head, *tail = name.rstrip("_").split("_")
    return head + "".join(word.title() for word in tail)


class Model(BaseModel):
    """An object of the API. Members that this version does not know are kept; secrets are not shown by `repr`."""

    model_config = ConfigDict(
        alias_generator=camel, populate_by_name=True, extra="allow", frozen=True, protected_namespaces=()
    )

    @classmethod
    def read(cls, data: Any) -> Self:
        """The object of an answer. One that this version cannot read in full is given as it came: a call that had its
        effect never ends in an error of reading.
        """
        try:
            return cls.model_validate(data)
        except ValidationError:
            return cls.model_construct(**data)

    def __repr_args__(self) -> Any:
        return [(name, "***" if name in SECRETS and value else value) for name, value in super().__repr_args__()]
