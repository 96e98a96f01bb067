"""Messages are read after they were answered; each notice leads to a query; repetition and disorder are harmless."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import AuditEntry, StuckWork
from gateway.providers import due, messages
from gateway.providers.errors import MessageUnknown
from gateway.providers.models import ProviderMessage
from gateway.providers.retention import forget_old_messages
from tests.support.callbacks import about, sent
from tests.support.providers import NOTE, active, confirms
from tests.support.scripted_provider import Script


def read() -> ProviderMessage:
    due.run_due(10)
    return ProviderMessage.objects.latest("pk")


def test_each_notice_is_handed_to_the_handler_of_its_prefix(script: Script) -> None:
    account = active()
    sent(account, about("tst_1", "tst_2X", "nob_1", "tst_3"))

    stored = read()

    assert script.heard == [(account.pk, "tst_1"), (account.pk, "tst_2X"), (account.pk, "tst_3")]
    assert stored.outcome == "tst_1: queried; tst_2X: not ours; nob_1: not ours; tst_3: queried"
    assert (stored.read_due_at, stored.read_at is not None) == (None, True)
    assert due.run_due(10) == 0


def test_an_id_that_one_message_repeats_is_queried_once(script: Script) -> None:
    account = active()
    sent(account, about(*["tst_1", "tst_2"] * 500))

    assert read().outcome == "tst_1: queried; tst_2: queried"
    assert script.heard == [(account.pk, "tst_1"), (account.pk, "tst_2")]


def test_a_repetition_is_read_once_more(script: Script) -> None:
    account = active()
    sent(account, about("tst_1"))
    read()
    sent(account, about("tst_1"))
    assert read().repeats == 1
    assert script.heard == [(account.pk, "tst_1")] * 2


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"id": 1', b"[1]", b"\xff\xfe", b"[" * 5000])
def test_what_cannot_be_read_says_so_and_is_not_tried_again(script: Script, body: bytes) -> None:
    assert sent(active(), body) == 200
    stored = read()
    assert stored.outcome.startswith("Not readable: ")
    assert (stored.read_due_at, script.heard) == (None, [])


def test_a_message_about_nothing_of_ours_says_so(script: Script) -> None:
    sent(active(), b"[]")
    assert read().outcome == "It concerns nothing of ours"


def test_what_raises_is_read_again_later_and_delays_no_other(script: Script) -> None:
    account = active()
    sent(account, about("tst_1"))
    script.deaf = RuntimeError("the database is away")
    assert due.run_due(10) == 0
    broken = ProviderMessage.objects.get()
    assert (broken.read_at, StuckWork.objects.get().object_id) == (None, broken.pk)

    script.deaf = None
    sent(account, about("tst_2"))
    assert due.run_due(10) == 1
    assert script.heard == [(account.pk, "tst_2")]

    StuckWork.objects.update(until=utcnow())
    ProviderMessage.objects.filter(pk=broken.pk).update(read_due_at=utcnow())
    assert due.run_due(10) == 1
    assert script.heard[-1] == (account.pk, "tst_1")


def test_a_notice_that_raises_holds_up_no_other_of_its_message(script: Script) -> None:
    account = active()
    sent(account, about("tst_1", "tst_2"))
    script.deaf, script.deaf_to = RuntimeError("its bank is away"), "tst_1"

    assert due.run_due(10) == 0

    assert script.heard == [(account.pk, "tst_2")]
    assert ProviderMessage.objects.get().read_at is None


def test_a_message_that_one_process_reads_is_left_to_it_and_one_that_died_is_followed(script: Script) -> None:
    sent(active(), about("tst_1"))
    stored = ProviderMessage.objects.get()
    messages.begin_reading(stored, utcnow())  # and then it dies
    assert due.run_due(10) == 0
    ProviderMessage.objects.update(read_due_at=utcnow() - timedelta(seconds=1))
    assert due.run_due(10) == 1
    assert len(script.heard) == 1


def test_one_that_comes_again_while_it_is_read_is_read_after_that(script: Script) -> None:
    account = active()
    sent(account, about("tst_1"))
    reading = messages.begin_reading(ProviderMessage.objects.get(), utcnow())
    sent(account, about("tst_1"))
    reading()
    assert due.run_due(10) == 1
    assert len(script.heard) == 2


def test_staff_have_a_message_read_again_and_the_audit_says_so(script: Script) -> None:
    account = active()
    sent(account, about("tst_1"))
    stored = read()

    messages.read_again(Actor(confirms()), stored.pk, NOTE)

    read()
    assert len(script.heard) == 2
    entry = AuditEntry.objects.get(action="provider_message.read_again")
    assert (entry.object_id, entry.note) == (stored.pk, NOTE)
    with pytest.raises(MessageUnknown):
        messages.read_again(Actor(confirms()), "pmg_unknown", NOTE)


def test_messages_are_kept_as_long_as_requests_and_unread_ones_longer(settings: Any, script: Script) -> None:
    account = active()
    for days in (0, 2, 29, 31, 32):
        sent(account, about(f"tst_{days}"))
        read()
        received_at = utcnow() - timedelta(days=days, minutes=1)
        ProviderMessage.objects.filter(pk=ProviderMessage.objects.latest("pk").pk).update(received_at=received_at)
    oldest = ProviderMessage.objects.earliest("received_at")
    messages.read_again(Actor(confirms()), oldest.pk, NOTE)

    settings.REQUEST_LOG_DAYS = 30
    assert forget_old_messages() == 1
    settings.REQUEST_LOG_DAYS = 0
    assert forget_old_messages() == 2
    assert ProviderMessage.objects.count() == 2
    assert ProviderMessage.objects.filter(pk=oldest.pk).exists()
