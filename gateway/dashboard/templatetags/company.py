"""Template tags of the company pages: roles, documents and prices."""

import json
from typing import Any

from django import template

from accounts.models import Document
from accounts.roles import Role
from gateway.dashboard.verification.words import KIND
from gateway.dashboard.words import ROLE

register = template.Library()


@register.filter
def role(code: str) -> str:
    return str(ROLE[Role(code)][0])


@register.filter
def kind(code: str) -> str:
    """The label of a type of verification document."""
    return str(KIND[Document.Kind(code)][0])


@register.filter
def plainly(value: Any) -> str:
    """A value of the audit log: text unchanged, lists with commas, everything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(plainly(one) for one in value)
    return json.dumps(value, ensure_ascii=False)
