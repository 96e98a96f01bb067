"""Who is told on loopback: a merchant, and a collector of traces or Sentry."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.receiver import Receiver, listening


@pytest.fixture
def shop(settings: Any) -> Iterator[Receiver]:
    """Where acme's webhooks arrive."""
    settings.LOCAL = True
    with listening() as found:
        yield found


@pytest.fixture
def told() -> Iterator[Receiver]:
    with listening() as found:
        yield found
