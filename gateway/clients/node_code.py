"""The generated modules of `@onpay/node`: types, and the methods of its client."""

import json
import re
import shutil
import subprocess
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from gateway.api.openapi import calls
from gateway.api.openapi.calls import Call, Schema
from gateway.api.openapi.surface import camel

TARGET = Path(__file__).parent / "node" / "src" / "generated"
TOOLS = Path(__file__).parents[2] / ".tools" / "clients" / "node_modules" / ".bin"
HEADER = "// {}. Generated from the OpenAPI document: `make sdk`.\n"


def class_name(resource: str) -> str:
    """`PaymentLinks` of `payment_links`."""
    return "".join(word.title() for word in resource.split("_"))


def write(document: Schema, version: str) -> None:
    """Writes the generated modules."""
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir()
    _write_types(document)
    decimals = json.dumps(calls.decimals(document))
    (TARGET / "names.ts").write_text(
        f"{HEADER.format('Names of the contract')}\nexport const VERSION = {json.dumps(version)};\n"
        f"export const DECIMALS: ReadonlySet<string> = new Set({decimals});\n"
    )
    (TARGET / "resources.ts").write_text(_resources(calls.calls(document)))


def _write_types(document: Schema) -> None:
    schemas = {name: _without_floats(one) for name, one in calls.schemas(document).items()}
    view = {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {}}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "view.json"
        source.write_text(json.dumps(view | {"components": {"schemas": schemas}}))
        tool, options = TOOLS / "openapi-typescript", ("--root-types", "--root-types-no-schema-prefix")
        told = subprocess.run([tool, source, *options, "-o", TARGET / "api.ts"], capture_output=True, text=True)
        assert told.returncode == 0, told.stderr[-3000:]
    kinds = "".join(f"  | api.{name}\n" for name in calls.events(document).values())
    with (TARGET / "events.ts").open("w") as events:
        events.write(
            f'{HEADER.format("Every event")}\nimport type * as api from "./api.js";\n\n'
            f"/** What happened, and the object as its GET showed it then: `type` says which. */\n"
            f"export type OnpayEvent =\n{kinds.rstrip()};\n"
        )


def _without_floats(schema: Any) -> Any:
    """A decimal is a string, in both directions."""
    if isinstance(schema, list):
        return [_without_floats(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    view = {key: _without_floats(value) for key, value in schema.items()}
    return view | {"type": "string", "format": "decimal"} if view.get("type") == "number" else view


def _resources(found: dict[str, list[Call]]) -> str:
    classes = "\n\n".join(_class(resource, made) for resource, made in found.items())
    members = "".join(f"  readonly {camel(name)}: {class_name(name)};\n" for name in found)
    made = "".join(f"    this.{camel(name)} = new {class_name(name)}(transport);\n" for name in found)
    return (
        f"{HEADER.format('The methods of the client')}\n"
        'import type * as api from "./api.js";\n'
        'import type { CallOptions, PostOptions } from "../calls.js";\n'
        'import { id } from "../calls.js";\n'
        'import type { Pages } from "../pages.js";\n'
        'import { Resource } from "../resource.js";\n'
        'import type { Transport } from "../transport.js";\n\n'
        f"{classes}\n\n/** Every kind of object. */\nexport class Resources {{\n{members}\n"
        f"  constructor(transport: Transport) {{\n{made}  }}\n}}\n"
    )


def _class(resource: str, made: list[Call]) -> str:
    methods = "\n\n".join(textwrap.indent(_method(call), "  ") for call in made)
    return f"export class {class_name(resource)} extends Resource {{\n{methods}\n}}"


def _method(call: Call) -> str:
    taken = [f"{name}: string" for name in call.ids]
    path = re.sub(r"{(\w+)}", lambda found: f"${{id({found[1]})}}", call.path)
    quote = "`" if call.ids else '"'
    sent = [f'method: "{call.method}"', f"path: {quote}{path}{quote}"]
    if call.takes:
        taken.append(f"body{'?' if call.body_is_optional else ''}: api.{call.takes}")
        sent.append("body")
    elif call.query:
        taken.append(f"query: api.{call.query}" + ("" if call.query_is_required else " = {}"))
        sent.append("query")
    if call.fixed_query:
        name, _, value = call.fixed_query.partition("=")
        sent.append(f'query: {{ {name}: "{value}" }}')
    if call.goes_on_after:
        given = "query.after === undefined ? undefined : " if call.is_log else ""
        sent.append(f'goesOnAfter: {given}"{call.goes_on_after}"')
    gives = "Uint8Array" if call.is_pdf else f"api.{call.gives}"
    answer = f"Pages<{gives}>" if call.is_list else f"Promise<{gives}>"
    taken.append(f"options: {'PostOptions' if call.method == 'POST' else 'CallOptions'} = {{}}")
    if call.removes:
        sent.append(f"removes: {call.ids[-1]}")
    way = "many" if call.is_list else "pdf" if call.is_pdf else "removed" if call.removes else "one"
    return (
        f"/**\n{_told(call)} */\n{camel(call.name)}({', '.join(taken)}): {answer} {{\n"
        f"  return this.{way}({{ {', '.join(sent)}, ...options }});\n}}"
    )


def _told(call: Call) -> str:
    paragraphs = [call.summary.rstrip(".") + ".", *call.description.split("\n\n")]
    text = "\n\n".join("\n".join(textwrap.wrap(" ".join(one.split()), 100)) for one in paragraphs if one.strip())
    return "".join(f" * {line}".rstrip() + "\n" for line in text.replace("*/", "* /").splitlines())
