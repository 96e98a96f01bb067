"""What a company may show when it answers: files of some types, by their content."""

import re

from accounts.files import TYPES as TYPES
from accounts.files import safe_name
from accounts.files import type_of as type_of

LARGEST = 2 * 1024 * 1024


def file_name_of(sent: str, content_type: str | None) -> str:
    """The name without its path, without what is invisible, and with the ending of its type."""
    return safe_name(re.split(r"[/\\]", sent)[-1], content_type, "evidence")
