"""Notifications: who has signed them, for which account and system, and what they say."""

import json
from decimal import Decimal
from typing import Any

import pytest

from accounts.base.ids import new_id
from gateway.methods.rail import PaymentAction, PaymentResult
from gateway.providers.adyen.provider import AdyenCredentials, AdyenProvider
from gateway.providers.errors import Unreadable
from gateway.providers.provider import Message, Notice
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import Change, Payment, psp
from tests.support.adyen.webhooks import item, message, signed

OTHER_KEY = "00" * 31 + "ff"
A, R = PaymentAction, PaymentResult


@pytest.fixture
def acquirer() -> Acquirer:
    """Nothing listens."""
    return Acquirer(url="https://acquirer.example")


@pytest.fixture
def payment() -> Payment:
    return Payment(psp(), new_id("pay"), {"value": 15000, "currency": "BRL"}, "pix", {})


@pytest.fixture
def refund(payment: Payment) -> Change:
    return Change(psp(), payment, "refunds", new_id("ref"), {"value": 5000, "currency": "BRL"})


def read(provider: AdyenProvider, body: bytes) -> list[Notice]:
    assert provider.verify(Message("", {}, body))
    return list(provider.read(Message("", {}, body)))


def said(provider: AdyenProvider, *items: dict[str, Any]) -> list[tuple[str, str, str]]:
    found = read(provider, message(*items))
    return [(one.object_id, one.about, one.outcome.answered) for one in found if one.outcome]


def test_only_what_adyen_signed_with_a_key_of_the_account_is_genuine(
    acquirer: Acquirer, provider: AdyenProvider, payment: Payment
) -> None:
    good = item("AUTHORISATION", payment)
    rotating = AdyenProvider(AdyenCredentials.model_validate(acquirer.credentials(other_hmac_key=OTHER_KEY)))

    assert provider.verify(Message("", {}, message(good)))
    assert not provider.verify(Message("", {}, message(good, key=OTHER_KEY)))
    assert rotating.verify(Message("", {}, message(good, key=OTHER_KEY)))
    assert rotating.verify(Message("", {}, message(good)))


@pytest.mark.parametrize(
    "changed",
    [
        {"amount": {"value": 1, "currency": "BRL"}},
        {"amount": {"value": 15000, "currency": "EUR"}},
        {"merchantReference": "pay_01K00000000000000000000000"},
        {"merchantAccountCode": "Other"},
        {"success": "false"},
        {"success": True},
        {"eventCode": "REFUND"},
        {"pspReference": "AAAAAAAAAAAAAAAA"},
        {"originalReference": "AAAAAAAAAAAAAAAA"},
        {"additionalData": {}},
        {"additionalData": None},
        {"additionalData": {"hmacSignature": ""}},
        {"additionalData": {"hmacSignature": 1}},
        {"additionalData": {"hmacSignature": "é"}},
        {"amount": None},
        {"amount": []},
    ],
    ids=str,
)
def test_a_notification_that_was_changed_is_nobodys(
    provider: AdyenProvider, payment: Payment, changed: dict[str, Any]
) -> None:
    one = signed(item("AUTHORISATION", payment)) | changed
    good = {"NotificationRequestItem": signed(item("AUTHORISATION", payment))}
    for items in ([{"NotificationRequestItem": one}], [good, {"NotificationRequestItem": one}]):
        body = json.dumps({"live": "true", "notificationItems": items}).encode()
        assert not provider.verify(Message("", {}, body))


def test_a_signed_message_inside_a_notification_signs_nothing_else(provider: AdyenProvider, payment: Payment) -> None:
    known = json.loads(message(item("AUTHORISATION", payment)))
    forged = item("AUTHORISATION", payment, merchantReference=new_id("pay"), amount={"value": 1, "currency": "BRL"})
    wrapped = {"NotificationRequestItem": forged | {"notificationItems": known["notificationItems"]}}
    body = json.dumps({"live": "true", "notificationItems": [wrapped]}).encode()

    assert not provider.verify(Message("", {}, body))


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"<html>", b'{"live": "true", "notificationItems": []}',
     b'{"live": "true", "notificationItems": [{}]}', b'{"live": "true", "notificationItems": [[]]}',
     b'{"live": "true", "notificationItems": [{"NotificationRequestItem": []}]}', b"[" * 5000],
)  # fmt: skip
def test_what_is_no_notification_is_nobodys(provider: AdyenProvider, body: bytes) -> None:
    assert not provider.verify(Message("", {}, body))


def test_the_other_system_and_another_account_say_nothing(
    acquirer: Acquirer, provider: AdyenProvider, payment: Payment
) -> None:
    in_test = AdyenProvider(AdyenCredentials.model_validate(acquirer.credentials(client_key="test_ABC")))
    good = item("AUTHORISATION", payment)

    assert not provider.verify(Message("", {}, message(good, live="false")))
    assert in_test.verify(Message("", {}, message(good, live="false")))
    assert not in_test.verify(Message("", {}, message(good)))
    assert said(provider, item("AUTHORISATION", payment, account="OnpayBR")) == []


def test_each_event_says_what_it_means(provider: AdyenProvider, payment: Payment, refund: Change) -> None:
    change = Change(psp(), payment, "captures", payment.reference, payment.amount)
    expected = [
        (item("AUTHORISATION", payment), (A.PAY, R.AUTHORIZED)),
        (item("AUTHORISATION", payment, success=False), (A.PAY, R.DECLINED)),
        (item("CAPTURE", change), (A.CAPTURE, R.DONE)),
        (item("CAPTURE", change, success=False), (A.CAPTURE, R.UNKNOWN)),
        (item("CAPTURE_FAILED", change), (A.CAPTURE, R.DECLINED)),
        (item("CANCELLATION", change), (A.CANCEL, R.DONE)),
        (item("TECHNICAL_CANCEL", change), (A.CANCEL, R.DONE)),
        (item("EXPIRE", payment), (A.CANCEL, R.DONE)),
        (item("OFFER_CLOSED", payment), (A.EXPIRE, R.DONE)),
    ]
    for one, (about, answered) in expected:
        assert said(provider, one) == [(payment.reference, about, answered)]
    for event, success, answered in (
        ("REFUND", True, R.DONE), ("REFUND", False, R.DECLINED),
        ("REFUND_FAILED", True, R.DECLINED), ("REFUNDED_REVERSED", True, R.DECLINED),
    ):  # fmt: skip
        assert said(provider, item(event, refund, success=success)) == [(refund.reference, A.REFUND, answered)]


@pytest.mark.parametrize("event", ["CANCELLATION", "TECHNICAL_CANCEL", "OFFER_CLOSED", "EXPIRE", "CAPTURE_FAILED"])
def test_without_success_nothing_has_changed(provider: AdyenProvider, payment: Payment, event: str) -> None:
    assert said(provider, item(event, payment, success=False)) == []


def test_the_rest_is_left_out(provider: AdyenProvider, payment: Payment, refund: Change) -> None:
    strangers = ("order-1", "wdr_01K00000000000000000000000", "pay_1", "", payment.reference + "x")
    assert said(provider, *(item("AUTHORISATION", payment, merchantReference=one) for one in strangers)) == []
    assert said(provider, item("REPORT_AVAILABLE", payment), item("NOTIFICATION_OF_FRAUD", payment)) == []
    assert said(provider, item("AUTHORISATION", refund), item("REFUND", payment)) == []


def test_a_repeated_notification_counts_once_and_money_is_told_with_its_amount(
    provider: AdyenProvider, payment: Payment
) -> None:
    capture = Change(psp(), payment, "captures", payment.reference, payment.amount)
    one, other = item("AUTHORISATION", payment), item("CAPTURE", capture)

    paid, captured = read(provider, message(one, one, other))

    assert paid.outcome and captured.outcome
    assert (paid.outcome.amount, paid.outcome.currency) == (Decimal("150.00"), "BRL")
    assert [paid.outcome.reference, captured.outcome.reference] == [payment.psp] * 2


@pytest.mark.parametrize(
    "odd",
    [
        {"amount": {"value": 15000, "currency": "XXX"}},
        {"amount": {"value": -1, "currency": "BRL"}},
        {"pspReference": "a:b"},
        {"pspReference": ""},
        {"originalReference": "a:b"},
        {"merchantReference": None},
    ],
    ids=str,
)
def test_a_genuine_notification_of_another_form_is_unreadable(
    provider: AdyenProvider, payment: Payment, odd: dict[str, Any]
) -> None:
    body = message(item("AUTHORISATION", payment, **odd))
    assert provider.verify(Message("", {}, body))
    with pytest.raises(Unreadable):
        provider.read(Message("", {}, body))


def test_one_notification_that_cannot_be_read_hides_no_other(provider: AdyenProvider, payment: Payment) -> None:
    other = Payment(psp(), new_id("pay"), {"value": 100, "currency": "XAF"}, "pix", {})
    report = item("REPORT_AVAILABLE", payment, pspReference="settlement_report_batch_1.csv", merchantReference="")
    good = item("AUTHORISATION", payment)

    assert said(provider, report, good) == [(payment.reference, A.PAY, R.AUTHORIZED)]
    with pytest.raises(Unreadable) as unreadable:
        read(provider, message(item("AUTHORISATION", other), good))
    assert [one.object_id for one in unreadable.value.others] == [payment.reference]
