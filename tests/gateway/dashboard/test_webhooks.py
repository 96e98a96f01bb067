"""Webhook endpoints in the dashboard: their whole life, how they do, and what was sent."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.base.clock import utcnow
from accounts.models import AuditEntry, User
from accounts.roles import Role
from gateway.dashboard.refusals import in_words
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.people import a_member, signed_in, signed_in_twice
from tests.support.receiver import Receiver, listening
from tests.support.webhooks import Hook, happens, later, registered, will_fail
from webhooks.dispatch import deliver_due
from webhooks.errors import TooManyEndpoints
from webhooks.health import health, switched_off_at
from webhooks.models import Attempt, Delivery, Endpoint
from webhooks.services import MAX_ENDPOINTS, register

FRESH = {"once": "b5d8f3a6-0000-4000-8000-000000000001"}
SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")


def hooks_of(shop: Shop, environment: str = "sandbox") -> str:
    return f"/dashboard/{shop.company.pk}/{environment}/webhooks/"


@pytest.fixture
def receiver(settings: Any) -> Any:
    settings.LOCAL = True
    with listening() as found:
        yield found


@pytest.fixture
def hook(api: Api, receiver: Receiver) -> Hook:
    return registered(api, receiver.url)


@pytest.fixture
def developer(acme: Shop) -> Client:
    return signed_in_twice(a_member(acme.company, Role.DEVELOPER))


def shown_in(answer: HttpResponse) -> str:
    found = SECRET.search(answer.content.decode())
    assert answer.status_code == 200 and found, answer.content.decode()
    return found[0]


def once(browser: Client, address: str) -> dict[str, Any]:
    page = browser.get(address)
    assert page.status_code == 200, page
    return {"once": form_in(page.content)["once"]}


def text(answer: HttpResponse) -> str:
    return answer.content.decode()


# ── The whole life of one ─────────────────────────────────────────────────────────────────────────────────────────
def test_an_endpoint_is_registered_and_its_secret_shown_once(developer: Client, acme: Shop, receiver: Receiver) -> None:
    form = once(developer, f"{hooks_of(acme)}new") | {"url": receiver.url, "everything": "on", "description": "Shop"}

    answer = developer.post(f"{hooks_of(acme)}new", form)
    secret = shown_in(answer)

    made = Endpoint.objects.get(merchant=acme.sandbox)
    assert (made.url, made.events, made.description) == (receiver.url, ["*"], "Shop")
    assert answer["Cache-Control"] == "no-store"
    for page in ("", made.pk, f"{made.pk}/edit"):
        assert secret not in text(developer.get(f"{hooks_of(acme)}{page}"))
    assert AuditEntry.objects.get(action="webhook.created").after["url"] == receiver.url
    assert secret not in repr(AuditEntry.objects.values())
    again = developer.post(f"{hooks_of(acme)}new", form, follow=True)
    assert "nothing was done twice" in text(again) and Endpoint.objects.count() == 1


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"url": "http://shop.example.com/hooks"}, "https"),
        ({"url": "https://10.0.0.1/hooks"}, "public"),
        ({"url": ""}, "required"),
        ({"everything": "", "events": []}, "at least one"),
        ({"everything": "", "events": ["payment.eaten"]}, "not one of the available"),
    ],
)
def test_what_may_not_be_called_is_said(developer: Client, acme: Shop, members: dict[str, Any], said: str) -> None:
    form = once(developer, f"{hooks_of(acme)}new") | {"url": "https://93.184.216.34/", "everything": "on"} | members

    answer = developer.post(f"{hooks_of(acme)}new", form)

    assert said.lower() in text(answer).lower()
    assert not Endpoint.objects.exists()


@pytest.mark.parametrize(
    ("language", "said"),
    [("pt-br", "A URL deve começar com https://."), ("es", "La URL debe empezar con https://.")],
)
def test_a_fault_that_the_service_finds_is_told_in_the_readers_language(
    developer: Client, acme: Shop, language: str, said: str
) -> None:
    form = once(developer, f"{hooks_of(acme)}new") | {"url": "http://shop.example.com/hooks", "everything": "on"}
    User.objects.update(language=language)

    page = text(developer.post(f"{hooks_of(acme)}new", form))

    assert said in page and "must start" not in page
    assert not Endpoint.objects.exists()


def test_there_are_at_most_twenty(developer: Client, acme: Shop) -> None:
    address = f"{hooks_of(acme)}new"
    form = once(developer, address) | {"url": "https://93.184.216.34/", "everything": "on"}
    for number in range(MAX_ENDPOINTS):
        register(acme.sandbox, f"https://93.184.216.34/{number}", ["*"], None)

    assert in_words(TooManyEndpoints()) in text(developer.post(address, form))
    assert Endpoint.objects.count() == MAX_ENDPOINTS
    assert "New endpoint" not in text(developer.get(hooks_of(acme)))


def test_an_endpoint_is_changed(developer: Client, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    address = f"{hooks_of(acme)}{hook.id}/edit"
    form = once(developer, address) | {"url": receiver.url, "events": ["payment.paid", "payment.failed"]}

    assert developer.post(address, form).status_code == 302

    row = hook.row()
    assert (row.url, row.events) == (receiver.url, ["payment.paid", "payment.failed"])
    entry = AuditEntry.objects.get(action="webhook.changed")
    assert (entry.before, entry.after) == ({"events": ["*"]}, {"events": ["payment.paid", "payment.failed"]})


def test_an_endpoint_is_switched_off_and_on(developer: Client, acme: Shop, hook: Hook) -> None:
    address = f"{hooks_of(acme)}{hook.id}/status"

    developer.post(address, {"status": "INACTIVE"})
    assert hook.row().status == "INACTIVE"
    assert "Nothing is sent" in text(developer.get(f"{hooks_of(acme)}{hook.id}"))
    assert developer.post(f"{hooks_of(acme)}{hook.id}/test", FRESH).status_code == 409

    Endpoint.objects.filter(pk=hook.id).update(status="DISABLED", disabled_reason="GONE")
    assert "410" in text(developer.get(hooks_of(acme)))
    developer.post(address, {"status": "ACTIVE"})
    assert (hook.row().status, hook.row().disabled_reason) == ("ACTIVE", None)


def test_a_rotated_secret_is_shown_once_and_both_sign(
    developer: Client, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    address = f"{hooks_of(acme)}{hook.id}/secret"

    secret = shown_in(developer.post(address, once(developer, address) | {"overlap": "24"}))

    assert secret != hook.secret
    assert hook.row().overlap_ends_at is not None
    happens(acme.sandbox)
    deliver_due()
    assert len(receiver.received[0].headers["webhook-signature"].split()) == 2
    assert "still in progress" in text(developer.get(address))


def test_an_endpoint_is_deleted_after_a_question(developer: Client, acme: Shop, hook: Hook) -> None:
    happens(acme.sandbox)
    address = f"{hooks_of(acme)}{hook.id}/delete"
    assert "1 pending delivery will be canceled" in text(developer.get(address))

    assert developer.post(address).status_code == 302

    assert developer.get(f"{hooks_of(acme)}{hook.id}").status_code == 404
    assert Delivery.objects.get().status == "CANCELED"
    event = Delivery.objects.get().event_id
    assert "deleted" in text(developer.get(f"/dashboard/{acme.company.pk}/sandbox/events/{event}"))


# ── How it does ───────────────────────────────────────────────────────────────────────────────────────────────────
def test_nothing_sent_has_no_rate(developer: Client, acme: Shop, hook: Hook) -> None:
    well = health(acme.sandbox)[hook.id]

    assert (well.tried, well.success_rate, well.p95_ms, well.waiting, well.next_attempt_at) == (0, None, None, 0, None)
    assert "Nothing was sent" in text(developer.get(hooks_of(acme)))


def test_health_counts_attempts_and_names_the_last_failure(
    developer: Client, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    will_fail(receiver, 1)
    happens(acme.sandbox, object_id="pay_1")
    deliver_due()
    later()
    deliver_due()
    for number in (2, 3):
        happens(acme.sandbox, object_id=f"pay_{number}")
    deliver_due()
    happens(acme.sandbox, object_id="pay_4")

    well = health(acme.sandbox)[hook.id]

    assert (well.tried, well.succeeded, well.success_rate) == (4, 3, 75)
    assert well.failure == "500" and well.failed_at
    assert well.p95_ms == max(Attempt.objects.values_list("elapsed_ms", flat=True))
    assert well.waiting == 1
    page = text(developer.get(hooks_of(acme)))
    assert "75%" in page and "3 of 4 attempts" in page


def test_old_attempts_do_not_count(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    happens(acme.sandbox)
    deliver_due()
    Delivery.objects.update(created_at=utcnow() - timedelta(hours=25))

    assert health(acme.sandbox)[hook.id].tried == 0


def test_it_is_told_when_an_endpoint_will_be_switched_off(
    developer: Client, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    will_fail(receiver, 1)
    happens(acme.sandbox)
    deliver_due()
    assert switched_off_at(hook.row()) is None, "one failure a moment ago is no reason to worry"

    Endpoint.objects.update(failing_since=utcnow() - timedelta(days=2))

    off_at = switched_off_at(hook.row())
    assert off_at and abs(off_at - utcnow() - timedelta(days=3)) < timedelta(minutes=1)
    for page in ("", hook.id):
        assert "It will be disabled on" in text(developer.get(f"{hooks_of(acme)}{page}"))


def test_the_list_asks_little(
    developer: Client, acme: Shop, receiver: Receiver, django_assert_max_num_queries: Any
) -> None:
    for number in range(15):
        register(acme.sandbox, f"{receiver.url}/{number}", ["*"], None)
    happens(acme.sandbox)
    developer.get(hooks_of(acme))

    with django_assert_max_num_queries(8):
        developer.get(hooks_of(acme))


# ── What was sent ─────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_test_is_sent_and_looked_at(developer: Client, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    page = f"{hooks_of(acme)}{hook.id}"

    answer = developer.post(f"{page}/test", once(developer, page))
    assert "refreshes automatically" in text(developer.get(answer["Location"]))
    deliver_due()

    assert receiver.types == ["webhook.test"]
    seen = text(developer.get(answer["Location"]))
    assert "Delivered" in seen and "refreshes automatically" not in seen
    assert AuditEntry.objects.filter(action="webhook.tested").count() == 1


def test_a_delivery_shows_exactly_what_was_sent(developer: Client, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    happens(acme.sandbox, object_id="pay_1")
    deliver_due()
    made, got = Delivery.objects.get(), receiver.received[0]

    seen = text(developer.get(f"{hooks_of(acme)}{hook.id}/deliveries/{made.pk}"))

    shown = seen.replace("&#x27;", "'").replace("&quot;", '"').replace("&amp;", "&")
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature", "x-onpay-signature", "x-onpay-attempt"):
        assert f"{name}: {got.headers[name]}" in shown
    assert got.body.decode() in shown
    assert json.dumps(json.loads(got.body), indent=2)[:30] in shown
    assert f"000000  {got.headers['webhook-id'].encode()[:16].hex(' ')}" in shown
    assert hook.secret not in seen


def test_each_attempt_can_be_looked_at(developer: Client, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    will_fail(receiver, 1)
    happens(acme.sandbox)
    deliver_due()
    later()
    deliver_due()
    address = f"{hooks_of(acme)}{hook.id}/deliveries/{Delivery.objects.get().pk}"

    assert "x-onpay-attempt: 2" in text(developer.get(address))
    for odd in ("1", "9", "x", ""):
        expected = "x-onpay-attempt: 1" if odd == "1" else "x-onpay-attempt: 2"
        assert expected in text(developer.get(f"{address}?attempt={odd}"))


def test_a_delivery_is_sent_again_once(developer: Client, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    happens(acme.sandbox)
    deliver_due()
    address = f"{hooks_of(acme)}{hook.id}/deliveries/{Delivery.objects.get().pk}"
    form = once(developer, address)

    answers = [developer.post(f"{address}/again", form) for _ in range(2)]
    deliver_due()

    assert [answer.status_code for answer in answers] == [302, 302]
    assert [one.headers["webhook-id"] for one in receiver.received] == [receiver.received[0].headers["webhook-id"]] * 2
    assert Delivery.objects.count() == 2
    assert answers[0]["Location"].endswith(Delivery.objects.order_by("-created_at")[0].pk)


def test_deliveries_are_filtered(developer: Client, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    will_fail(receiver, 1)
    happens(acme.sandbox, "payment.failed", "pay_bad")
    deliver_due()
    happens(acme.sandbox, "payment.paid", "pay_good")
    deliver_due()
    address = f"{hooks_of(acme)}{hook.id}"

    for query, seen in (
        ("", {"pay_good", "pay_bad"}),
        ("status=DELIVERED", {"pay_good"}),
        ("event_type=payment.failed", {"pay_bad"}),
        ("status=DELIVERED&event_type=payment.failed", set()),
        ("status=EATEN", {"pay_good", "pay_bad"}),
    ):
        page = text(developer.get(f"{address}?{query}"))
        assert {one for one in ("pay_good", "pay_bad") if one in page} == seen, query


# ── Telling again ─────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_replay_is_counted_before_it_is_sent(developer: Client, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    hook.change({"status": "INACTIVE"})
    for number in range(12):
        happens(acme.sandbox, "payment.paid", f"pay_{number}")
    happens(acme.sandbox, "payment.failed", "pay_x")
    hook.change({"status": "ACTIVE"})
    address = f"{hooks_of(acme)}{hook.id}/replay"

    page = developer.get(f"{address}?type=payment.paid&last_status=NONE")
    assert "12 events match" in text(page) and "pay_9" in text(page) and "pay_10" not in text(page)
    assert not Delivery.objects.exists()
    form = form_in(page.content)
    assert form["type"] == "payment.paid"
    for _ in range(2):
        developer.post(address, form)
    deliver_due()

    assert receiver.types == ["payment.paid"] * 12
    entry = AuditEntry.objects.get(action="webhook.replayed")
    assert entry.after == {"queued": 12}


@pytest.mark.parametrize(
    "query", ["type=eaten", "created_from=x", "created_from=2026-11-02T00:00&created_to=2026-11-01T00:00"]
)
def test_an_odd_replay_counts_nothing(developer: Client, acme: Shop, hook: Hook, query: str) -> None:
    happens(acme.sandbox)

    page = text(developer.get(f"{hooks_of(acme)}{hook.id}/replay?{query}"))

    assert "invalid-feedback" in page and "match" not in page.split("</form>")[-1]


def test_a_replay_to_what_is_off_is_not_offered(developer: Client, acme: Shop, hook: Hook) -> None:
    hook.change({"status": "INACTIVE"})
    happens(acme.sandbox)
    address = f"{hooks_of(acme)}{hook.id}/replay"

    page = text(developer.get(f"{address}?last_status="))

    assert "1 event matches" in page and "Send 1 event" not in page
    answer = developer.post(address, FRESH)
    assert answer.status_code == 409 and not Delivery.objects.exists()


# ── The doctor ────────────────────────────────────────────────────────────────────────────────────────────────────
def headers_text(headers: dict[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in headers.items() if name.startswith(("webhook", "x-onpay")))


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda body: body, "OK"),
        (lambda body: json.dumps(json.loads(body)), "BODY_REENCODED"),
        (lambda body: body + "\n", "TRAILING_NEWLINE"),
        (lambda body: body + "\r\n", "TRAILING_NEWLINE"),
        (lambda body: "{}", "UNKNOWN"),
    ],
)
def test_the_doctor_says_what_became_of_a_body(
    developer: Client, acme: Shop, hook: Hook, receiver: Receiver, change: Any, verdict: str
) -> None:
    happens(acme.sandbox)
    deliver_due()
    got = receiver.received[0]
    form = {"headers": headers_text(got.headers), "body": change(got.body.decode()), "form": "text", "secret": ""}

    page = text(developer.post(f"{hooks_of(acme)}{hook.id}/doctor", form))

    assert f"<code>{verdict}</code>" in page


def test_the_doctor_looks_at_a_secret_and_forgets_it(
    developer: Client, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    happens(acme.sandbox)
    deliver_due()
    got = receiver.received[0]
    address = f"{hooks_of(acme)}{hook.id}/doctor"
    form = {"headers": json.dumps(got.headers), "body": got.body.decode(), "form": "text"}

    for secret, verdict in (
        (hook.secret, "OK"),
        (f"{hook.secret} ", "TRAILING_NEWLINE"),
        (acme.sandbox_key, "API_KEY_PASTED"),
    ):
        page = text(developer.post(address, form | {"secret": secret}))
        assert f"<code>{verdict}</code>" in page, secret
        assert secret.strip() not in page


def test_the_doctor_takes_base64_and_says_what_it_cannot_read(developer: Client, acme: Shop, hook: Hook) -> None:
    address = f"{hooks_of(acme)}{hook.id}/doctor"

    assert "not valid base64" in text(developer.post(address, {"headers": "a: b", "body": "%%%", "form": "base64"}))
    assert "No headers could be read" in text(
        developer.post(address, {"headers": "nothing", "body": "", "form": "text"})
    )
    page = text(developer.post(address, {"headers": "a: b", "body": "e30=", "form": "base64"}))
    assert "<code>UNKNOWN</code>" in page


def test_the_doctor_begins_with_what_we_sent(developer: Client, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    happens(acme.sandbox)
    deliver_due()
    address = f"{hooks_of(acme)}{hook.id}/doctor"

    page = text(developer.get(f"{address}?delivery={Delivery.objects.get().pk}"))

    assert receiver.received[0].headers["webhook-signature"] in page
    assert developer.get(f"{address}?delivery=dlv_nothing").status_code == 404


# ── Who may ───────────────────────────────────────────────────────────────────────────────────────────────────────
ACTS = (
    "new",
    "{id}/edit",
    "{id}/status",
    "{id}/secret",
    "{id}/delete",
    "{id}/test",
    "{id}/replay",
    "{id}/deliveries/{made}/again",
)


@pytest.mark.parametrize("role", [Role.FINANCE, Role.SUPPORT, Role.VIEWER])
def test_only_developers_change_endpoints(acme: Shop, hook: Hook, receiver: Receiver, role: Role) -> None:
    happens(acme.sandbox)
    deliver_due()
    before = (Endpoint.objects.values().get(), Delivery.objects.count())
    browser = signed_in_twice(a_member(acme.company, role))

    for act in ACTS:
        path = act.format(id=hook.id, made=Delivery.objects.get().pk)
        assert browser.post(f"{hooks_of(acme)}{path}").status_code == 403, path
    reads = 200 if role == Role.VIEWER else 403
    for path in ("", hook.id, f"{hook.id}/doctor", f"{hook.id}/deliveries/{Delivery.objects.get().pk}"):
        page = browser.get(f"{hooks_of(acme)}{path}")
        assert page.status_code == reads
        main = text(page).split("<main")[-1].split("</main>")[0]
        assert "btn-primary" not in main or path.endswith("doctor")
    assert (Endpoint.objects.values().get(), Delivery.objects.count()) == before


def test_nobody_sees_an_endpoint_of_somebody_else(
    developer: Client, acme: Shop, globex: Shop, globex_api: Api, receiver: Receiver
) -> None:
    theirs = registered(globex_api, receiver.url)
    happens(globex.sandbox, object_id="pay_theirs")
    deliver_due()
    made = Delivery.objects.get().pk

    for act in (*ACTS[1:], "{id}", "{id}/doctor", "{id}/deliveries/{made}"):
        path = act.format(id=theirs.id, made=made)
        for ask in (developer.get, developer.post):
            for address in (hooks_of(acme), hooks_of(globex)):
                assert ask(f"{address}{path}", FRESH).status_code in (404, 405), path
    assert theirs.row().status == "ACTIVE" and Delivery.objects.count() == 1
    assert receiver.url not in text(developer.get(hooks_of(acme)))


def test_whatever_opens_a_door_wants_the_second_factor_again(acme: Shop, hook: Hook) -> None:
    browser = signed_in(a_member(acme.company, Role.DEVELOPER))

    for path in ("new", f"{hook.id}/secret", f"{hook.id}/edit", f"{hook.id}/delete", f"{hook.id}/status"):
        answer = browser.post(f"{hooks_of(acme)}{path}", {"status": "INACTIVE"})
        assert answer.status_code == 302 and "/accounts/2fa" in answer["Location"]
    [row] = Endpoint.objects.all()
    assert (row.status, row.overlap_ends_at, row.deleted_at) == ("ACTIVE", None, None)
