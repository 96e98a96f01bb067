"""The answer of each error that calls can provoke, as recorded from them."""

import json

from gateway.api.reference.samples import FOLDER, recorded
from gateway.requests.envelope import doc_url

RECORDED = FOLDER / "errors.json"


def of(code: str) -> str:
    """The answer's body, spread over lines for readers, with the address of this service."""
    answer = recorded(RECORDED)[code]
    here = answer["error"] | {"docUrl": doc_url(answer["error"]["code"])}
    return json.dumps(answer | {"error": here}, indent=2, ensure_ascii=False)
