"""Who decides about advances."""

import pytest

from accounts.models import User


@pytest.fixture
def reviewer(db: None) -> User:
    return User.objects.create_superuser("ana@onpay.example", "a long password")
