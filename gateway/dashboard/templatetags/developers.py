"""Template tags of the developer pages: codes, bodies and ids."""

import json
from datetime import datetime, timedelta
from typing import Any

import orjson
from django import template
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext, gettext_lazy

from accounts.base.clock import utcnow
from gateway.dashboard.events.words import KIND
from gateway.dashboard.lab.words import DUE
from gateway.dashboard.links import address_of
from gateway.dashboard.requests.words import ACCOUNT, KEY_STATE
from gateway.dashboard.templatetags.dashboard import moment
from gateway.dashboard.webhooks.words import DELIVERY, DISABLED_REASON, ENDPOINT, FAILURE, VERDICT
from gateway.dashboard.words import BAD, DONE, GOOD, QUIET, WAITING, Word
from webhooks.disturbances import UNTRUE, Disturbance
from webhooks.doctor import Verdict
from webhooks.models import Delivery

register = template.Library()
_PER_LINE = 16
_REFUSED, _NOT_REFUSED = gettext_lazy("Refused, as it should be"), gettext_lazy("Accepted, but it must be refused")


def _badge(word: Word) -> SafeString:
    return format_html('<span class="badge bg-{}-lt status">{}</span>', word[1], word[0])


@register.filter
def endpoint_status(code: str) -> SafeString:
    return _badge(ENDPOINT.get(code, (code, QUIET)))


@register.filter
def delivery_badge(delivery: Delivery) -> SafeString:
    """The status; of a disturbed delivery also by what, in words that fit what a receiver should do."""
    shown = _badge(DELIVERY.get(delivery.status, (delivery.status, QUIET)))
    if delivery.disturbance is None:
        return shown
    if delivery.disturbance in UNTRUE and delivery.http_status is not None:
        is_right = delivery.status == Delivery.Status.FAILED
        shown = _badge((_REFUSED, GOOD) if is_right else (_NOT_REFUSED, BAD))
    what = Disturbance(delivery.disturbance)
    return format_html('{} <span class="badge bg-purple-lt" title="{}">{}</span>', shown, what.label, what)


@register.filter
def disturbance(name: str) -> str:
    """What chaos mode did to a delivery."""
    return str(Disturbance(name).label)


@register.filter
def verdict(code: str) -> SafeString:
    return _badge(VERDICT[Verdict(code)])


@register.filter
def http_status(code: int | None) -> SafeString | str:
    """An HTTP status, colored by its class."""
    if code is None:
        return "–"
    color = {2: GOOD, 3: DONE, 4: WAITING, 5: BAD}.get(code // 100, QUIET)
    return format_html('<span class="badge bg-{}-lt">{}</span>', color, code)


@register.filter
def failure(code: str) -> str:
    return str(FAILURE.get(code, code))


@register.filter
def kind(code: str) -> str:
    """The description of an event type."""
    return str(KIND.get(code, code))


@register.filter
def due(code: str) -> str:
    return str(DUE.get(code, code))


@register.filter
def instant(text: str, form: str = "") -> SafeString | str:
    """A timestamp stored as JSON, shown like `moment`."""
    return moment(datetime.fromisoformat(text), form)


@register.filter
def ago(when: datetime) -> str:
    """A relative time: "3 minutes ago"."""
    if utcnow() - when < timedelta(minutes=1):
        return gettext("just now")
    return gettext("%(time)s ago") % {"time": timesince(when, utcnow())}


@register.filter
def disabled_reason(code: str) -> str:
    return str(DISABLED_REASON.get(code, ""))


@register.filter
def text(body: bytes) -> str:
    return body.decode("utf-8", "replace")


@register.filter
def account(code: str) -> str:
    return str(ACCOUNT.get(code, code))


@register.filter
def key_state(code: str) -> str:
    """The state of an idempotency key, and whether a retry is safe."""
    return str(KEY_STATE.get(code, code))


@register.filter
def pretty(body: bytes | str | None) -> str:
    """Indented JSON with exactly the original digits; other text unchanged."""
    text = bytes(body).decode("utf-8", "replace") if isinstance(body, bytes | memoryview) else body or ""
    try:
        value = json.loads(text, parse_float=orjson.Fragment)
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except (ValueError, TypeError, RecursionError):
        return text


@register.filter
def hexadecimal(body: bytes) -> str:
    """Sixteen bytes per line: offset, bytes, and printable characters."""
    lines = []
    for start in range(0, len(body), _PER_LINE):
        part = body[start : start + _PER_LINE]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{start:06x}  {part.hex(' '):<47}  {shown}")
    return "\n".join(lines)


@register.filter
def in_language(text: str) -> str:
    """A text of a sandbox table, translated to the language of the page."""
    return translation.gettext(str(text))


@register.filter
def code_spans(text: str) -> SafeString:
    """Renders text between backticks as code."""
    parts = enumerate(str(text).split("`"))
    return format_html_join("", "{}", ((format_html("<code>{}</code>", one) if n % 2 else one,) for n, one in parts))


@register.simple_tag(takes_context=True)
def object_link(context: Any, object_id: str | None) -> SafeString | str:
    """An id with a link to its page if there is one and the person may open it."""
    if not object_id:
        return "–"
    address = address_of(context["here"], object_id)
    if address:
        return format_html('<a href="{}"><code>{}</code></a>', address, object_id)
    return format_html("<code>{}</code>", object_id)
