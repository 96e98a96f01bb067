"""What merchants, payers, institutions and staff do is done in a cell on a node as well: much of the suite, there."""

import os
import subprocess
import sys

import pytest

from tests.cells.nodes import Nodes
from tests.support.service import ROOT

PARTS = ("staff", "payer", "saved_cards", "payment_links", "refunds", "withdrawals", "bulk", "payout_batches")
PARTS += ("conversions", "boletos", "settlements", "suspense", "dashboard/bulk", "dashboard/withdrawals")
TOOK_AT_MOST_S = 3600


@pytest.mark.takes_minutes
def test_what_the_suite_does_is_done_on_a_node(nodes: Nodes) -> None:
    """Citus does not know every statement: one that it refuses fails a test."""
    own = {"DATABASE_URL": nodes.database("suite"), "ONPAY_LOCAL": "1", "CELLS": "1"}
    command = [sys.executable, "-m", "gateway.local", "run-with", "--", sys.executable, "-m", "pytest"]
    options = ["-p", "tests.cells.suite", "--tb=short", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *options, *(f"tests/gateway/{part}" for part in PARTS)],
        cwd=ROOT,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
        timeout=TOOK_AT_MOST_S,
    )
    assert done.returncode == 0, done.stdout[-20_000:]
