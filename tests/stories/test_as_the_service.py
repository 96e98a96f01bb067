"""The stories again, as the role that serves in production: it owns nothing, and its rights are enough."""

# ruff: noqa: F403

import uuid
from collections.abc import Iterator

import pytest
from django.db import connection

from gateway.database.roles import grant
from tests.stories.test_a_boleto import *
from tests.stories.test_a_card_payment import *
from tests.stories.test_a_checkout import *
from tests.stories.test_a_pix_payment import *
from tests.stories.test_a_refund import *


@pytest.fixture(autouse=True)
def as_the_service(db: None) -> Iterator[None]:
    """Roles are part of the transaction that ends with the test."""
    role = f"serves_{uuid.uuid4().hex[:8]}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        (owner,) = cursor.fetchone()
        cursor.execute(f"CREATE ROLE {role}")
        grant(cursor, owner, role)
        cursor.execute(f"SET LOCAL ROLE {role}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == (role,)
        cursor.execute("RESET ROLE")
