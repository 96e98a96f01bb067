"""What a company shows to a payer's bank: addresses that are stored, and files that are what they say."""

import base64
import json
from typing import Any

import pytest

from gateway.refunds.models import Evidence
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.refunds import PDF, answered, ask, disputed, nothing_moves, now, paid, refusal

pytestmark = pytest.mark.django_db

PNG, JPEG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20, b"\xff\xd8\xff\xe0" + b"\0" * 20
MIB = 1024 * 1024
PROOF = {"type": "URL", "url": "https://shop.example.com/proof/1042.pdf", "description": "Proof of delivery"}


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def a_file(inside: bytes = PDF, kind: str = "application/pdf", **members: Any) -> dict[str, Any]:
    said = {"type": "FILE", "fileName": "proof", "contentType": kind, "content": encoded(inside)} | members
    return {name: value for name, value in said.items() if value is not None}


@pytest.fixture
def refund(api: Api) -> dict[str, Any]:
    return disputed(api, paid(api), amount=50)


def test_an_address_is_kept_as_it_is(api: Api, refund: dict[str, Any]) -> None:
    contested = answered(api, refund, "CONTEST", evidence=[PROOF]).json()["data"]

    [shown] = contested["responses"][0]["evidence"]
    assert shown["id"].startswith("evd_")
    assert shown == PROOF | {"id": shown["id"], "fileName": None, "contentType": None, "size": None}
    assert now(api, refund) == contested


@pytest.mark.parametrize(
    ("content", "kind", "name"),
    [(PDF, "application/pdf", "a.pdf"), (PNG, "image/png", "b.png"), (JPEG, "image/jpeg", "ç ã.jpg")],
)
def test_a_file_is_described_and_its_content_is_kept(
    api: Api, refund: dict[str, Any], content: bytes, kind: str, name: str
) -> None:
    answer = answered(api, refund, "CONTEST", evidence=[a_file(content, kind, fileName=name, description="Signed")])

    [shown] = answer.json()["data"]["responses"][0]["evidence"]
    assert shown == {
        "id": shown["id"], "type": "FILE", "description": "Signed", "url": None, "fileName": name,
        "contentType": kind, "size": len(content),
    }  # fmt: skip
    assert bytes(Evidence.objects.get().content) == content
    assert encoded(content) not in api.get(f"/refunds/{refund['id']}").content.decode()


def test_ten_pieces_keep_their_order_and_come_with_an_acceptance_too(api: Api, refund: dict[str, Any]) -> None:
    pieces = [PROOF | {"description": str(n)} for n in range(9)] + [a_file(description="9")]

    accepted = answered(api, refund, "ACCEPT", evidence=pieces).json()["data"]

    assert [one["description"] for one in accepted["responses"][0]["evidence"]] == [str(n) for n in range(10)]
    assert [one["description"] for one in now(api, refund)["responses"][0]["evidence"]] == [str(n) for n in range(10)]


def test_two_mebibytes_are_taken(api: Api, refund: dict[str, Any]) -> None:
    largest = PDF + b"\0" * (2 * MIB - len(PDF))

    answer = answered(api, refund, "CONTEST", evidence=[a_file(largest)])

    assert answer.json()["data"]["responses"][0]["evidence"][0]["size"] == 2 * MIB


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("evidence", "field"),
    [
        ("proof", "evidence"),
        ({}, "evidence"),
        ([PROOF] * 11, "evidence"),
        (["proof"], "evidence[0]"),
        ([{}], "evidence[0].type"),
        ([PROOF | {"type": "url"}], "evidence[0].type"),
        ([PROOF, {"type": "URL"}], "evidence[1].url"),
        ([PROOF | {"url": "http://shop.example.com/proof.pdf"}], "evidence[0].url"),
        ([PROOF | {"url": "shop.example.com/proof.pdf"}], "evidence[0].url"),
        ([PROOF | {"url": "javascript:alert(1)"}], "evidence[0].url"),
        ([PROOF | {"url": "https://"}], "evidence[0].url"),
        ([PROOF | {"url": "https://shop.example.com/a\nb"}], "evidence[0].url"),
        ([PROOF | {"url": "https://shop.example.com/" + "a" * 2048}], "evidence[0].url"),
        ([PROOF | {"url": 7}], "evidence[0].url"),
        ([PROOF | {"description": "x" * 256}], "evidence[0].description"),
        ([PROOF | {"description": "a\x00b"}], "evidence[0].description"),
        ([a_file(fileName=None)], "evidence[0].fileName"),
        ([a_file(fileName="")], "evidence[0].fileName"),
        ([a_file(fileName="a\x00.pdf")], "evidence[0].fileName"),
        ([a_file(contentType=None)], "evidence[0].contentType"),
        ([a_file(contentType="text/html")], "evidence[0].contentType"),
        ([a_file(content=None)], "evidence[0].content"),
        ([a_file(content="")], "evidence[0].content"),
        ([a_file(content="not base64!")], "evidence[0].content"),
        ([a_file(content=encoded(PDF) + "=")], "evidence[0].content"),
        ([a_file(content=7)], "evidence[0].content"),
        ([a_file(PNG)], "evidence[0].content"),
        ([a_file(JPEG, "image/png")], "evidence[0].content"),
        ([a_file(PDF, "image/jpeg")], "evidence[0].content"),
        ([a_file(b"<html>%PDF-1.7</html>")], "evidence[0].content"),
        ([a_file(b"MZ" + PDF)], "evidence[0].content"),
        ([PROOF, a_file(PDF + b"\0" * (2 * MIB - len(PDF) + 1))], "evidence[1].content"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_evidence_is_named_and_moves_nothing(
    api: Api, acme: Shop, refund: dict[str, Any], evidence: Any, field: str
) -> None:
    with nothing_moves(acme):
        answer = answered(api, refund, "CONTEST", evidence=evidence)

    assert (refusal(answer), answer.json()["error"]["field"]) == ((400, "ONP400_EVIDENCE"), field)


def test_every_wrong_piece_is_named_at_once_and_the_answer_goes_before(api: Api, refund: dict[str, Any]) -> None:
    body = {"answer": "CONTEST", "evidence": [{"type": "URL"}, PROOF, a_file(PNG)]}

    error = api.post(f"/refunds/{refund['id']}/responses", body).json()["error"]

    assert (error["code"], error["field"]) == ("ONP400_ANSWER", "message")
    assert {one["field"] for one in error["fields"]} == {"message", "evidence[0].url", "evidence[2].content"}


def padded(body: dict[str, Any], size: int) -> bytes:
    """The body, with spaces, of exactly so many bytes."""
    return json.dumps(body).encode().ljust(size)


def test_an_answer_may_be_as_large_as_fifteen_mebibytes(api: Api, acme: Shop, refund: dict[str, Any]) -> None:
    largest = a_file(PDF + b"\0" * (2 * MIB - len(PDF)))
    body = {"answer": "CONTEST", "message": "All of it.", "evidence": [largest] * 5}
    address = f"/refunds/{refund['id']}/responses"

    with nothing_moves(acme):
        assert refusal(api.post(address, raw=padded(body, 15 * MIB + 1))) == (413, "ONP413")
    assert api.post(address, raw=padded(body, 15 * MIB)).status_code == 201
    assert Evidence.objects.count() == 5


def test_every_other_body_is_at_most_256_kibibytes(api: Api, acme: Shop, refund: dict[str, Any]) -> None:
    payment = paid(api)
    calls = {
        f"/payments/{payment}/refunds": {"amount": 1},
        f"/simulations/payments/{payment}/refund-requests": {"amount": 1},
        f"/simulations/refunds/{refund['id']}": {"status": "CANCELED"},
    }

    with nothing_moves(acme):
        for address, body in calls.items():
            assert refusal(api.post(address, raw=padded(body, 256 * 1024 + 1))) == (413, "ONP413")
    assert ask(api, payment, amount=1).status_code == 201
    assert api.post(f"/simulations/refunds/{refund['id']}", raw=padded({"status": "CANCELED"}, 256 * 1024)).json()[
        "success"
    ]
