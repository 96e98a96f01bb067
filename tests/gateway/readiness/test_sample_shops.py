"""The shop of the guides passes the check, and each of twenty shops with one mistake fails exactly its probe."""

import json
import uuid
from types import ModuleType
from typing import Any

import pytest
from django.http import HttpResponse

from gateway.readiness.probes import LOSE_MONEY, Probe
from tests.support.api import Api
from tests.support.sample_shop import SampleShop, open_shop, time_passes
from tests.support.webhooks import registered
from webhooks.disturbances import Disturbance
from webhooks.models import Attempt, Delivery


class FailsForRefunds(SampleShop):
    """Looks for members of payments in every event."""

    def answer(self, headers: dict[str, str], body: bytes) -> int:
        return 500 if headers["x-onpay-event"].startswith("refund.") else super().answer(headers, body)


class Forgiving(SampleShop):
    """Answers 200 to what it has not verified, and drops it."""

    forgives: Disturbance

    def receive(self) -> None:
        self.kinds = dict(Delivery.objects.values_list("id", "disturbance"))
        super().receive()

    def answer(self, headers: dict[str, str], body: bytes) -> int:
        status = super().answer(headers, body)
        return 200 if self.kinds[headers["x-onpay-delivery"]] == self.forgives else status


class ForgivesForged(Forgiving):
    forgives = Disturbance.FORGED


class ForgivesTampered(Forgiving):
    forgives = Disturbance.TAMPERED


class ForgivesOld(Forgiving):
    forgives = Disturbance.OLD


class LooksAtTheFirstSignature(SampleShop):
    def verified(self, headers: dict[str, str], body: bytes) -> dict[str, Any]:
        first = headers["webhook-signature"].split(" ")[0]
        return super().verified(headers | {"webhook-signature": first}, body)


class IsSlow(SampleShop):
    """Took six seconds, once."""

    def receive(self) -> None:
        super().receive()
        Attempt.objects.filter(pk=Attempt.objects.filter(http_status=200).earliest("pk").pk).update(elapsed_ms=6_000)


class KnowsItsTypes(SampleShop):
    def answer(self, headers: dict[str, str], body: bytes) -> int:
        status = super().answer(headers, body)
        return 400 if status == 200 and headers["x-onpay-event"] == "payment.insight_ready" else status


class KnowsItsMembers(SampleShop):
    def answer(self, headers: dict[str, str], body: bytes) -> int:
        status = super().answer(headers, body)
        return 400 if status == 200 and "revision" in json.loads(body) else status


class ReleasesAgain(SampleShop):
    """Takes a repeated event for one whose work was not finished."""

    def handle(self, headers: dict[str, str], event: dict[str, Any]) -> None:
        reference, place = event["data"].get("reference"), (event["data"].get("id"), event["sequence"])
        is_again = self.known.get(reference) == place
        before = set(self.released)
        super().handle(headers, event)
        if self.released != before:
            self.known[reference] = place
        elif is_again:
            self.ship(reference)


class TrustsPaid(SampleShop):
    """Releases on payment.paid without a look at what it has released."""

    def handle(self, headers: dict[str, str], event: dict[str, Any]) -> None:
        reference, place = event["data"].get("reference"), (event["data"].get("id"), event["sequence"])
        is_new = place not in self.known
        self.known[place] = True
        if event["type"] == "payment.paid" and is_new and self.known.get(reference) != "REFUNDED":
            self.released.add(reference)
            self.ship(reference)
            return
        if event["type"] == "payment.refunded":
            self.known[reference] = "REFUNDED"
        super().handle(headers, event)


class WaitsForPaid(SampleShop):
    """Releases on payment.paid only."""

    def handle(self, headers: dict[str, str], event: dict[str, Any]) -> None:
        if event["type"] != "payment.paid" and event["type"] != "payment.refunded":
            return
        super().handle(headers, event)


class TrustsTheBrowser(SampleShop):
    """Releases when the payer comes back."""

    def pays(self, reference: str, status: str = "PAID") -> str:
        payment = super().pays(reference, status)
        if status == "EXPIRED":
            self.release(reference)
        return payment


class ForgetsRefunds(SampleShop):
    def handle(self, headers: dict[str, str], event: dict[str, Any]) -> None:
        if event["type"].startswith("payment.") and event["data"].get("paidAt"):
            self.release(event["data"]["reference"])


class ActsBeforeItVerifies(SampleShop):
    """The work on an order that waits for its money is queued in the first line."""

    def answer(self, headers: dict[str, str], body: bytes) -> int:
        status = super().answer(headers, body)
        if status != 200 and json.loads(body)["data"].get("reference") in ("declined", "expired"):
            self.came.append((headers, body))
        return status


class MakesNewKeys(SampleShop):
    """After a lost answer."""

    def key_after(self, answer: HttpResponse, key: str) -> str:
        return str(uuid.uuid4()) if answer.status_code in (502, 503) else key


class IsImpatient(SampleShop):
    """After 429."""

    def waits_s(self, answer: HttpResponse) -> float:
        return 0.01 if answer.status_code == 429 else super().waits_s(answer)


class AsksAtOnce(SampleShop):
    """While the first request is being processed."""

    def waits_s(self, answer: HttpResponse) -> float:
        return 0.01 if answer.status_code == 409 and super().waits_s(answer) else super().waits_s(answer)


class NeverGivesUp(SampleShop):
    def refused_order(self) -> None:
        for _ in range(3):
            super().refused_order()


class Polls(SampleShop):
    def look(self, payment_id: str) -> None:
        for _ in range(23):
            answer = self.api.http.get(f"/api/v2/payments/{payment_id}", headers={"x-api-key": str(self.api.key)})
            time_passes(self.waits_s(answer))


class LeavesTheFirstOpen(SampleShop):
    def another_way(self, reference: str) -> None:
        self.order(reference)
        self.order(f"{reference}-2")


MISTAKES = {
    Probe.GENUINE_ACCEPTED: FailsForRefunds,
    Probe.FORGED_REFUSED: ForgivesForged,
    Probe.TAMPERED_REFUSED: ForgivesTampered,
    Probe.OLD_REFUSED: ForgivesOld,
    Probe.BOTH_SECRETS_ACCEPTED: LooksAtTheFirstSignature,
    Probe.ANSWERS_IN_TIME: IsSlow,
    Probe.UNKNOWN_TYPE_ACCEPTED: KnowsItsTypes,
    Probe.UNKNOWN_VALUES_ACCEPTED: KnowsItsMembers,
    Probe.DUPLICATE_RELEASED_ONCE: ReleasesAgain,
    Probe.DISORDER_RELEASED_ONCE: TrustsPaid,
    Probe.LOST_EVENT_RELEASED: WaitsForPaid,
    Probe.UNPAID_NOT_RELEASED: TrustsTheBrowser,
    Probe.REFUNDED_NOT_RELEASED: ForgetsRefunds,
    Probe.FORGED_NOT_RELEASED: ActsBeforeItVerifies,
    Probe.RETRIED_WITH_SAME_KEY: MakesNewKeys,
    Probe.WAITED_RETRY_AFTER: IsImpatient,
    Probe.IN_PROGRESS_WAITED: AsksAtOnce,
    Probe.REFUSALS_NOT_REPEATED: NeverGivesUp,
    Probe.POLLED_GENTLY: Polls,
    Probe.ANOTHER_WAY_ONE_PAYABLE: LeavesTheFirstOpen,
}


def checked(shop: SampleShop) -> dict[str, Any]:
    """The check of a shop that does all that its page asks for."""
    with open_shop(shop):
        hook = registered(shop.api, shop.url)
        shop.secret = hook.secret
        check = shop.api.post("/simulations/readiness-checks", {"endpointId": hook.id}).json()["data"]
        shop.is_tried()
        answer = shop.api.post(f"/simulations/readiness-checks/{check['id']}/finish")
    return dict(answer.json()["data"])


def verdicts(check: dict[str, Any], verdict: str) -> list[str]:
    return [one["probe"] for one in check["probes"] if one["verdict"] == verdict]


def test_the_shop_of_the_guides_gets_an_a(api: Api, settings: Any, request_log: ModuleType) -> None:
    settings.LOCAL = True

    check = checked(SampleShop(api))

    assert (verdicts(check, "FAILED"), verdicts(check, "NOT_OBSERVED")) == ([], [])
    assert (check["status"], check["grade"], check["passed"]) == ("FINISHED", "A", 20)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("probe", MISTAKES)
def test_a_shop_with_one_mistake_fails_its_probe(
    api: Api, settings: Any, request_log: ModuleType, probe: Probe
) -> None:
    settings.LOCAL = True

    check = checked(MISTAKES[probe](api))

    assert verdicts(check, "FAILED") == [probe]
    # An endpoint that fails is paused, and less of its shop is seen.
    best = ["D"] if probe in LOSE_MONEY else ["B", "C"] if verdicts(check, "NOT_OBSERVED") else ["B"]
    assert check["grade"] in best


HASTY: dict[Probe, str] = {
    Probe.OLD_REFUSED: "Compare `webhook-timestamp` with your clock",
    Probe.UNKNOWN_TYPE_ACCEPTED: "End your handler with a default branch",
    Probe.REFUNDED_NOT_RELEASED: "compare the status of the newest event with `REFUNDED`",
    Probe.RETRIED_WITH_SAME_KEY: "send the stored one with every repetition",
    Probe.ANOTHER_WAY_ONE_PAYABLE: "Call `POST /payments/{id}/expire`",
}
"""The mistakes of a shop that was written in a hurry, and the advice that names what to change."""


def test_a_failing_shop_passes_once_every_advice_is_followed(
    api: Api, globex_api: Api, settings: Any, request_log: ModuleType
) -> None:
    settings.LOCAL = True
    failing = checked(type("Hasty", tuple(MISTAKES[probe] for probe in HASTY), {})(api))
    advised = {one["probe"]: one["advice"] for one in failing["probes"] if one["verdict"] == "FAILED"}
    left = [MISTAKES[probe] for probe, change in HASTY.items() if change not in advised.get(probe, "")]

    passing = checked(type("Mended", (*left, SampleShop), {})(globex_api))

    assert (failing["grade"], sorted(advised)) == ("D", sorted(HASTY))
    assert (passing["grade"], passing["passed"]) == ("A", 20)
