"""Requests as shell commands, with the variables that the guides set."""

import json
import re
from collections.abc import Mapping
from typing import Any

from gateway.api.reference.reproductions.calls import API_KEY, KEY, Call
from gateway.simulations.examples import COMPANY

EXAMPLES = {"order-1042": "order-'$(date +%s)$RANDOM'", "wd-77": "wd-'$(date +%s)$RANDOM'", COMPANY: "'$COMPANY'"}
"""What is new for each run, or one's own."""


def command(call: Call) -> str:
    """A command that sends the request; with an idempotency key of its own where it needs one and names none."""
    usual = {API_KEY: "$ONPAY_API_KEY"} | ({KEY: "$(uuidgen)"} if call.method == "POST" else {})
    if call.body is not None:
        usual["content-type"] = "application/json"
    headers = {name: text for name, text in (usual | dict(call.headers)).items() if text is not None}
    line, *rest = [f"-H {_quoted(f'{name}: {_in_words(text)}')}" for name, text in headers.items()]
    method = "" if call.method in ("GET", "POST") else f"-X {call.method} "
    if call.method == "POST" and call.body is None:
        method = "-X POST "
    lines = [f'curl -s {method}"$ONPAY_BASE_URL/api/v2{_in_words(call.path)}" {line}', *rest]
    if call.body is not None:
        lines[-1] += f" -d '{_in_quotes(call.body)}'"
    return " \\\n  ".join(lines)


def script(calls: tuple[Call, ...]) -> str:
    """The commands one after the other; what a call gives is kept in a variable."""
    lines = ["KEY=$(uuidgen)"] if any("{key}" in call.headers.values() for call in calls) else []
    for call in calls[:-1]:
        line = command(call)
        lines.append(f"{call.gives.upper()}=$({line} | jq -r .data.{call.of})" if call.gives else line)
    return "\n".join([*lines, command(calls[-1])])


def _quoted(header: str) -> str:
    return f'"{header}"' if "$" in header else f"'{header}'"


def _in_words(text: str) -> str:
    """`{payment}` → `$PAYMENT`, within double quotes."""
    return re.sub(r"\{(\w+)\}", lambda found: f"${found[1].upper()}", text)


def _in_quotes(body: Mapping[str, Any] | str) -> str:
    """The body within single quotes."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    for example, ours in EXAMPLES.items():
        text = text.replace(f'"{example}"', f'"{ours}"')
    return re.sub(r'"\{(\w+)\}"', lambda found: f"\"'${found[1].upper()}'\"", text)
