"""An operation of the API: requirements, input, output and refusals, declared in one place.

The declaration is executed, published in the schema, and iterated by the tests. Checks run in the order of contract
§2.1: route and method, key, permission, origin, headers, limit, idempotency key, JSON, replay, validation, business.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.base.errors import Fault, InvalidRequest, Refusal
from accounts.base.wire import dumps, loads
from accounts.cells import where_it_lives
from accounts.models import Merchant
from gateway.api import disturbances, origins, throttling
from gateway.api.deprecations import Deprecation
from gateway.api.errors import MethodNotAllowed, RateLimited
from gateway.api.inputs.fields import ExactInput, Input, refuse_card_data, validated
from gateway.api.pagination import Paged, ResultPage
from gateway.database.reading import planned_for_values
from gateway.database.replica import elsewhere
from gateway.requests import bodies, idempotency
from gateway.requests.traced import traced

ANY_JSON = ("application/json", "*/*", "")
"""Accept values that need no negotiation."""


@dataclass(frozen=True, slots=True)
class PdfDocument:
    """A PDF response, shown in the browser under a name."""

    content: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Variant:
    """Another success of an operation: its status, code and description."""

    status: int
    code: str
    success: str

    def of(self, payload: Any) -> "Varied":
        return Varied(self, payload)


@dataclass(frozen=True, slots=True)
class Varied:
    """Returned by a handler to answer with a declared variant."""

    variant: Variant
    payload: Any


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """With `?dryRun=true` the resource's `rehearse` answers instead: nothing is done, and no key is needed.

    It gets the merchant, the content of the body, and the error about the key's permission, if any.
    """

    gives: Any
    success: str
    query: ClassVar[str] = "dryRun"


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    permission: str
    gives: Any
    summary: str
    description: str
    status: int = 200
    success: str = "Success."
    takes: type[Input] | None = None
    query: type[Input] | None = None
    limit: str | None = None
    refuses: Sequence[type[Refusal]] = ()
    or_else: Sequence[Variant] = ()
    optional_body: bool = False
    registered_origin: bool = False
    rehearsal: Rehearsal | None = None
    largest_body: int = bodies.MAX_BODY_BYTES
    deprecated: Deprecation | None = None
    on_primary: bool = False
    """Of a collection: no replica answers it, and its connection may serve others while it waits."""

    @property
    def on_success(self) -> Variant:
        return Variant(self.status, f"ONP{self.status}", self.success)

    @property
    def is_exact(self) -> bool:
        """Whether unknown members are rejected."""
        return bool(self.rehearsal or (self.takes and issubclass(self.takes, ExactInput)))

    @property
    def is_collection(self) -> bool:
        return self.query is not None and issubclass(self.query, Paged)


def operation(name: str, permission: str, *, gives: Any, **declared: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declares a method of a `Resource` as an operation, under a name for generated clients.

    The method gets the merchant, the validated body or query, and the path's parameters; it returns the payload
    (a `Page` of payloads for a collection). Its docstring is the operation's public description.
    """

    def declare(handler: Callable[..., Any]) -> Callable[..., HttpResponse]:
        summary, _, description = (handler.__doc__ or "").strip().partition("\n")
        declaration = Operation(
            name=name, permission=permission, gives=gives, summary=summary, description=description.strip(), **declared
        )
        run = _rehearse_or_write if handler.__name__ == "post" else _read

        @wraps(handler)
        def perform(self: "Resource", request: Request, **path: str) -> HttpResponse:
            merchant: Merchant = request.user  # type: ignore[assignment]
            return where_it_lives(merchant, lambda: run(self, declaration, handler, request, path), _is_done(request))

        perform.operation = declaration  # type: ignore[attr-defined]
        return perform

    return declare


def _is_done(request: Request) -> Callable[[HttpResponse], bool]:
    """Whether an answer says that something was done, which stays so in whatever cell the merchant lives then."""
    writes = request.method not in ("GET", "HEAD")
    return lambda response: writes and response.status_code < 400


class Resource(APIView):
    """One path of the API. Its operations run on PostgreSQL only: no session, no cookie."""

    http_method_names = ["get", "head", "post", "patch", "delete"]
    tag: ClassVar[str] = ""
    format_kwarg = None
    goes_on_regardless: ClassVar[bool] = False
    """Whether a started operation is resumed even if its body would be refused today: then `resume` gets none."""

    def admit(self, merchant: Merchant, *arguments: Any, **path: str) -> None:
        """Raises if more than the operation's permission is missing, also before a stored response is replayed."""

    def prepare(self, merchant: Merchant, *arguments: Any, **path: str) -> idempotency.Prepared | None:
        """What `post` would do, if one statement can do all of it. Writes nothing."""
        return None

    def resume(self, merchant: Merchant, begun: str, *arguments: Any, **path: str) -> Any:
        """Continues what an earlier call of `post` started and did not finish; `begun` is its id."""
        raise NotImplementedError

    def rehearse(self, merchant: Merchant, content: dict[str, Any], permission: Refusal | None) -> Any:
        """The effect that `post` would have with this body."""
        raise NotImplementedError

    @property
    def operation(self) -> Operation:
        method = str(self.request.method).lower()
        return getattr(self, "get" if method == "head" else method).operation  # type: ignore[no-any-return]

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if deprecated := self.operation.deprecated if self._is_allowed(request) else None:
            for name, value in deprecated.headers().items():
                response[name] = value
        return response

    def _is_allowed(self, request: Request) -> bool:
        """Whether the path has this method."""
        method = str(request.method).lower()
        return method in self.http_method_names and hasattr(self, method)

    @property
    def is_rehearsal(self) -> bool:
        rehearsal = self.operation.rehearsal
        return rehearsal is not None and self.request._request.GET.getlist(rehearsal.query) == ["true"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if not self._is_allowed(request):
            raise MethodNotAllowed
        self.perform_authentication(request)
        if not self.is_rehearsal:
            self.check_permissions(request)
            if self.operation.registered_origin:
                origins.require_registered(request.user, request._request)  # type: ignore[arg-type]
        if request.META.get("HTTP_ACCEPT", ANY_JSON[0]) not in ANY_JSON:
            self.perform_content_negotiation(request)
        if request.method in ("POST", "PATCH"):
            declared = self.operation
            bodies.check_headers(request._request, largest=declared.largest_body, optional=declared.optional_body)
        if self.operation.limit:
            _count(request._request, self.operation.limit)


def _count(request: HttpRequest, scope: str) -> None:
    verdict = throttling.counted(request, scope)
    traced(request).rate_limits.insert(0, verdict)
    if not verdict.admitted:
        raise RateLimited(verdict.reset_s)


def _read(
    resource: Resource,
    declared: Operation,
    handler: Callable[..., Any],
    request: Request,
    path: dict[str, str],
) -> HttpResponse:
    merchant: Merchant = request.user  # type: ignore[assignment]
    arguments = [validated(declared.query, request._request.GET.dict())] if declared.query else []
    if declared.takes:
        arguments.append(validated(declared.takes, bodies.parse(bodies.whole_body(request._request)), merchant))
    disturbances.read(request._request, merchant, resource.tag)
    answer = partial(handler, resource, merchant, *arguments, **path)
    is_read_elsewhere = declared.is_collection and not declared.on_primary
    result = elsewhere(planned_for_values()(answer)) if is_read_elsewhere else answer()
    if isinstance(result, PdfDocument):
        return _show(result)
    return _respond(*rendered(declared, result))


def _show(document: PdfDocument) -> HttpResponse:
    response = HttpResponse(document.content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{document.name}"'
    response["Referrer-Policy"] = "no-referrer"
    return response


def _write(
    resource: Resource,
    declared: Operation,
    handler: Callable[..., Any],
    request: Request,
    path: dict[str, str],
) -> HttpResponse:
    http: HttpRequest = request._request
    merchant: Merchant = request.user  # type: ignore[assignment]
    key = idempotency.key_of(http.META.get("HTTP_IDEMPOTENCY_KEY", ""))
    attempt = keyed(merchant, key, http.path, traced(http).request_id, content := _content(http, declared))
    arguments: list[Any] = []
    refused: Refusal | None = None
    try:
        arguments += _arguments(declared, content, merchant)
    except Refusal as refusal:
        if not idempotency.is_used(attempt):
            raise
        refused = refusal  # a stored answer takes precedence over validation
    else:
        resource.admit(merchant, *arguments, **path)

    work = _work(resource, declared, partial(handler, resource), refused, arguments, path)
    answer = disturbances.write(attempt, declared.name, partial(idempotency.perform, attempt, work))
    return answer if isinstance(answer, HttpResponse) else _replayed(http, answer)


def keyed(
    merchant: Merchant, key: str, path: str, request_id: str, content: dict[str, Any]
) -> idempotency.KeyedRequest:
    """The POST with this key and content."""
    return idempotency.KeyedRequest(
        merchant=merchant,
        key=key,
        fingerprint=idempotency.fingerprint("POST", path, content),
        method="POST",
        path=escape_uri_path(path),
        request_id=request_id,
        content=content,
    )


def _work(
    resource: Resource,
    declared: Operation,
    handle: Callable[..., Any],
    refused: Refusal | None,
    arguments: list[Any],
    path: dict[str, str],
) -> idempotency.KeyedWork:
    merchant: Merchant = resource.request.user  # type: ignore[assignment]

    def prepare() -> idempotency.Prepared | None:
        return None if refused else resource.prepare(merchant, *arguments, **path)

    def begin() -> Any:
        if refused:
            raise refused
        return handle(merchant, *arguments, **path)

    def resume(begun: str) -> Any:
        if refused and not resource.goes_on_regardless:
            raise refused
        return resource.resume(merchant, begun, *arguments, **path)

    return idempotency.KeyedWork(begin, resume, partial(rendered, declared), prepare)


def _arguments(declared: Operation, content: dict[str, Any], merchant: Merchant) -> list[Any]:
    """What the handler is given of the body."""
    if declared.takes:
        return [validated(declared.takes, content, merchant)]
    refuse_card_data(content)
    return []


def _content(http: HttpRequest, declared: Operation) -> dict[str, Any]:
    if declared.takes is None:  # nothing can be missing
        return bodies.parse(bodies.whole_body(http) or b"{}")
    return bodies.parse(bodies.optional_body(http) if declared.optional_body else bodies.whole_body(http))


def _rehearse_or_write(
    resource: Resource,
    declared: Operation,
    handler: Callable[..., Any],
    request: Request,
    path: dict[str, str],
) -> HttpResponse:
    _check_query(request._request, declared)
    if resource.is_rehearsal:
        return _rehearse(resource, request)
    return _write(resource, declared, handler, request, path)


def _check_query(http: HttpRequest, declared: Operation) -> None:
    """Rejects misspelt or unsupported dry runs, which must not become real, and amounts in the query.

    Raises ONP400_VALIDATION.
    """
    for name in http.GET:
        if name == Rehearsal.query and declared.rehearsal:
            if http.GET.getlist(name) not in (["true"], ["false"]):
                raise InvalidRequest(faults=[Fault(name, "UNKNOWN_VALUE", "Must be true or false, once.")])
        elif name == Rehearsal.query or declared.is_exact:
            if declared.rehearsal:
                wrong = Fault(name[:80], "NOT_ALLOWED", "Only %(name)s is known here.", {"name": Rehearsal.query})
            else:
                wrong = Fault(name[:80], "NOT_ALLOWED", "Send it in the body.")
            raise InvalidRequest(faults=[wrong])


def _rehearse(resource: Resource, request: Request) -> HttpResponse:
    merchant: Merchant = request.user  # type: ignore[assignment]
    content = bodies.parse(bodies.whole_body(request._request))
    permission: Refusal | None = None
    try:
        resource.check_permissions(request)
    except Refusal as refusal:
        permission = refusal
    payload = resource.rehearse(merchant, content, permission)
    assert resource.operation.rehearsal
    return _respond(*rendered(resource.operation, preflight_of(resource.operation.rehearsal).of(payload)))


def preflight_of(rehearsal: Rehearsal) -> Variant:
    """The preflight response."""
    return Variant(200, "ONP200", rehearsal.success)


def rendered(declared: Operation, result: Any) -> tuple[int, bytes]:
    """Status and body of a success: the envelope of contract §2.2."""
    variant, result = (result.variant, result.payload) if isinstance(result, Varied) else (declared.on_success, result)
    answer = {"success": True, "onpayCode": variant.code, "onpayDescription": variant.success}
    if isinstance(result, ResultPage):
        return variant.status, dumps(
            answer | {"data": result.items} | result.totals | {"pagination": result.pagination}
        )
    return variant.status, dumps(answer | {"data": result})


def _respond(status: int, body: bytes) -> HttpResponse:
    return HttpResponse(body, status=status, content_type="application/json")


def _replayed(request: HttpRequest, stored: idempotency.Stored) -> HttpResponse:
    if stored.status >= 400:  # for the log
        traced(request).refusal_code = loads(stored.body)["onpayCode"]
    response = _respond(stored.status, stored.body)
    if stored.replayed:
        response["Idempotent-Replayed"] = "true"
    return response
