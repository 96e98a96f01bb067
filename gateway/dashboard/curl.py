"""A request as a shell command."""

from collections.abc import Mapping
from shlex import quote


def as_curl(method: str, url: str, headers: Mapping[str, str], body: str = "") -> str:
    """One option per line. `$NAME` in a header value stays a shell variable."""
    lines = [f"curl -s {quote(url)}" if method in ("GET", "POST") else f"curl -s -X {method} {quote(url)}"]
    lines += [f"-H {_quoted(f'{name}: {value}')}" for name, value in headers.items()]
    if body or method == "POST":
        lines.append(f"--data-binary {quote(body)}")
    return " \\\n  ".join(lines)


def _quoted(text: str) -> str:
    return f'"{text}"' if "$" in text else quote(text)
