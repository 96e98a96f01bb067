"""A table that is on every node is changed on all of them, or on none."""

import uuid

from tests.cells.nodes import GLOBEXES, Nodes
from tests.support.service import Service, pay, subscribed

CLOCK = "/api/v2/simulations/clock"
_OFFSETS = "SELECT extract(epoch FROM clock_offset)::int FROM accounts_merchant ORDER BY id"


def test_a_merchant_is_changed_once_the_lost_node_is_back(globexes: Service, nodes: Nodes) -> None:
    """The clock of a merchant in the sandbox, which is in its row: here of one whose own node is well."""
    assert nodes.home_of(GLOBEXES) != nodes.first.port
    key, before = str(uuid.uuid4()), offset(globexes)
    pay(globexes, f"before-{key}")
    nodes.first.kill()
    try:
        refused = [globexes.call("POST", CLOCK, {"advanceBy": "PT1M"}, key) for _ in range(3)]
        assert offset(globexes) == before
        pay(globexes, f"meanwhile-{key}")
        with subscribed(globexes, "payment.paid"):  # which locks the row of the merchant
            pass
    finally:
        nodes.first.start()
    assert [status for status, _ in refused] == [503] * 3, refused
    assert all(answer["error"]["retryable"] for _, answer in refused)
    assert alike(nodes)

    answers = [globexes.insist(CLOCK, {"advanceBy": "PT1M"}, key) for _ in range(2)]

    assert [status for status, _ in answers] == [200, 200], answers
    assert offset(globexes) == before + 60
    assert alike(nodes)
    globexes.until(globexes.is_well, 60)
    globexes.manage("verify_ledger")


def offset(service: Service) -> int:
    """By how many seconds the clock of the merchant is ahead."""
    status, answer = service.insist(CLOCK, method="GET")
    assert status == 200, answer
    return int(answer["data"]["offsetSeconds"])


def alike(nodes: Nodes) -> bool:
    """Whether the coordinator and every node have the same merchants."""
    return len({tuple(one.run(_OFFSETS)) for one in nodes.servers}) == 1
