"""The web server as it is shipped, on the database of the tests."""

from collections.abc import Iterator

import pytest

from tests.support.network import free_port
from tests.support.web_server import Server, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("web") / "web.log", free_port()) as running:
        yield running
