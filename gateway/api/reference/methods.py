"""The methods of the client libraries, made from the OpenAPI document as the libraries themselves are."""

import re
import textwrap
from dataclasses import dataclass

from gateway.api.openapi.calls import Call, Schema, calls, schemas
from gateway.api.openapi.document import document
from gateway.api.openapi.surface import camel, snake

WIDTH = 72
"""Characters of a line, as many as a page shows beside its menus."""


@dataclass(frozen=True, slots=True)
class Resource:
    """The methods of one kind of object, as code in both languages: a comment with the call, and the signature."""

    name: str
    anchor: str
    python: str
    typescript: str


def resources() -> list[Resource]:
    """Every method, by resource, in the order of their names."""
    published = document()
    known = schemas(published)
    return [
        Resource(
            name,
            name.replace("_", "-"),
            "\n\n".join(_python(call, known) for call in made),
            "\n\n".join(_typescript(call, known) for call in made),
        )
        for name, made in calls(published).items()
    ]


def _members(call: Call, known: dict[str, Schema]) -> list[tuple[str, bool]]:
    """What a call takes beside the ids of its path, and whether it must be given: that first."""
    schema = known.get(call.takes or call.query or "", {})
    required = schema.get("required", ())
    return sorted(((name, name in required) for name in schema.get("properties", {})), key=lambda one: not one[1])


def _python(call: Call, known: dict[str, Schema]) -> str:
    taken = [snake(name) for name in call.ids]
    if members := _members(call, known):
        taken += ["*", *(snake(name) if needed else f"{snake(name)}=…" for name, needed in members)]
    gives = "bytes" if call.is_pdf else f"Pages[{call.gives}]" if call.is_list else call.gives
    return _written("# ", call, f"client.{call.resource}.{call.name}({', '.join(taken)}) -> {gives}")


def _typescript(call: Call, known: dict[str, Schema]) -> str:
    taken = call.ids
    if members := _members(call, known):
        taken = [*taken, f"{{ {', '.join(name if needed else f'{name}?' for name, needed in members)} }}"]
    gives = "Uint8Array" if call.is_pdf else call.gives
    answer = f"Pages<{gives}>" if call.is_list else f"Promise<{gives}>"
    return _written("// ", call, f"client.{camel(call.resource)}.{camel(call.name)}({', '.join(taken)}): {answer}")


def _written(comment: str, call: Call, signature: str) -> str:
    fixed = f"?{call.fixed_query}" if call.fixed_query else ""
    about = f"{comment}{call.method} {call.path}{fixed}\n{comment}{re.sub(r'[.]$', '', call.summary)}"
    lines = textwrap.wrap(signature, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return "\n".join([about, *lines])
