"""The timetable: each task has a queue, each queue a worker, and what an older version asked for is gone."""

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from gateway.celery import BACKGROUND, MESSAGES, MONEY, PROOFS, QUEUES, SANDBOX, TIMETABLE, app
from gateway.local.up import GATEWAY
from gateway.timetable import Timetable

ROOT = Path(settings.BASE_DIR)
MOVE_MONEY = {"payments", "refunds", "withdrawals", "receivables"}
MAY_TAKE_LONG = {"close-days", *(name for name in TIMETABLE if name.startswith("forget-"))}


def test_every_task_of_the_timetable_names_a_queue() -> None:
    for name, entry in app.conf.beat_schedule.items():
        assert entry["options"]["queue"] == TIMETABLE[name].queue
        assert entry["options"]["queue"] in QUEUES
        assert tuple(entry["args"]) == TIMETABLE[name].given


def test_money_shares_no_queue_with_what_may_take_long() -> None:
    assert {TIMETABLE[f"sweep-{what}"].queue for what in MOVE_MONEY} == {MONEY}
    assert {TIMETABLE[f"sweep-sandbox-{what}"].queue for what in MOVE_MONEY} == {SANDBOX}
    assert {TIMETABLE[name].queue for name in MAY_TAKE_LONG} == {BACKGROUND}
    assert {name for name, turn in TIMETABLE.items() if turn.queue == PROOFS} == {"prove-books", "prove-all-books"}


def test_a_worker_that_is_told_nothing_serves_every_queue() -> None:
    assert set(app.amqp.queues) == set(QUEUES)


def local() -> Iterator[list[str]]:
    yield from (shlex.split(command) for command in GATEWAY.values())


def production() -> Iterator[list[str]]:
    for service in yaml.safe_load((ROOT / "compose.yaml").read_text())["services"].values():
        yield [str(word) for word in service.get("command") or []]


@pytest.mark.parametrize("commands", [local, production])
def test_every_queue_has_a_worker_and_money_has_one_of_its_own(commands: Callable[[], Iterator[list[str]]]) -> None:
    served = _served(commands())

    assert set().union(*served) == set(QUEUES)
    assert [queues - {SANDBOX} for queues in served if MONEY in queues] == [{MONEY}]
    assert [queues - {MONEY} for queues in served if SANDBOX in queues] == [{SANDBOX}]


def test_in_production_nothing_that_takes_long_delays_an_e_mail() -> None:
    served = [queues for queues in _served(production()) if MESSAGES in queues]

    assert served == [{MESSAGES}]


def _served(commands: Iterator[list[str]]) -> list[set[str]]:
    """The queues of each worker."""
    return [set(words[words.index("-Q") + 1].split(",")) for words in commands if "worker" in words]


def test_each_service_serves_the_environment_of_its_queues() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    serves = {name: one["environment"]["ONPAY_ENVIRONMENTS"] for name, one in services.items() if "build" in one}

    assert {name for name, environments in serves.items() if environments != "production"} == {
        "beat", "sandbox", "sandbox-worker",
    }  # fmt: skip
    assert (serves["beat"], serves["sandbox"], serves["sandbox-worker"]) == ("sandbox,production", "sandbox", "sandbox")
    assert [name for name, one in services.items() if "sandbox" in (one.get("command") or [])] == ["sandbox-worker"]


@pytest.mark.django_db(transaction=True)
def test_tasks_of_an_older_version_do_not_stay_in_the_timetable() -> None:
    every, _ = IntervalSchedule.objects.get_or_create(every=2, period="seconds")
    PeriodicTask.objects.create(name="look-after-refunds", task="gateway.refunds.tasks.look", interval=every)

    Timetable(app=app)

    assert set(PeriodicTask.objects.values_list("name", flat=True)) - {"celery.backend_cleanup"} == set(TIMETABLE)
    assert PeriodicTask.objects.get(name="sweep-refunds").queue == MONEY
