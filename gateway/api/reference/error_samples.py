"""The answer of each error that calls can provoke, as recorded from them."""

import json
from functools import cache
from typing import Any

from gateway.api.reference.samples import FOLDER
from gateway.requests.envelope import doc_url

RECORDED = FOLDER / "errors.json"


@cache
def _recorded() -> dict[str, Any]:
    return json.loads(RECORDED.read_text())  # type: ignore[no-any-return]


def of(code: str) -> str:
    """The answer's body, spread over lines for readers, with the address of this service."""
    answer = _recorded()[code]
    here = answer["error"] | {"docUrl": doc_url(answer["error"]["code"])}
    return json.dumps(answer | {"error": here}, indent=2, ensure_ascii=False)
