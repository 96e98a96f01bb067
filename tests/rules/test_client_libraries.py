"""The client libraries have a method for every operation, and no name for one that is not there."""

import pytest

from gateway.api.openapi.calls import calls
from gateway.api.openapi.document import document
from gateway.api.openapi.surface import LEFT_OUT, NAMES, camel
from gateway.api.reference.guides import guide
from gateway.api.reference.search import search


def test_every_operation_has_a_name_in_the_libraries() -> None:
    published = {one["operationId"] for methods in document()["paths"].values() for one in methods.values()}

    assert NAMES.keys() | LEFT_OUT == published, "gateway/api/openapi/surface.py names every operation"
    assert NAMES.keys() & LEFT_OUT == set()


def test_no_two_methods_of_the_libraries_share_a_name() -> None:
    made = [(call.resource, call.name) for found in calls(document()).values() for call in found]
    assert len(set(made)) == len(made) > len(NAMES)


def test_every_method_is_on_its_page_in_both_languages() -> None:
    page = guide("methods", "es").markdown
    for resource, made in calls(document()).items():
        for call in made:
            assert f"\nclient.{resource}.{call.name}(" in page
            assert f"\nclient.{camel(resource)}.{camel(call.name)}(" in page
    assert "client.refunds.create(payment_id, *, amount=…, reason=…" in " ".join(page.split())


@pytest.mark.parametrize("query", ["rehearse_pix", "receiptPdf", "client.webhook_endpoints.rotate_secret"])
def test_a_method_is_found_by_its_name(query: str) -> None:
    assert any(hit.place.where.startswith("/docs/en/methods#") for hit in search(query, "en")[:3])
