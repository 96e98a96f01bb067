"""Two transactions that each wait for the other on another node: one of them is ended, and done once more."""

import uuid
from concurrent.futures import ThreadPoolExecutor

from tests.cells.nodes import ACMES, GLOBEXES
from tests.support.service import Service, pay

# What locks the newest payment of one cell after that of the other, and waits in between until it is told to go on.
_LOCKING = """
import sys
from django.db import transaction
from accounts.base import cells
from accounts.base.rows import every, retry_on_deadlock

def lock(cell):
    with cells.opened(cell):
        assert every("SELECT id FROM gateway_payment ORDER BY id DESC LIMIT 1 FOR NO KEY UPDATE")

@transaction.atomic
def both():
    tries.append(0)
    lock("{first}")
    if len(tries) == 1:
        input()
        print("has one", flush=True)
        input()
    lock("{second}")

tries = []
retry_on_deadlock(both)
print(len(tries), file=sys.stderr, flush=True)
print("has both", flush=True)
"""
WITHIN_S = 10


def test_rows_on_two_nodes_are_locked_in_opposite_order(acmes: Service, globexes: Service) -> None:
    for shop in (acmes, globexes):
        pay(shop, f"locked-{uuid.uuid4().hex}")
    log = acmes.home / "shell.log"
    before = len(log.read_bytes()) if log.exists() else 0
    there, back = (_LOCKING.format(first=one, second=other) for one, other in ((ACMES, GLOBEXES), (GLOBEXES, ACMES)))
    with acmes.shell(there) as this, acmes.shell(back) as that, ThreadPoolExecutor(2) as both:
        this("lock one")
        that("lock one")
        for going_on in [both.submit(one, "lock the other one") for one in (this, that)]:
            going_on.result(WITHIN_S)
    tries = log.read_bytes()[before:].split()
    assert sorted(tries) == [b"1", b"2"], tries
