"""A database that comes back is used at once, however long it was away."""

import time

import pytest
from django.db import Error, connections

from gateway.database.postgresql.base import DatabaseWrapper
from tests.support.standby import Standby
from tests.support.waiting import until

pytestmark = pytest.mark.a_third_a_day

AWAY_S = 8.0
"""Attempts of which each waits twice as long would be made after 1, 3, 7 and 15 seconds."""
BACK_WITHIN_S = 3.0


class Apart(DatabaseWrapper):
    """With a pool that is not that of the tests."""

    _connection_pools = {}


def test_it_is_used_as_soon_as_it_answers(server: Standby) -> None:
    server.start()
    usual = connections["default"].settings_dict
    database = Apart(usual | {"HOST": str(server.sockets)})
    assert database.pool is not None

    def answers() -> bool:
        try:
            with database.cursor() as cursor:
                cursor.execute("SELECT 1")
        except Error:
            return False
        finally:
            database.close()  # as at the end of a request
        return True

    assert answers()
    server.stop()
    ends = time.monotonic() + AWAY_S
    while time.monotonic() < ends:
        assert not answers()
    server.start()
    began = time.monotonic()

    until(answers, 60)

    assert time.monotonic() - began < BACK_WITHIN_S
    database.close_pool()
