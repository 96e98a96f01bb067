"""Each run of the tests has a database to itself."""

import pytest
from django.db import connection

from tests.support import database


@pytest.mark.django_db
def test_another_run_gets_another_database() -> None:
    ours = connection.settings_dict["NAME"]
    with database._server() as server:
        theirs = database._claim(server)

        assert ours.startswith(database.COPIES)
        assert theirs.startswith(database.COPIES)
        assert theirs != ours


@pytest.mark.django_db
def test_a_name_is_free_again_when_its_run_is_gone() -> None:
    with database._server() as server:
        first = database._claim(server)

    with database._server() as server:
        assert database._claim(server) == first
