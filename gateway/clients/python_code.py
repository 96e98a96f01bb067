"""The generated modules of `onpay`: models, request bodies, and the methods of its clients."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from gateway.api.openapi import calls
from gateway.api.openapi.calls import Call, Schema
from gateway.api.openapi.surface import snake

TARGET = Path(__file__).parent / "python" / "src" / "onpay" / "_generated"
HEADER = '"""{}. Generated from the OpenAPI document: `make sdk`."""'
OPTIONS = """
    --input-file-type openapi --openapi-scopes schemas --target-python-version 3.10 --no-use-union-operator
    --use-standard-collections --enum-field-as-literal all --disable-timestamp --use-double-quotes
    --collapse-root-models --use-schema-description --use-field-description --formatters builtin
    --no-use-closed-typed-dict
""".split()  # noqa: SIM905  (options as they are typed)
OF_A_CALL = "idempotency_key: Optional[str] = None, timeout: Optional[float] = None, deadline: Optional[float] = None"


def write(document: Schema, version: str) -> None:
    """Writes the generated modules."""
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir()
    _write("__init__.py", f"{HEADER.format('What is generated')}\n")
    _write("version.py", f'{HEADER.format("The version")}\n\n__version__ = "{version}"\n')
    schemas = {name: one for name, one in calls.schemas(document).items() if not name.startswith("Error")}
    kinds = {"Input", "Query"}
    bodies = {name: one for name, one in schemas.items() if any(name.endswith(kind) for kind in kinds)}
    envelopes = set(calls.events(document).values())
    answers = {name: one for name, one in schemas.items() if name not in bodies and name not in envelopes}
    _write_models("models.py", "What the service answers", _viewed(answers, _answered), "pydantic_v2.BaseModel")
    _write_models("bodies.py", "What a call takes", _viewed(bodies, _sent), "typing.TypedDict")
    exported = "".join(f"    {name!r},\n" for name in sorted(answers))
    with (TARGET / "models.py").open("a") as models:
        models.write(f"\n\n__all__ = [\n{exported}]\n")
    found = calls.calls(document)
    _write("resources.py", _resources(found, ""))
    _write("async_resources.py", _resources(found, "Async"))
    _write("names.py", _names(document))


def _write(name: str, text: str) -> None:
    (TARGET / name).write_text(text)


def _viewed(schemas: dict[str, Schema], number: Any) -> dict[str, Schema]:
    """The schemas under Python's names."""
    return {name: _renamed(schema, number) for name, schema in schemas.items()}


def _renamed(schema: Any, number: Any) -> Any:
    if isinstance(schema, list):
        return [_renamed(one, number) for one in schema]
    if not isinstance(schema, dict):
        return schema
    left_out = {"properties", "deprecated"}  # pydantic warns whoever reads a deprecated member
    view = {key: _renamed(value, number) for key, value in schema.items() if key not in left_out}
    if "properties" in schema:
        view["properties"] = {snake(name): _renamed(one, number) for name, one in schema["properties"].items()}
        view["required"] = [snake(name) for name in schema.get("required", ())]
    return number(view)


def _answered(schema: Schema) -> Schema:
    """Numbers are Decimal, and an enumeration may have gained a value since."""
    if schema.get("type") == "number":
        return schema | {"format": "decimal"}
    if values := schema.get("enum", schema.get("x-onpay-values")):
        told = {"description": schema["description"]} if "description" in schema else {}
        return {"anyOf": [{"type": "string", "enum": values}, {"type": "string"}], **told}
    return schema


def _sent(schema: Schema) -> Schema:
    """Amounts are Decimal, int or text; times and dates are text or what Python has for them."""
    told = {"description": schema["description"]} if "description" in schema else {}
    if schema.get("type") == "number":
        kinds: list[Schema] = [{"type": "string", "format": "decimal"}, {"type": "integer"}, {"type": "string"}]
        return {"anyOf": kinds, **told}
    if schema.get("format") in ("date-time", "date"):
        return {"anyOf": [{"type": "string", "format": schema["format"]}, {"type": "string"}], **told}
    return {key: value for key, value in schema.items() if key != "format"}


def _write_models(name: str, title: str, schemas: dict[str, Schema], kind: str) -> None:
    view = {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {}}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "view.json"
        source.write_text(json.dumps(view | {"components": {"schemas": schemas}}))
        base = ("--base-class", "onpay._model.Model") if "pydantic" in kind else ()
        tool = Path(sys.executable).parent / "datamodel-codegen"
        target = TARGET / name
        heading = ("--custom-file-header", HEADER.format(title))
        told = subprocess.run(
            [tool, "--input", source, "--output", target, "--output-model-type", kind, *OPTIONS, *base, *heading],
            capture_output=True,
            text=True,
        )
        assert told.returncode == 0, told.stderr[-3000:]


def _names(document: Schema) -> str:
    """What the hand-written half has to know by name."""
    first: dict[str, str] = {}
    for kind, body in calls.events(document).items():
        data = document["components"]["schemas"][body]["properties"]["data"]
        first[kind.partition(".")[0]] = calls.model(data["$ref"].rpartition("/")[2])
    about = "".join(f"    {head!r}: models.{name},\n" for head, name in first.items())
    kinds = "".join(f"    {kind!r},\n" for kind in document["webhooks"])
    names = "".join(f"    {name!r},\n" for name in calls.decimals(document))
    return (
        f"{HEADER.format('Names of the contract')}\n\n"
        "from typing import Literal, Union\n\nfrom onpay._generated import models\nfrom onpay._model import Model\n\n"
        f"DECIMALS = frozenset((\n{names}))\n\n"
        f"EventType = Literal[\n{kinds}]\n\n"
        f"EventData = Union[{', '.join(f'models.{name}' for name in sorted(set(first.values())))}]\n\n"
        f"DATA_OF: dict[str, type[Model]] = {{\n{about}}}\n"
    )


def _resources(found: dict[str, list[Call]], prefix: str) -> str:
    title = "The methods of `Onpay`" if not prefix else "The methods of `AsyncOnpay`"
    head = (
        f"{HEADER.format(title)}\n\nfrom typing import Optional\n\nfrom typing_extensions import Unpack\n\n"
        f"from onpay._generated import bodies, models\n"
        "from onpay._calls import Call\n"
        f"from onpay._transport import {prefix}Pages, {prefix}Resource, {prefix}Transport\n"
    )
    classes = [_class(resource, made, prefix) for resource, made in found.items()]
    made = "".join(f"        self.{name} = {prefix}{class_name(name)}(transport)\n" for name in found)
    whole = (
        f'class {prefix}Resources:\n    """Every kind of object."""\n\n'
        f"    def __init__(self, transport: {prefix}Transport) -> None:\n{made}"
    )
    return head + "".join(f"\n\n{one}" for one in [*classes, whole])


def class_name(resource: str) -> str:
    """`PaymentLinks` of `payment_links`."""
    return "".join(word.title() for word in resource.split("_"))


def _class(resource: str, made: list[Call], prefix: str) -> str:
    methods = "\n\n".join(textwrap.indent(_method(call, prefix), "    ") for call in made)
    return f"class {prefix}{class_name(resource)}({prefix}Resource):\n{methods}\n"


def _method(call: Call, prefix: str) -> str:
    ids = "".join(f"{snake(name)}: str, " for name in call.ids)
    given = call.takes or call.query
    rest = f", **{'body' if call.takes else 'query'}: Unpack[bodies.{given}]" if given else ""
    options = OF_A_CALL if call.method == "POST" else OF_A_CALL.partition(", ")[2]
    gives = "bytes" if call.is_pdf else f"models.{call.gives}"
    answer = f"{prefix}Pages[{gives}]" if call.is_list else gives
    way = "list" if call.is_list else "pdf" if call.is_pdf else "removed" if call.removes else "one"
    waits = prefix and not call.is_list
    path = re.sub(r"{(\w+)}", lambda found: "{" + snake(found[1]) + "}", call.path)
    parts = [f'"{call.method}"', f'"{path}"']
    if call.ids:
        parts.append(f"ids={{{', '.join(f'{snake(name)!r}: {snake(name)}' for name in call.ids)}}}")
    if call.takes:
        parts.append("body=body or None" if call.body_is_optional else "body=body")
    elif call.query:
        parts.append("query=query")
    if call.fixed_query:
        name, _, value = call.fixed_query.partition("=")
        parts.append(f"query={{{name!r}: {value!r}}}")
    if call.method == "POST":
        parts.append("key=idempotency_key")
    if call.goes_on_after:
        given = ' if query.get("after") else None' if call.is_log else ""
        parts.append(f'goes_on_after="{snake(call.goes_on_after)}"{given}')
    parts += ["timeout=timeout", "deadline=deadline"]
    kind = "" if call.is_pdf else f", {gives}"
    return (
        f"{'async ' if waits else ''}def {call.name}(self, {ids}*, {options}{rest}) -> {answer}:\n"
        f"{textwrap.indent(_told(call), '    ')}\n"
        f"    return {'await ' if waits else ''}self._{way}(Call({', '.join(parts)}){kind})\n"
    )


def _told(call: Call) -> str:
    text = call.summary.rstrip(".") + "."
    paragraphs = [" ".join(one.split()) for one in call.description.split("\n\n") if one.strip()]
    lines = [text, *("\n".join(textwrap.wrap(one, 100)) for one in paragraphs)]
    body = "\n\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{body}\n"""' if paragraphs else f'"""{body}"""'
