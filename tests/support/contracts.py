"""The contract of a release, and what a later one must keep of it (contract §16).

`python -m tests.support.contracts openapi.json tests/clients/contracts/0.3.0.json` keeps the contract of a release.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
TOLD = {"description", "summary", "example", "examples", "headers", "x-onpay-codes", "title", "contact", "deprecated"}
"""What is said to people, and may change."""
STATUSES = {"200", "201", "202", "400", "409", "422"}


def reduced(document: Schema) -> Schema:
    """The document without its texts, and with the failures that differ in their handling."""
    info = {"title": document["info"]["title"], "version": document["info"]["version"]}
    kept = {"openapi": "3.1.0", "info": info, "security": document["security"]}
    return kept | {name: _plain(document[name]) for name in ("paths", "webhooks", "components")}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: {member: _plain(one) for member, one in inner.items()}
        if name == "properties"
        else {status: _plain(one) for status, one in inner.items() if status in STATUSES}
        if name == "responses"
        else _plain(inner)
        for name, inner in value.items()
        if name not in TOLD
    } | ({"description": "x"} if "content" in value and "required" not in value else {})


def broken(old: Schema, new: Schema) -> Iterator[str]:
    """What a client of the old contract relies on and would not find in the new one."""
    both = Both(old, new)
    for path, methods in old["paths"].items():
        for method, operation in methods.items():
            now = new["paths"].get(path, {}).get(method)
            yield from both.operation(operation, now) if now else [f"{method} {path} is gone"]
    for kind in old["webhooks"]:
        if kind not in new["webhooks"]:
            yield f"the event {kind} is gone"
        else:
            bodies = [_json(one["webhooks"][kind]["post"]["requestBody"]) for one in (old, new)]
            yield from both.answer(kind, *bodies)


class Both:
    """Compares parts of two contracts."""

    def __init__(self, old: Schema, new: Schema) -> None:
        self.components = [one["components"]["schemas"] for one in (old, new)]
        self.seen: set[tuple[str, str]] = set()

    def operation(self, old: Schema, new: Schema) -> Iterator[str]:
        name = old["operationId"]
        if new["operationId"] != name:
            yield f"{name} is now called {new['operationId']}"
        known = {(one["in"], one["name"]) for one in old["parameters"]}
        taken = {(one["in"], one["name"]): one for one in new["parameters"]}
        yield from (f"{name} no longer takes {one}" for one in known - taken.keys())
        yield from (f"{name} demands {one}" for one in taken.keys() - known if taken[one].get("required"))
        if "requestBody" in old:
            yield from self.body(name, _json(old["requestBody"]), _json(new["requestBody"]))
        for status, answer in old["responses"].items():
            if status not in new["responses"]:
                yield f"{name} no longer answers {status}"
            elif "application/json" in answer["content"]:
                yield from self.answer(name, _json(answer), _json(new["responses"][status]))

    def answer(self, where: str, old: Schema, new: Schema) -> Iterator[str]:
        """What was answered still is: every member, of the same type, with no other value of an enum."""
        old, new, is_known = self._resolved("answer", old, new)
        if is_known:
            return
        yield from _types(where, old, new, is_answer=True)
        if "enum" in old and set(new.get("enum", ())) - set(old["enum"]):
            yield f"{where} has new values"
        for name, member in old.get("properties", {}).items():
            if name not in new.get("properties", {}):
                yield f"{where}.{name} is gone"
                continue
            if name in old.get("required", ()) and name not in new.get("required", ()):
                yield f"{where}.{name} may be missing"
            yield from self.answer(f"{where}.{name}", member, new["properties"][name])
        if "items" in old:
            yield from self.answer(f"{where}[]", old["items"], new["items"])

    def body(self, where: str, old: Schema, new: Schema) -> Iterator[str]:
        """What was accepted still is: every member and value, and nothing else is demanded."""
        old, new, is_known = self._resolved("body", old, new)
        if is_known:
            return
        yield from _types(where, old, new, is_answer=False)
        yield from (f"{where} no longer takes {one}" for one in set(old.get("enum", ())) - set(new.get("enum", old)))
        yield from (f"{where} demands {one}" for one in set(new.get("required", ())) - set(old.get("required", ())))
        for name, member in old.get("properties", {}).items():
            if name not in new.get("properties", {}):
                yield f"{where}.{name} is no longer known"
            else:
                yield from self.body(f"{where}.{name}", member, new["properties"][name])
        if "items" in old:
            yield from self.body(f"{where}[]", old["items"], new["items"])

    def _resolved(self, kind: str, old: Schema, new: Schema) -> tuple[Schema, Schema, bool]:
        """Both schemas themselves, and whether these two were compared before."""
        names = [one.get("$ref", "").rpartition("/")[2] for one in (old, new)]
        if not names[0]:
            return old, self.components[1][names[1]] if names[1] else new, False
        mark = (kind, "/".join(names))
        is_known, _ = mark in self.seen, self.seen.add(mark)
        return self.components[0][names[0]], self.components[1].get(names[1], new), is_known


def _json(part: Schema) -> Schema:
    found: Schema = part["content"]["application/json"]["schema"]
    return found


def _kinds(schema: Schema) -> set[str]:
    """The JSON types that a value may have."""
    given = schema.get("type", ())
    inner = [kind for one in schema.get("anyOf", schema.get("oneOf", ())) for kind in _kinds(one)]
    return {"object"} if "$ref" in schema else {given, *inner} - {()} if isinstance(given, str) else {*given, *inner}


def _types(where: str, old: Schema, new: Schema, *, is_answer: bool) -> Iterator[str]:
    """An answer has no other type than before, a body may have each that it had."""
    before, after = _kinds(old), _kinds(new)
    if before and after and (after - before if is_answer else before - after):
        yield f"{where} was {sorted(before)} and is {sorted(after)}"
    if "const" in old and old["const"] != new.get("const"):
        yield f"{where} was {old['const']}"


def write(source: Path, target: Path) -> None:
    """One line for each path, event and schema, so that a difference can be read."""
    kept = reduced(json.loads(source.read_text()))
    schemas = kept["components"]["schemas"]

    def lines(members: Schema) -> str:
        return ",\n".join(
            f"{json.dumps(name)}:{json.dumps(one, separators=(',', ':'))}" for name, one in members.items()
        )

    head = json.dumps({name: kept[name] for name in ("openapi", "info", "security")}, separators=(",", ":"))
    security = json.dumps(kept["components"]["securitySchemes"], separators=(",", ":"))
    target.write_text(
        f'{head[:-1]},\n"paths":{{\n{lines(kept["paths"])}\n}},\n"webhooks":{{\n{lines(kept["webhooks"])}\n}},\n'
        f'"components":{{"securitySchemes":{security},"schemas":{{\n{lines(schemas)}\n}}}}}}\n'
    )


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
