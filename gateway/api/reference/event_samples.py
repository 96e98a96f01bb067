"""A delivery's body for each event type, as recorded from a company of the sandbox to which all of them happened."""

import json

from gateway.api.reference.samples import FOLDER, recorded

RECORDED = FOLDER / "events.json"


def of(kind: str) -> str:
    """The body of a delivery, spread over lines for readers."""
    return json.dumps(recorded(RECORDED)[kind], indent=2, ensure_ascii=False)
