"""What the pages of payments are sent and what they say."""

import html
import re
import uuid
from typing import Any

from django.http import HttpResponse


def once(**given: Any) -> dict[str, Any]:
    """What a form sends, with its mark."""
    return {"once": str(uuid.uuid4()), **given}


def text_of(answer: HttpResponse) -> str:
    """What is read on the page, in one line."""
    assert answer.status_code in (200, 409), answer.status_code
    main = re.sub(r"(?s)^.*<main[^>]*>", "", answer.content.decode())
    return " ".join(html.unescape(re.sub(r"(?s)<script.*?</script>|<[^>]+>", " ", main)).split())
