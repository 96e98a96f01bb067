"""The client libraries have a method for every operation, and no name for one that is not there."""

from gateway.api.openapi.document import document
from gateway.clients.operations import calls
from gateway.clients.surface import LEFT_OUT, NAMES


def test_every_operation_has_a_name_in_the_libraries() -> None:
    published = {one["operationId"] for methods in document()["paths"].values() for one in methods.values()}

    assert NAMES.keys() | LEFT_OUT == published, "gateway/clients/surface.py names every operation"
    assert NAMES.keys() & LEFT_OUT == set()


def test_no_two_methods_of_the_libraries_share_a_name() -> None:
    made = [(call.resource, call.name) for found in calls(document()).values() for call in found]
    assert len(set(made)) == len(made) > len(NAMES)
