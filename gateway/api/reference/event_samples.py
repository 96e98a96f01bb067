"""A delivery's body for each event type, as recorded from a company of the sandbox to which all of them happened."""

import json
from functools import cache
from typing import Any

from gateway.api.reference.samples import FOLDER

RECORDED = FOLDER / "events.json"


@cache
def _recorded() -> dict[str, Any]:
    return json.loads(RECORDED.read_text())  # type: ignore[no-any-return]


def of(kind: str) -> str:
    """The body of a delivery, spread over lines for readers."""
    return json.dumps(_recorded()[kind], indent=2, ensure_ascii=False)
