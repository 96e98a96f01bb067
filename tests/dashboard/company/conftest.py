"""What the pages about a company send out is sent when they have committed."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pytest

Committed = Callable[[], AbstractContextManager[Any]]


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Any) -> Committed:
    """At its end everything that waited for the commit is done, as if there had been one."""
    return partial(django_capture_on_commit_callbacks, execute=True)
