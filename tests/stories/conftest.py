"""Every story is told twice: by the owner of the database, and by the role that serves in production."""

import uuid
from collections.abc import Iterator

import pytest
from django.db import connection

from gateway.database.roles import grant
from tests.support.companies import Shop


@pytest.fixture(autouse=True, params=["owner", "service"])
def role(request: pytest.FixtureRequest, acme: Shop, globex: Shop) -> Iterator[None]:
    """The service owns nothing, and its rights are enough. A role ends with the transaction of its test."""
    if request.param == "owner":
        yield
        return
    name = f"serves_{uuid.uuid4().hex[:8]}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        (owner,) = cursor.fetchone()
        cursor.execute(f"CREATE ROLE {name}")
        grant(cursor, owner, name)
        cursor.execute(f"SET LOCAL ROLE {name}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == (name,)
        cursor.execute("RESET ROLE")
