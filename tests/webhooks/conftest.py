"""acme's receiver and the endpoint that leads to it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.receiver import Receiver, listening
from tests.support.webhooks import Hook, registered


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.LOCAL = True
    with listening() as found:
        yield found


@pytest.fixture
def hook(api: Api, receiver: Receiver) -> Hook:
    """acme's endpoint, which wants everything."""
    return registered(api, receiver.url)
