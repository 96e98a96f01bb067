"""Characters that a text never has: nobody sees them, and they turn around or part what stands beside them.

Control characters, marks of direction and their embeddings, overrides and isolates, separators of lines and paragraphs,
and spaces and joiners without a width. Joiners that scripts and emoji need (U+200C, U+200D) are none of them.
"""

import re

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

_UNSEEN = r"\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
HIDDEN = re.compile(rf"[\x00-\x1f{_UNSEEN}]")
HIDDEN_BUT_LINES = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f{_UNSEEN}]")
"""Line breaks and tabs are allowed."""


def visible(value: object) -> None:
    """Form field validator. What is no text has no such characters."""
    if isinstance(value, str) and HIDDEN_BUT_LINES.search(value):
        raise ValidationError(_("Remove the invisible characters: type the text again."), code="hidden")
