"""A node that hangs, and closes no connection, holds up its own merchants only."""

import time
import uuid
from http.client import HTTPConnection
from urllib.parse import urlsplit

from tests.cells.nodes import ACMES, GLOBEXES, Nodes
from tests.support.backends import Backends
from tests.support.receiver import Receiver
from tests.support.service import Service, are_charged_once, pay, subscribed

BEFORE_S, HANGS_S = 5.0, 16.0
NOTICED_WITHIN_S = 4.0
"""After so long at most its merchants are refused at once, and all others are served as before."""
AT_ONCE_S = 1.0


def test_a_node_hangs(service: Service, acmes: Service, globexes: Service, nodes: Nodes) -> None:
    """Eight clients wait for it, as many as the service has threads."""
    assert nodes.home_of(ACMES) == nodes.first.port != nodes.home_of(GLOBEXES)
    there = Backends(acmes, "hangs", undecided=True)
    neighbours, elsewhere = Backends(globexes, "beside"), Backends(service, "public")
    link = a_link(globexes)
    with (
        subscribed(globexes, "payment.paid") as (receiver, _),
        there.at_work(8),
        neighbours.at_work(2),
        elsewhere.at_work(2),
    ):
        began = time.monotonic()
        time.sleep(BEFORE_S)
        with nodes.first.hanging():
            hangs = time.monotonic()
            time.sleep(NOTICED_WITHIN_S)
            assert status_of(service, link) == 200
            paid = pay(globexes, f"told-{uuid.uuid4().hex}")
            globexes.until(lambda: is_told(receiver, paid), HANGS_S - NOTICED_WITHIN_S)
            time.sleep(max(0.0, hangs + HANGS_S - time.monotonic()))
            goes_on = time.monotonic()
        back = there.back_after(goes_on)
    service.until(service.is_well, 60)

    assert there.answers.keys() <= {200, 201, 409, 503}
    assert there.answers[503] > 0
    assert there.took(hangs, goes_on)[-1] < NOTICED_WITHIN_S
    assert there.took(hangs + NOTICED_WITHIN_S, goes_on - NOTICED_WITHIN_S)[-1] < AT_ONCE_S
    note = f"back {back:.1f} s after it went on; {there.answers[503]} answered 503"
    are_charged_once(acmes, "node hangs, its merchants", there.prefix, there.made, faults=1, note=note)
    for one, shop, who in ((neighbours, globexes, "on another node"), (elsewhere, service, "in public")):
        assert one.answers.keys() <= {200, 201}, one.answers
        before, during = one.took(began, hangs), one.took(hangs, goes_on)
        assert one.longest_gap < NOTICED_WITHIN_S
        assert len(during) / HANGS_S > len(before) / BEFORE_S / 2
        note = (
            f"p99 {p99(before):.2f} s before, {p99(during):.2f} meanwhile; {len(before) / BEFORE_S:.0f} calls a second "
            f"before, {len(during) / HANGS_S:.0f} meanwhile; at most {one.longest_gap:.1f} s without an answer"
        )
        are_charged_once(shop, f"node hangs, merchants {who}", one.prefix, one.made, faults=0, note=note)


def a_link(service: Service) -> str:
    """The path of a payment link, a page for everybody who has its address."""
    wanted = {"description": "Blue shoes", "amount": 10.00, "currency": "BRL"}
    status, answer = service.insist("/api/v2/payment-links", wanted)
    assert status == 201, answer
    return urlsplit(answer["data"]["url"]).path


def status_of(service: Service, path: str) -> int:
    connection = HTTPConnection("127.0.0.1", service.port, timeout=15)
    try:
        connection.request("GET", path, headers={"host": f"localhost:{service.port}"})
        return connection.getresponse().status
    finally:
        connection.close()


def is_told(receiver: Receiver, payment: str) -> bool:
    return any(payment.encode() in one.body for one in list(receiver.received))


def p99(took: list[float]) -> float:
    return took[len(took) * 99 // 100]
