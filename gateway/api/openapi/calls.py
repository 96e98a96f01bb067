"""The OpenAPI document as the libraries see it: calls by resource, and schemas without what clients do not check."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gateway.api.openapi.surface import LEFT_OUT, NAMES

Schema = dict[str, Any]
UNCHECKED = {"minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
             "minItems", "maxItems", "uniqueItems", "examples", "example", "default", "discriminator"}  # fmt: skip
"""What the service checks and words in its own way; a client that checks it, too, is wrong once it changes."""
REMOVED = "Deleted"
"""What every removal gives, by the name of its schema."""


@dataclass(frozen=True, slots=True)
class Call:
    """One method of a resource."""

    resource: str
    name: str
    method: str
    path: str
    summary: str
    description: str
    takes: str | None
    body_is_optional: bool
    query: str | None
    query_is_required: bool
    gives: str
    is_list: bool = False
    is_pdf: bool = False
    fixed_query: str | None = None
    goes_on_after: str | None = None
    """The member that names an item of a list whose pages can begin after an item."""
    is_log: bool = False
    """Whether it is the other way round if it begins after an item."""

    @property
    def ids(self) -> list[str]:
        """The parameters of the path."""
        return re.findall(r"{(\w+)}", self.path)

    @property
    def removes(self) -> bool:
        """Whether an object is gone afterwards: such a call gives its id, however often it was tried."""
        return self.method == "DELETE" and bool(self.ids)


def model(name: str) -> str:
    """`Payment` of `PaymentPayload`."""
    return name.removesuffix("Payload")


def schemas(document: Schema) -> dict[str, Schema]:
    """The schemas by the names of the libraries, with one for the query of each list."""
    found = {model(name): _plain(one) for name, one in document["components"]["schemas"].items()}
    for operation in _operations(document):
        if query := _query_of(operation):
            members = {one["name"]: one["schema"] | {"description": one["description"]} for one in query}
            required = [one["name"] for one in query if one["required"]]
            found[_query_name(operation)] = _plain({"type": "object", "properties": members, "required": required})
    return found


def decimals(document: Schema) -> list[str]:
    """The members that are decimals: never a float in a library."""
    found: set[str] = set()
    for schema in document["components"]["schemas"].values():
        found |= {
            name
            for name, one in schema.get("properties", {}).items()
            if any(kind.get("type") == "number" for kind in (one, *one.get("anyOf", ())))
        }
    return sorted(found)


def events(document: Schema) -> dict[str, str]:
    """The schema of each kind of event."""
    bodies = {
        kind: one["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        for kind, one in document["webhooks"].items()
    }
    return {kind: reference.rpartition("/")[2] for kind, reference in bodies.items()}


def calls(document: Schema) -> dict[str, list[Call]]:
    """The calls by resource, in the order of the document."""
    found: dict[str, list[Call]] = defaultdict(list)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if operation["operationId"] not in LEFT_OUT:
                for call in _variants(document, path, method, operation):
                    found[call.resource].append(call)
    return dict(sorted(found.items()))


def _variants(document: Schema, path: str, method: str, operation: Schema) -> Iterator[Call]:
    """The call, and beside it its rehearsal or its PDF."""
    resource, _, name = NAMES[operation["operationId"]].partition(".")
    body = operation.get("requestBody", {})
    taken = body.get("content", {}).get("application/json", {}).get("schema", {}).get("$ref")
    answers = {status: one for status, one in operation["responses"].items() if status.startswith("2")}
    by_default = answers.get("201") or answers["200"]
    given, is_list = _given(by_default)
    parameters = {one["name"] for one in operation["parameters"]}
    whole = Call(
        resource=resource,
        name=name,
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=operation["description"].strip(),
        takes=taken.rpartition("/")[2] if taken else None,
        body_is_optional=not body.get("required", True),
        query=_query_name(operation) if _query_of(operation) else None,
        query_is_required=any(one["required"] for one in _query_of(operation)),
        gives=given,
        is_list=is_list,
        goes_on_after=_name_of_an_item(document, given) if is_list and "after" in parameters else None,
        is_log="wait" in parameters,
    )
    if whole.removes:
        yield _changed(whole, gives=REMOVED)
    elif given:
        yield whole
    if "application/pdf" in by_default["content"]:
        fixed = "format=pdf" if given else None
        yield _changed(whole, name=f"{name}_pdf", is_pdf=True, fixed_query=fixed, gives="")
    if any(one["name"] == "dryRun" for one in operation["parameters"]):
        yield _changed(
            whole,
            name=name.replace("create_", "rehearse_"),
            gives=_given(answers["200"])[0],
            fixed_query="dryRun=true",
            summary=f"{whole.summary}: would it be accepted?",
            description="Nothing is done: the answer says what would hold.",
        )


def _name_of_an_item(document: Schema, given: str) -> str:
    """`id`, or what stands for it: the first member of all."""
    schemas = document["components"]["schemas"]
    members = (schemas.get(given) or schemas[f"{given}Payload"])["properties"]
    return "id" if "id" in members else next(iter(members))


def _changed(call: Call, **values: Any) -> Call:
    return Call(**{name: getattr(call, name) for name in Call.__dataclass_fields__} | values)


def _given(answer: Schema) -> tuple[str, bool]:
    data = answer["content"].get("application/json", {}).get("schema", {}).get("properties", {}).get("data", {})
    is_list = data.get("type") == "array"
    return model((data["items"] if is_list else data).get("$ref", "").rpartition("/")[2]), is_list


def _operations(document: Schema) -> Iterator[Schema]:
    for methods in document["paths"].values():
        yield from methods.values()


def _query_of(operation: Schema) -> list[Schema]:
    """The parameters that a caller chooses: those of a rehearsal or a PDF are methods of their own."""
    own = {"dryRun", "format", "token"}
    return [one for one in operation["parameters"] if one["in"] == "query" and one["name"] not in own]


def _query_name(operation: Schema) -> str:
    name = str(operation["operationId"])
    return name[0].upper() + name[1:] + "Query"


def _plain(schema: Any) -> Any:
    """Without the limits of values, under the names of the libraries."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items() if key not in UNCHECKED or key == "properties"}
    if "properties" in schema:
        plain["properties"] = {name: _plain(one) for name, one in schema["properties"].items()}
    if "$ref" in plain:
        head, _, name = plain["$ref"].rpartition("/")
        plain["$ref"] = f"{head}/{model(name)}"
    return plain
