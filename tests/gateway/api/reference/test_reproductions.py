"""What /docs/errors says of each error is so: its calls provoke it, and the answer is the one that is shown.

`UPDATE=1 make test T=tests/gateway/api/reference/test_reproductions.py` records the answers again.
"""

import json
import os
import re
import uuid
from collections.abc import Mapping
from functools import reduce
from typing import Any

from django.conf import settings
from django.http import HttpResponse

from accounts.services import issue_key
from gateway.api.openapi.document import operations
from gateway.api.openapi.failures import refusals_of
from gateway.api.reference.error_samples import RECORDED
from gateway.api.reference.reproductions import EXPLAINED
from gateway.api.reference.reproductions.calls import Call, Explanation, Given
from gateway.api.reference.shell import script
from gateway.methods.registry import codes_of
from tests.support.api import V2, Api, another_address, check_against_contract
from tests.support.approvals import set_rules, the_owner
from tests.support.companies import Shop
from tests.support.payments import a_reference
from tests.support.withdrawals import register

REFUSED = {
    refusal.code: refusal for _, method, _, declared in operations() for refusal in refusals_of(method, declared)
}
IN_WORDS = {
    # Before the service, or by the network.
    "ONP400_BODY_INCOMPLETE", "ONP400_HEADER_REPEATED", "ONP400_HTTP", "ONP408", "ONP413", "ONP414", "ONP429",
    "ONP429_UNFINISHED_BODIES", "ONP500", "ONP502", "ONP503", "ONP504",
    # Only in production, or after a decision of support.
    "ONP403_ENVIRONMENT_NOT_SERVED", "ONP403_SANDBOX_ONLY", "ONP403_<METHOD>_NOT_CONNECTED", "ONP403_COMPANY_STATUS",
    "ONP403_METHOD_NOT_ENABLED", "ONP403_TOKENS_NOT_ENABLED", "ONP422_<METHOD>_SAVED_CARD_UNAVAILABLE",
    "ONP403_WITHDRAWALS_WAIT", "ONP403_WITHDRAWAL_DISABLED", "ONP403_WITHDRAWAL_NOT_CONNECTED",
    "ONP403_CONVERSION_DISABLED", "ONP422_REFUND_AMOUNT_TOO_SMALL",
    # Two at once, many, other people, or an advance.
    "ONP409_IDEMPOTENCY_IN_PROGRESS", "ONP409_PAYMENT_BUSY", "ONP422_WEBHOOK_LIMIT", "ONP422_BENEFICIARY_LIMIT",
    "ONP403_APPROVER", "ONP409_APPROVAL_GIVEN", "ONP409_READINESS_CHECK", "ONP409_RECEIVABLE_RESERVED",
}  # fmt: skip

STRICTER: dict[Given, dict[str, Any]] = {Given.APPROVALS: {"people": 1}}
STRICTER[Given.LIMITS] = STRICTER[Given.APPROVALS] | {"per_day": {"BRL": 15_00}, "per_beneficiary": {"BRL": 10_00}}
STRICTER[Given.BOOK] = STRICTER[Given.LIMITS] | {"outside_book": "REFUSED", "cooling_off_h": 24}
"""The rules, each stricter than those before: weaker ones would have to wait."""


def test_every_error_of_the_api_is_explained_by_calls_or_in_words() -> None:
    assert set(EXPLAINED) == set(REFUSED)
    assert {code for code, one in EXPLAINED.items() if one.words} == IN_WORDS
    for one in EXPLAINED.values():
        assert bool(one.calls) != bool(one.words)
        assert all(re.fullmatch(r"[A-Z].*\.", text) for text in (one.cause, one.words or one.cause))


def test_the_calls_provoke_the_error_and_its_answer_is_the_one_in_the_docs(acme: Shop, address: str) -> None:
    answers = {}
    for given in Given:
        key = prepared(acme, given, address)
        of_this = [(code, one) for code, one in EXPLAINED.items() if one.calls and one.given == given]
        for code, one in sorted(of_this, key=by_time):
            answer = last_of(one.calls, Api(key, address if given else another_address()), acme)
            assert answer["error"]["code"] in codes_of(REFUSED[code]), (code, answer)
            answers[code] = answer
    if os.environ.get("UPDATE"):
        ordered = {code: answers[code] for code in EXPLAINED if code in answers}
        RECORDED.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")
    assert answers == json.loads(RECORDED.read_text())


def test_a_script_keeps_what_a_call_gives_for_the_next_one() -> None:
    first, second, third = script(EXPLAINED["ONP422_REFUND_AMOUNT_EXCEEDED"].calls).replace(" \\\n  ", " ").splitlines()
    assert first.startswith('PAYMENT=$(curl -s "$ONPAY_BASE_URL/api/v2/payments" -H "x-api-key: $ONPAY_API_KEY"')
    assert first.endswith("| jq -r .data.id)") and "\"order-'$(date +%s)$RANDOM'\"" in first
    assert '/simulations/payments/$PAYMENT"' in second
    assert third.endswith("-d '{\"amount\": 150.01}'")


def prepared(shop: Shop, given: Given, address: str) -> str:
    """The key to call with, once the company is as the explanation says."""
    owner = the_owner(shop)
    if given != Given.NOTHING:
        register(shop, another_address() if given == Given.OTHER_ADDRESS else address)
    if given in STRICTER:
        Api(shop.sandbox_key).post("/simulations/clock", {"advanceBy": "P2D"})  # away from earlier withdrawals
        set_rules(shop.sandbox, owner, **STRICTER[given])
    if given == Given.NARROW_KEY:
        return issue_key(shop.sandbox, ["transactions:read"], "Narrow", by=owner)[1]
    if given == Given.APPROVALS:
        everything = sorted({declared.permission for *_, declared in operations()} | {"withdrawals:approve"})
        return issue_key(shop.sandbox, everything, "Wide", by=owner)[1]
    return shop.sandbox_key


def by_time(explained: tuple[str, Explanation]) -> float:
    """Those last that move the clock, the farthest at the very end."""
    moved = [re.search(r"P(\d+)D", str(call.body)) for call in explained[1].calls if "clock" in call.path]
    return max((int(days[1]) for days in moved if days), default=0)


def last_of(calls: tuple[Call, ...], api: Api, shop: Shop) -> dict[str, Any]:
    """The answer to the last call, with ids as the page shows them. The others succeed."""
    known = {"company": shop.company.id, "key": str(uuid.uuid4())}
    for call in calls[:-1]:
        answer = sent(call, api, known)
        assert answer.status_code < 300, (call, answer.content)
        if call.gives:
            known[call.gives] = reduce(lambda found, name: found[name], call.of.split("."), answer.json()["data"])
    text = sent(calls[-1], api, known).content.decode()
    text = re.sub(r"\b(req|pay|cnv|cmp)_[0-9A-Z]{26}", r"\1_01KAGTW3Q8XJ5V0N2B7R4C9D01", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-11-26T12:00:00.000Z", text)
    return dict(json.loads(text.replace(settings.BASE_URL, "https://api.example.com")))


def sent(call: Call, api: Api, known: Mapping[str, str]) -> HttpResponse:
    headers: dict[str, str | None] = {"x-api-key": api.key} | (
        {"idempotency-key": str(uuid.uuid4())} if call.method == "POST" else {}
    )
    headers |= call.headers
    path = filled(call.path, known)
    answer = api.http.generic(
        call.method,
        V2 + path,
        "" if call.body is None else filled(own(call.body), known),
        headers.pop("content-type", None) or "application/json",
        headers={name: filled(text, known) for name, text in headers.items() if text is not None},
    )
    check_against_contract(call.method.lower(), path, answer)
    return answer


def own(body: Mapping[str, Any] | str) -> str:
    """With a reference of its own where the page's is new for each run."""
    text = body if isinstance(body, str) else json.dumps(body)
    return text.replace('"order-1042"', f'"{a_reference()}-r"').replace('"wd-77"', f'"{a_reference()}-w"')


def filled(text: str, known: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: known[found[1]], text)
