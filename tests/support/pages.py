"""Pages of the dashboard: what they say, and what their forms send."""

import csv
import html
import io
import re
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from django.http import HttpResponse

Page = Callable[..., str]


Committed = Callable[[], AbstractContextManager[Any]]


def words(answer: Any) -> str:
    """What a page says, without its marks and with single spaces."""
    text = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return re.sub(r"\s+", " ", text.replace("\xa0", " ").replace("&#x27;", "'"))


def once(**given: Any) -> dict[str, Any]:
    """What a form sends, with its mark."""
    return {"once": str(uuid.uuid4()), **given}


def text_of(answer: HttpResponse) -> str:
    """What is read on the page, in one line."""
    assert answer.status_code in (200, 409), answer.status_code
    main = re.sub(r"(?s)^.*<main[^>]*>", "", answer.content.decode())
    return " ".join(html.unescape(re.sub(r"(?s)<script.*?</script>|<[^>]+>", " ", main)).split())


def file(answer: Any) -> list[list[str]]:
    content = b"".join(answer.streaming_content).decode()
    assert content.startswith("\ufeff")
    return list(csv.reader(io.StringIO(content[1:])))
