"""JSON schemas of the document: pydantic's output in terms that linters and generators understand."""

from typing import Any

from pydantic import TypeAdapter

from gateway.api.deprecations import MEMBERS
from gateway.api.inputs.fields import Input
from gateway.api.openapi.descriptions import described_as

REF = "#/components/schemas/{model}"
_KEYWORDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
"""Bounds that pydantic keeps in its own notation if a validator precedes the type."""


OPEN = {"reason", "category", "reasonCode", "failureCode", "gate", "cause", "verdict", "probe"}
"""Members of answers that gain values (contract §16): an enum would break clients that were generated before."""


class Components(dict[str, Any]):
    """Named schemas of the document; each type is added once."""

    def ref(self, kind: Any) -> dict[str, str]:
        """The reference to a type, which is added with its dependencies."""
        schema = TypeAdapter(kind).json_schema(ref_template=REF, by_alias=True)
        inner = schema.pop("$defs", {})
        for name, one in {**inner, kind.__name__: schema}.items():
            self._add(name, one, is_body=name.endswith("Input"))
        return reference(kind.__name__)

    def parameters(self, query: type[Input]) -> dict[str, Any]:
        """The members of a query by name, each with `required`."""
        schema = query.model_json_schema(ref_template=REF)
        for name, one in schema.pop("$defs", {}).items():
            self._add(name, one, is_body=False)
        return {
            name: {
                "required": name in schema.get("required", ()),
                "description": described_as(query.__name__, name, one),
                "schema": {k: v for k, v in _never_null(cleaned(one)).items() if k != "description"},
            }
            for name, one in schema["properties"].items()
        }

    def _add(self, name: str, schema: dict[str, Any], *, is_body: bool) -> None:
        clean = cleaned(schema)
        for member, one in clean.get("properties", {}).items():
            one["description"] = described_as(name, member, one)
            if (name, member) in MEMBERS:
                one["deprecated"] = True
            if is_body:
                _describe_default(one)
            elif member in OPEN:
                clean["properties"][member] = _opened(one)
        assert self.get(name, clean) == clean, f"two types are called {name}"
        self[name] = clean


def reference(name: str) -> dict[str, str]:
    return {"$ref": REF.format(model=name)}


def cleaned(schema: Any) -> Any:
    """Without redundant titles, without defaults of null, and with JSON Schema keywords only."""
    if isinstance(schema, list):
        return [cleaned(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        _KEYWORDS.get(key, key): _members(value) if key == "properties" else cleaned(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str)) and not (key == "default" and value is None)
    }


def _members(properties: dict[str, Any]) -> dict[str, Any]:
    """A member may have the name of a keyword."""
    return {name: cleaned(one) for name, one in properties.items()}


def _opened(member: dict[str, Any]) -> dict[str, Any]:
    """Any string; today's values are in `x-onpay-values`."""
    opened = {"x-onpay-values" if name == "enum" else name: value for name, value in member.items()}
    if "anyOf" in opened:
        opened["anyOf"] = [_opened(kind) for kind in opened["anyOf"]]
    return opened


def _describe_default(member: dict[str, Any]) -> None:
    """Generated types make members with a default required: bodies state theirs in the description."""
    default = member.pop("default", None)
    if default not in (None, []):
        word = str(default).lower() if isinstance(default, bool) else default
        member["description"] += f" Default: {word}."


def _never_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query parameter is absent, never null."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return rest | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {})
