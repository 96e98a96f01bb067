"""Staff who propose and confirm, and what owners read of it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any

from django.test import Client

from accounts.models import Company, Email, Proposal
from gateway.payments.models import Payment
from gateway.staff.kit.columns import address as page_at
from gateway.suspense.models import SuspenseItem
from ledger.models import Entry
from webhooks.models import Event

NOTE = {"note": "They wrote on Monday"}


def action(record: Any, name: str) -> str:
    """The address of an action on the page of a record."""
    return page_at(type(record), "change", record.pk).replace("/change/", f"/{name}/")


def proposed(browser: Client, record: Any, act: str, **sent: Any) -> Proposal:
    """Sends the form of an action, after which a second person must confirm."""
    known = set(Proposal.objects.values_list("pk", flat=True))
    answer = browser.post(action(record, act), {**NOTE, **sent}, follow=True)
    told = [str(message) for message in answer.context["messages"]] if answer.context else answer.content
    new = Proposal.objects.exclude(pk__in=known)
    assert new.count() == 1, told
    return new.get()


def confirmed(browser: Client, proposal: Proposal, **sent: str) -> Any:
    """The answer to a confirmation of the proposal as it stands on its page."""
    given = {"note": "Seen it, too", "digest": proposal.digest, **sent}
    return browser.post(action(proposal, "confirm"), given, follow=True)


@contextmanager
def nothing_moves() -> Iterator[None]:
    """No payment, no money in suspense, no entry and no event changes."""

    def facts() -> Any:
        payments = Payment.objects.order_by("pk").values("pk", "status", "rail_reference", "updated_at")
        items = SuspenseItem.objects.order_by("pk").values("pk", "state", "payment", "merchant", "return_at")
        return list(payments), list(items), Entry.objects.count(), Event.objects.count()

    before = facts()
    yield
    assert facts() == before


def refusal(browser: Client, record: Any, act: str, **sent: Any) -> str:
    """The text of the page that answers an action when nothing may be proposed or done."""
    with nothing_moves():
        known = Proposal.objects.count()
        answer = browser.post(action(record, act), {**NOTE, **sent}, follow=True)
        assert Proposal.objects.count() == known
    return unescape(answer.content.decode())


def mails(company: Company | None = None, kind: str = "by_support") -> list[str]:
    """Recipients of the e-mails about the company, in the order of the alphabet."""
    found = Email.objects.filter(kind=kind, **({"company": company} if company else {}))
    return sorted(found.values_list("recipient", flat=True))


def key_in(page: bytes) -> str:
    (key,) = re.findall(r"onp_(?:sandbox|live)_[\w-]{43}", page.decode())
    return key


def limit(currency: str, amount: str, in_a_day: str = "") -> dict[str, str]:
    """Of what one person decides alone: about one payment, and in 24 hours."""
    return {"currency": currency, "amount": amount, "amount_in_a_day": in_a_day or amount}
