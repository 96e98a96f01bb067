"""Staff before the admin, and one of everything to look at."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.heartbeats import beat
from accounts.models import User
from tests.support.companies import Shop
from tests.support.people import PASSWORD, browser_of
from tests.support.recording import Recording
from tests.support.requests import forget_requests
from tests.support.staff import ROOT, World, _world


@pytest.fixture(autouse=True)
def plain_static_files(settings: Any) -> None:
    """As they are in the source: nothing was collected."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


@pytest.fixture(autouse=True)
def drawn_sidebar(settings: Any) -> None:
    """None: to count all queues and draw fifty links takes a third of a page. Modules about it override this."""
    settings.UNFOLD = settings.UNFOLD | {"SIDEBAR": {"navigation": [{"title": "Sidebar", "items": []}]}}


@pytest.fixture
def root(request: pytest.FixtureRequest, db: None) -> User:
    """The superuser, who has done things already where there is a world."""
    if "world" in request.fixturenames:
        request.getfixturevalue("world")
        return User.objects.get(email=ROOT)
    return User.objects.create_superuser(ROOT, PASSWORD)


@pytest.fixture
def staff(root: User) -> Client:
    """A superuser's browser: whatever it may not do, nobody may."""
    return browser_of(root)


@pytest.fixture
def colleague(db: None) -> Client:
    """Another superuser's browser: what takes two people takes this one."""
    return browser_of(User.objects.create_superuser("colleague@onpay.example", PASSWORD))


@pytest.fixture(scope="session")
def recorded(shops: dict[str, Recording[Shop]], django_db_setup: None, django_db_blocker: Any) -> Recording[World]:
    """The world, built once in each process."""
    local, days = settings.LOCAL, settings.REQUEST_LOG_DAYS
    settings.LOCAL, settings.REQUEST_LOG_DAYS = True, 30
    with django_db_blocker.unblock():
        try:
            return Recording(_world, shops["Acme"], shops["Globex"])
        finally:
            settings.LOCAL, settings.REQUEST_LOG_DAYS = local, days
            forget_requests()


@pytest.fixture
def world(acme: Shop, globex: Shop, recorded: Recording[World], settings: Any) -> World:
    settings.LOCAL = True
    made = recorded.again()
    beat("worker")
    beat("messages")
    beat("background")
    return made
