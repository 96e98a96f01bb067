"""Template tags of the company pages: roles, documents and prices."""

import json
from typing import Any

from django import template

from accounts.models import Document
from accounts.roles import May, Role
from gateway.dashboard.team.words import MAY
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
def permission(needs: May | str) -> str:
    """What a permission allows."""
    return str(MAY[May(needs)])


BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Safari", "Safari"))
SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)  # fmt: skip


@register.filter
def browser(user_agent: str) -> str:
    """Browser and system by name, as far as the user agent tells: "Firefox · Windows"."""
    names = [next((name for mark, name in known if mark in user_agent), "") for known in (BROWSERS, SYSTEMS)]
    return " · ".join(name for name in names if name) or user_agent[:60] or "–"


@register.filter
def plainly(value: Any) -> str:
    """A value of the audit log: text unchanged, lists with commas, everything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(plainly(one) for one in value)
    return json.dumps(value, ensure_ascii=False)
