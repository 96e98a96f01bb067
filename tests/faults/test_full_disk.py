"""The disk of the database is full: orders wait and none is lost, doubled or refused; with room, all goes on."""

import time
from collections.abc import Callable

import pytest

from tests.support.backends import Backends
from tests.support.disk import Disk, cannot_be_mounted, fill_the_log, small_disk
from tests.support.service import FEWER_KILLS, PATIENCE_S, Service, are_charged_once

LASTS_S, BACK_WITHIN_S = 3, 30


@pytest.mark.parametrize(
    "fill", [lambda service: None, lambda service: fill_the_log(service.admin_url)], ids=["no page", "no log"]
)
def test_orders_survive_a_full_disk(service: Service, fill: Callable[[Service], None]) -> None:
    if reason := cannot_be_mounted():
        pytest.skip(reason)
    with small_disk(service) as disk:
        backends = Backends(service, "disk")
        with backends.at_work():
            for _ in range(FEWER_KILLS):
                is_full(disk, backends, fill)

        assert backends.answers.keys() == {200, 201, 503}
        service.until(service.is_well, 60)
        are_charged_once(service, "paid orders, disk full", backends.prefix, backends.made, faults=FEWER_KILLS)
        service.manage("verify_ledger")


def is_full(disk: Disk, backends: Backends, fill: Callable[[Service], None]) -> None:
    """Until orders were answered 503; afterwards one is paid within seconds."""
    before, seen = backends.answers[503], said(disk.service)
    with disk.full():
        fill(disk.service)
        disk.service.until(lambda: backends.answers[503] > before, PATIENCE_S)
        time.sleep(LASTS_S)
    paid = backends.answers[200]
    disk.service.until(lambda: backends.answers[200] > paid, BACK_WITHIN_S)
    assert said(disk.service) > seen


def said(service: Service) -> int:
    """How often PostgreSQL said that there is no room."""
    return (service.home / "postgres.log").read_text().count("No space left on device")
