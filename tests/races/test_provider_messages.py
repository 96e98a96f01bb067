"""The same message many times at once is one message, and two workers never read it at the same time."""

from functools import partial
from typing import Any

import pytest
from django.http import HttpResponse

from gateway.providers import due
from gateway.providers.models import ProviderMessage
from tests.support.callbacks import about, sent
from tests.support.providers import active
from tests.support.scripted_provider import rewritten
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_message_that_comes_eight_times_at_once_is_stored_once() -> None:
    rewritten()
    account = active()

    def send() -> HttpResponse:
        return HttpResponse(status=sent(account, about("tst_1")))

    assert {answer.status_code for answer in at_once(*[send] * 8)} == {200}

    assert ProviderMessage.objects.get().repeats == 7


def test_workers_share_what_waits() -> None:
    script = rewritten()
    account = active()
    for number in range(12):
        sent(account, about(f"tst_{number}"))
    done: list[int] = []

    def sweep() -> Any:
        done.append(due.run_due(12))

    at_once(*[partial(sweep)] * 4)

    assert sum(done) == 12
    assert sorted(our_id for _, our_id in script.heard) == sorted(f"tst_{number}" for number in range(12))
