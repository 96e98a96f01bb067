"""A database, and an institution that nobody has scripted yet."""

import pytest

from tests.support.scripted_provider import Script, rewritten


@pytest.fixture(autouse=True)
def script(db: None) -> Script:
    return rewritten()
