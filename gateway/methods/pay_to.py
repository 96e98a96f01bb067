"""What a payer reads on our page to pay without any integration: where to, and what the company adds."""

from typing_extensions import TypedDict


class PayTo(TypedDict):
    """The member `payTo` of a payment's details.

    `lines` are names of the page's words and their values, in order; `page` is an address outside or ""; `texts` are
    the company's instructions by language (en, es, pt).
    """

    lines: list[tuple[str, str]]
    page: str
    reference: str
    texts: dict[str, str]
