"""Requests that Schemathesis makes of the published contract, right and wrong ones: none is answered with a 5xx."""

import json
import os
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings

from tests.support import withdrawals
from tests.support.companies import Shop, a_shop
from tests.support.effort import tries
from tests.support.payments import a_payment
from tests.support.serving import served
from tests.support.tally import survived
from tests.support.tools import HERE

REQUESTS = int(os.environ.get("REQUESTS") or tries(200, 100_000))
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**31))
TOOL = Path(settings.BASE_DIR) / ".tools" / "schemathesis" / "bin" / "schemathesis"
AT_ONCE = 2
OF_EACH, PHASES = (100, "examples,coverage,fuzzing") if REQUESTS > 10_000 else (2, "fuzzing")


def made(published: Path, port: int, shop: Shop, payment: str, seed: int) -> int:
    """How many requests Schemathesis made, some of each operation; fails with what it printed."""
    file = published.with_name(f"report-{seed}.json")
    command = [
        TOOL, "--config-file", HERE / "schemathesis.toml", "run", published, "--url", f"http://localhost:{port}",
        "--header", f"x-api-key: {shop.sandbox_key}", "--phases", PHASES, "--max-examples", OF_EACH, "--seed", seed,
        "--continue-on-failure", "--no-shrink", "--suppress-health-check", "all", "--warnings", "off",
        "--request-timeout", 60,
        "--generation-database", "none", "--report", "json", "--report-json-path", file, "--no-color",
    ]  # fmt: skip
    known = {"COMPANY_ID": shop.company.pk, "PAYMENT_ID": payment}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=file.parent, env=os.environ | known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-100_000:] + done.stderr
    return int(json.loads(file.read_text())["test_cases"]["generated"])


@pytest.mark.django_db(transaction=True)
def test_no_request_is_answered_with_a_5xx_or_against_the_contract(published: Path) -> None:
    """By two processes: Python 3.11 cannot parse in two threads at once, which Schemathesis does with two workers."""
    print(f"SEED={SEED} REQUESTS={REQUESTS}")
    shop = a_shop("Acme")
    payment = a_payment(shop.sandbox, "PAID").pk
    withdrawals.register(shop, "127.0.0.1")
    done = rounds = 0
    with served(ONPAY_LOG_LEVEL="error") as web, ThreadPoolExecutor(AT_ONCE) as processes:
        while done < REQUESTS:
            seeds = range(SEED + rounds * AT_ONCE, SEED + (rounds + 1) * AT_ONCE)
            done += sum(processes.map(lambda seed: made(published, web.port, shop, payment, seed), seeds))
            rounds += 1
            print(f"{done} requests after {rounds} rounds")
    survived("requests that Schemathesis makes", done, note="no 5xx, nothing against the contract")
