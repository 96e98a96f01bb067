"""Whatever is sent, the answer is a refusal in the envelope, and nothing is written."""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.http import HttpResponse

from gateway.api.openapi.document import operations
from gateway.customers.models import Customer
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from tests.support.api import V2, Api
from tests.support.companies import Shop
from tests.support.operations import BODIES
from tests.support.operations import QUERIES as NEEDED_QUERIES
from tests.support.payments import a_payment, pix
from webhooks.models import Delivery, Endpoint, Event

JSON = "application/json"
HOOK = {"url": "http://127.0.0.1:9000/hooks", "events": ["payment.paid"]}
KB, MB = 1 << 10, 1 << 20


def written() -> list[int]:
    """How much there is of everything that a request could write."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (SELECT count(*) FROM ledger_transfer), (SELECT count(*) FROM ledger_entry)")
        books = cursor.fetchone()
    models = (Payment, Customer, IdempotencyKey, Event, Delivery, Endpoint)
    return [*(model.objects.count() for model in models), *books]


@pytest.fixture(autouse=True)
def nothing_is_written(acme: Shop) -> Iterator[None]:
    a_payment(acme.sandbox, "PAID")
    before = written()
    yield
    assert written() == before


def refusal(answer: HttpResponse, *statuses: int) -> dict[str, Any]:
    """The `error` of an answer, once it is proved to be a refusal in the envelope."""
    assert answer.status_code in statuses, (answer.status_code, answer.content[:300])
    body = answer.json()
    assert set(body) == {"success", "onpayCode", "onpayDescription", "error"}
    error: dict[str, Any] = body["error"]
    assert error["code"] == body["onpayCode"]
    assert error["code"].startswith(f"ONP{answer.status_code}")
    assert error["requestId"] == answer["RequestId"]
    assert b"<" not in answer.content
    return error


def with_member(body: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The body with one member, `payer.address.city` too, put otherwise."""
    copy = json.loads(json.dumps(body))
    *parents, name = path.split(".")
    inner = copy
    for parent in parents:
        inner = inner.setdefault(parent, {})
    inner[name] = value
    return dict(copy)


TEXT = json.dumps(pix()).encode()
NO_JSON = {
    "blank": b"   ",
    "half": TEXT[:-1],
    "two": TEXT + TEXT,
    "comma": TEXT[:-1] + b",}",
    "comment": TEXT + b"// pay",
    "form": b"method=PIX&amount=150",
    "xml": b"<payment/>",
    "array": b"[" + TEXT + b"]",
    "string": b'"PIX"',
    "number": b"150",
    "null": b"null",
    "nan": TEXT.replace(b"150.0", b"NaN"),
    "infinity": TEXT.replace(b"150.0", b"Infinity"),
    "minus-infinity": TEXT.replace(b"150.0", b"-Infinity"),
    "nan-in-an-ignored-member": TEXT[:-1] + b', "note": NaN}',
    "member-twice": TEXT[:-1] + b', "amount": 1}',
    "member-twice-the-same": TEXT[:-1] + b', "method": "PIX"}',
    "member-twice-escaped": TEXT[:-1] + b', "\\u0061mount": 1}',
    "member-twice-inside": TEXT.replace(b'"payer": {', b'"payer": {"name": "Eve", '),
    "member-twice-in-an-ignored-member": TEXT[:-1] + b', "note": {"a": 1, "a": 2}}',
    "arrays-200000-deep": b"[" * 200_000,
    "arrays-deep-in-a-member": b'{"note":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "objects-50000-deep": b'{"":' * 50_000 + b"1" + b"}" * 50_000,
    "twenty-one-deep": TEXT[:-1] + b', "note":' + b"[" * 20 + b"]" * 20 + b"}",
    "invalid-utf-8": TEXT.replace(b"Maria", b"Mari\xff"),
    "overlong-utf-8": TEXT.replace(b"Maria", b"Mari\xc0\xaf"),
    "surrogate-in-utf-8": TEXT.replace(b"Maria", b"Mari\xed\xa0\x80"),
    "latin-1": TEXT.replace(b"Maria", b"Jos\xe9"),
    "utf-16": TEXT.decode().encode("utf-16"),
    "utf-16-le": TEXT.decode().encode("utf-16-le"),
    "utf-32": TEXT.decode().encode("utf-32"),
    "bom": b"\xef\xbb\xbf" + TEXT,
    "raw-nul": TEXT.replace(b"Maria", b"Mari\x00"),
    "raw-newline": TEXT.replace(b"Maria", b"Mari\n"),
    "gzip": gzip.compress(TEXT),
}


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("content", NO_JSON.values(), ids=NO_JSON.keys())
def test_what_is_no_json_object_is_refused(api: Api, content: bytes) -> None:
    for path in ("/payments", "/webhooks", "/simulations/payments/pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF"):
        assert refusal(api.post(path, raw=content), 400)["code"] == "ONP400_MALFORMED_JSON"


AMOUNTS = (
    r'1e400 1e999999999 -1e999999999 1e-999999999 -0.0 12345678901234567 1.234 true "12" "1_000" "\u0661\u0662" "NaN" '
    r'"sNaN" "Infinity" [] {} null'
)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("number", [*AMOUNTS.split(), "9" * 5000], ids=lambda number: number[:20])
def test_what_is_no_amount_is_refused(api: Api, number: str) -> None:
    error = refusal(api.post("/payments", raw=TEXT.replace(b"150.0", number.encode())), 400)

    assert error.get("field", "amount") == "amount"
    assert error["code"] in ("ONP400_AMOUNT", "ONP400_MALFORMED_JSON")


TEXTS = (
    "method currency reference payer.name payer.taxId payer.taxIdType payer.email payer.phone payer.address.street "
    "payer.address.number payer.address.complement payer.address.district payer.address.city payer.address.state "
    "payer.address.postalCode payer.address.country"
)


NO_TEXTS = [
    "a\x00b",
    "a\u202eb",
    "a\u2066b",
    "a\u200bb",
    "\ufeffab",
    "\ud800",
    "ab\udfff\ud800",
    ["a"],
    {"a": "b"},
    7,
    True,
    "x" * 5000,
]


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("member", TEXTS.split())
def test_a_member_of_a_payment_that_is_no_text_is_refused(api: Api, member: str) -> None:
    for bad in NO_TEXTS:
        error = refusal(api.post("/payments", with_member(pix(), member, bad)), 400)

        assert error["code"] == "ONP400_MALFORMED_JSON" or error["field"] == member, bad


ENDED = "/simulations/payments/{id}"
ELSEWHERE = [("/webhooks", HOOK, "url"), ("/webhooks", HOOK, "description"), (ENDED, {"status": "PAID"}, "status")]


@pytest.mark.parametrize(("path", "body", "member"), ELSEWHERE)
def test_a_member_elsewhere_that_is_no_text_is_refused(api: Api, path: str, body: dict[str, Any], member: str) -> None:
    for bad in NO_TEXTS:
        error = refusal(api.post(path.format(id=Payment.objects.get().id), with_member(body, member, bad)), 400)

        assert error["code"] == "ONP400_MALFORMED_JSON" or error["field"] == member, bad


NOT_JSON = (
    "|text/plain|text/html|application/xml|application/x-www-form-urlencoded|multipart/form-data|application/jsonp|json"
    "|application/json-patch+json|*/*|application/json; charset=latin-1|application/json; charset=utf-16|\x00"
    "|text/plain, application/json"
)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("kind", [*NOT_JSON.split("|"), "x" * MB], ids=lambda kind: kind[:32])
def test_a_body_that_is_not_called_json_is_refused(api: Api, kind: str) -> None:
    assert refusal(api.post("/payments", raw=TEXT, content_type=kind), 415)["code"] == "ONP415"


@pytest.mark.parametrize("size", [256 * KB + 1, MB, 5 * MB])
def test_a_body_of_more_than_256_kib_is_refused(api: Api, size: int) -> None:
    assert refusal(api.post("/payments", raw=TEXT + b" " * (size - len(TEXT))), 413)["code"] == "ONP413"


def test_a_compressed_body_is_not_unpacked(api: Api) -> None:
    bomb = gzip.compress(b" " * 100 * MB + TEXT)

    refusal(api.post("/payments", raw=bomb, **{"content-encoding": "gzip"}), 400, 413, 415)


@pytest.mark.parametrize("length", ["", "0", "-1", "x", "1e3", "99999999999999999999"])
def test_a_body_without_a_true_length_is_refused(api: Api, length: str) -> None:
    chunked = {"CONTENT_LENGTH": length, "HTTP_TRANSFER_ENCODING": "chunked"}
    key = "7f3b1c52-8a50-4f2d-9d2b-0d9a6f6c3e11"

    answer = api.request("POST", "/payments", data=TEXT, content_type=JSON, HTTP_IDEMPOTENCY_KEY=key, **chunked)

    refusal(answer, 400, 411, 413)


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/*", "application/pdf", "json", "\x00"])
def test_an_answer_in_another_language_is_refused(api: Api, accept: str) -> None:
    assert refusal(api.request("GET", "/payments", HTTP_ACCEPT=accept), 406)["code"] == "ONP406"
    refusal(api.post("/payments", pix(), accept=accept), 406)


BAD_HEADERS = ["\x00", "a\x00b", "\x7f", "é", "\xff", "☃", "' OR 1=1 --", "{{7*7}}", "../../etc/passwd", "x" * MB]


@pytest.mark.parametrize("bad", BAD_HEADERS, ids=lambda bad: bad[:16])
def test_a_key_of_nonsense_is_an_unknown_key(api: Api, bad: str) -> None:
    api.key = bad
    refusal(api.get("/payments"), 401)
    refusal(api.post("/payments", pix()), 401)


@pytest.mark.parametrize("bad", BAD_HEADERS, ids=lambda bad: bad[:16])
def test_an_idempotency_key_of_nonsense_is_refused(api: Api, bad: str) -> None:
    error = refusal(api.post("/payments", pix(), key=bad), 400)

    assert (error["code"], error["field"]) == ("ONP400_IDEMPOTENCY_KEY_INVALID", "idempotency-key")


BAD_IDS = [
    "%00",
    "pay_%00",
    "..%2f..",
    "..%5c..",
    "%2e%2e",
    "x" * 10_000,
    "%ff%fe",
    "%C3%A9",
    "%E2%98%83",
    "%20",
    "'",
    "*",
]
TEMPLATES = sorted({(method.upper(), path.removeprefix(V2)) for path, method, *_ in operations() if "{" in path})


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("bad", BAD_IDS, ids=lambda bad: bad[:16])
def test_an_id_of_nonsense_is_an_unknown_id(api: Api, acme: Shop, address: str, bad: str) -> None:
    acme.company.withdrawal_ip = address
    acme.company.save()
    for method, path in TEMPLATES:
        filled = re.sub(r"{\w+}", lambda _: bad, path)
        needed = NEEDED_QUERIES.get(path, {})

        body = BODIES.get(path, {})
        if method == "GET":
            answer = api.get(filled, **needed)
        elif method == "POST":
            answer = api.post(filled, body)
        else:
            answer = api.request(method, filled, data=json.dumps(body).encode(), content_type=JSON)
        refusal(answer, 404)


QUERIES = (
    f"pageSize=-1 pageSize=0 pageSize=1000000000 pageNumber={10**30} pageNumber=%00 pageNumber=NaN status=%00 "
    "reference=%00 createdFrom=%00 customerId=%ff%fe%00 currency=%00 method=%00"
)


@pytest.mark.parametrize("query", QUERIES.split())
def test_a_query_of_nonsense_is_refused(api: Api, query: str) -> None:
    error = refusal(api.request("GET", f"/payments?{query}"), 400)

    assert error["code"] in ("ONP400_PAGINATION", "ONP400_FILTER")
    assert error["field"] == query.partition("=")[0]


def test_ten_thousand_query_parameters_are_refused(api: Api) -> None:
    refusal(api.request("GET", "/payments?" + "&".join(f"p{number}=1" for number in range(10_000))), 400)


ADDRESSES = sorted({path.removeprefix(V2) for path, *_ in operations()})
DECLARED = {(method.upper(), path.removeprefix(V2)) for path, method, *_ in operations()}
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "X" * 1000]


@pytest.fixture
def addresses(acme: Shop, address: str) -> dict[str, str]:
    """Every address of the API as it is written, and with ids of acme's, or of nobody."""
    acme.company.withdrawal_ip = address
    acme.company.save()
    ids = defaultdict(lambda: "of_nobody", paymentId=Payment.objects.get().id, companyId=acme.company.id)
    return {path: path.format_map(ids) for path in ADDRESSES}


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("method", METHODS)
def test_another_method_is_refused_and_told_the_right_ones(api: Api, addresses: dict[str, str], method: str) -> None:
    for path, filled in addresses.items():
        if (method, path) not in DECLARED:
            answer = api.request(method, filled)

            assert refusal(answer, 405)["code"] == "ONP405"
            assert {one for one, there in DECLARED if there == path} == set(answer["Allow"].split(", ")) - {"HEAD"}


def test_a_head_is_a_get_without_its_body(api: Api, addresses: dict[str, str]) -> None:
    for path, filled in addresses.items():
        query = urlencode(NEEDED_QUERIES.get(path, {}))
        answer = api.request("HEAD", f"{filled}?{query}")

        is_unknown = path in ("/payments/{paymentId}/boleto", "/simulations/chaos") or "of_nobody" in filled
        assert answer.status_code == (405 if ("GET", path) not in DECLARED else 404 if is_unknown else 200), path
        assert answer.content == b""


@pytest.mark.parametrize("header", ["HTTP_X_HTTP_METHOD_OVERRIDE", "HTTP_X_HTTP_METHOD", "HTTP_X_METHOD_OVERRIDE"])
def test_a_method_cannot_be_overridden(api: Api, header: str) -> None:
    path = f"/payments/{Payment.objects.get().id}"

    refusal(api.request("POST", path, **{header: "GET"}), 405)
    refusal(api.request("POST", path + "?_method=GET", data=b"_method=GET", content_type=JSON), 405)
    assert api.request("GET", path, **{header: "DELETE"}).status_code == 200


@pytest.mark.parametrize("change", ["{}/", "/{}", "{}//", "{};a=b", "{}.json", "{}%0a"])
def test_an_address_is_spelt_exactly(api: Api, addresses: dict[str, str], change: str) -> None:
    for path, filled in addresses.items():
        refusal(api.request("GET", change.format(filled)), 404, 405)
        refusal(api.post(change.format(filled), BODIES.get(path, {})), 404, 405)
