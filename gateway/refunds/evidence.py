"""Evidence files of a company's answer: accepted types, detected from the content."""

import re

from django.http import HttpResponse

from accounts.base import files
from accounts.base.files import TYPES as TYPES
from accounts.base.files import safe_name
from accounts.base.files import type_of as type_of
from gateway.refunds.models import Evidence

LARGEST = 2 * 1024 * 1024


def file_name_of(sent: str, content_type: str | None) -> str:
    """The name without path and invisible characters, with the extension of its type."""
    return safe_name(re.split(r"[/\\]", sent)[-1], content_type, "evidence")


MOST_EVIDENCE = 10


def download(evidence: Evidence) -> HttpResponse:
    """Serves the file as an attachment that browsers do not open in our origin."""
    name = files.safe_name(evidence.file_name, evidence.content_type, evidence.pk)
    return files.download(evidence.content, evidence.content_type, name)
