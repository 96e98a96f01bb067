"""Requests that Schemathesis makes of the published contract, right and wrong ones: none is answered with a 5xx."""

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

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
OF_EACH, PHASES = (100, "examples,coverage,fuzzing") if REQUESTS > 10_000 else (2, "fuzzing")


def report(published: Path, port: int, shop: Shop, seed: int) -> dict[str, Any]:
    """What Schemathesis says about some requests of each operation; fails with what it printed."""
    file = published.with_name("report.json")
    command = [
        TOOL, "--config-file", HERE / "schemathesis.toml", "run", published, "--url", f"http://localhost:{port}",
        "--header", f"x-api-key: {shop.sandbox_key}", "--phases", PHASES, "--max-examples", OF_EACH, "--seed", seed,
        "--workers", 2, "--continue-on-failure", "--no-shrink", "--suppress-health-check", "all", "--warnings", "off",
        "--request-timeout", 60,
        "--generation-database", "none", "--report", "json", "--report-json-path", file, "--no-color",
    ]  # fmt: skip
    payment = a_payment(shop.sandbox, "PAID")
    known = {"COMPANY_ID": shop.company.pk, "PAYMENT_ID": payment.pk}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=file.parent, env=os.environ | known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-100_000:] + done.stderr
    return dict(json.loads(file.read_text()))


@pytest.mark.django_db(transaction=True)
def test_no_request_is_answered_with_a_5xx_or_against_the_contract(published: Path) -> None:
    print(f"SEED={SEED} REQUESTS={REQUESTS}")
    shop = a_shop("Acme")
    withdrawals.register(shop, "127.0.0.1")
    made = rounds = 0
    with served(ONPAY_LOG_LEVEL="error") as web:
        while made < REQUESTS:
            made += report(published, web.port, shop, SEED + rounds)["test_cases"]["generated"]
            rounds += 1
            print(f"{made} requests after {rounds} rounds")
    survived("requests that Schemathesis makes", made, note="no 5xx, nothing against the contract")
